// SPDX-License-Identifier: MIT
// Faults inside an io_uring ring, where no tracer reaches: linked in front of liburing's io_uring_submit_and_wait
// (--wrap), it changes what a program submits and what it is answered. IOBENCH_FAULT is "CALL FAULT WHEN": CALL is READ,
// WRITE or POLL, FAULT the number of an error, "zero" or "short", WHEN a number or "every-other". A call that is to fail is
// submitted as one that does nothing, which the kernel answers at once; a short one is submitted with half its size.
#include <liburing.h>
#include <stdlib.h>
#include <string.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

struct Fault {
  int opcode = -1;
  bool shortens = false;
  int answer = 0;
  std::string when;
  int seen = 0;

  bool due() { return when == "every-other" ? ++seen % 2 == 1 : ++seen == atoi(when.c_str()); }
};

Fault fault_asked() {
  Fault fault;
  const char* text = getenv("IOBENCH_FAULT");
  if (text == nullptr) return fault;
  const std::string all = text;
  const std::size_t first = all.find(' '), second = all.rfind(' ');
  const std::string call = all.substr(0, first), what = all.substr(first + 1, second - first - 1);
  fault.opcode = call == "READ" ? IORING_OP_READ : call == "WRITE" ? IORING_OP_WRITE : IORING_OP_POLL_ADD;
  fault.shortens = what == "short";
  fault.answer = -atoi(what.c_str());
  fault.when = all.substr(second + 1);
  return fault;
}

std::vector<std::uint64_t> failing;  // user data of the calls that were made to do nothing

void change(io_uring_sqe* call, Fault& fault) {
  if (call->opcode != fault.opcode || !fault.due()) return;
  if (fault.shortens) {
    if (call->len > 1) call->len /= 2;
    return;
  }
  failing.push_back(call->user_data);
  const std::uint64_t data = call->user_data;
  memset(call, 0, sizeof *call);
  call->opcode = IORING_OP_NOP;
  call->user_data = data;
}

void change_answers(io_uring* ring, const Fault& fault) {
  unsigned head;
  io_uring_cqe* answer;
  io_uring_for_each_cqe(ring, head, answer) {
    for (auto data = failing.begin(); data != failing.end(); data++)
      if (*data == answer->user_data) {
        answer->res = fault.answer;
        failing.erase(data);
        break;
      }
  }
}

}  // namespace

extern "C" int __real_io_uring_submit_and_wait(io_uring* ring, unsigned wait);
extern "C" int __wrap_io_uring_submit_and_wait(io_uring* ring, unsigned wait);

int __wrap_io_uring_submit_and_wait(io_uring* ring, unsigned wait) {
  static Fault fault = fault_asked();
  for (unsigned at = ring->sq.sqe_head; at != ring->sq.sqe_tail; at++) change(&ring->sq.sqes[at & ring->sq.ring_mask], fault);
  const int result = __real_io_uring_submit_and_wait(ring, wait);
  change_answers(ring, fault);
  return result;
}
