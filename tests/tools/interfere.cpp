// SPDX-License-Identifier: MIT
// interfere REPORT CALL FAULT WHEN PROGRAM...: runs PROGRAM, and has its WHENth system call CALL fail with FAULT.
// interfere REPORT --list PROGRAM...: only looks which calls PROGRAM makes.
// Like strace's injection, with three things that strace has not: a short result that is true (the kernel moves half of
// what was asked for); calls are counted over all threads; and only from the program's first look at descriptor 0, 1 or
// 2 on, so that what the loader does is left alone. It stops the program once a call and starts it in a millisecond.
//   CALL    read, writev, copy_file_range, ...: every one of the table below
//   FAULT   EIO and other errors: the call is not made; "zero": not made, and answers 0; "short": made with half the size
//   WHEN    1, 2, 3, or "every-other": the first, the third, ...
//   REPORT  a file to be made: how often it interfered; with --list also a line for each call, in the order of first use
// x86-64 only.
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace {

// `size`: which argument says how much is to be moved; -1: the call moves nothing. `vector`: it counts pieces.
struct Call {
  const char* name;
  long number;
  int size;
  bool vector;
  int descriptor;  // which argument is one; -1: none
};

#define MOVES(name, size, vector) {#name, SYS_##name, size, vector, 0}
#define OTHER(name, descriptor) {#name, SYS_##name, -1, false, descriptor}
const Call calls[] = {MOVES(read, 2, false),
                      MOVES(write, 2, false),
                      MOVES(pread64, 2, false),
                      MOVES(pwrite64, 2, false),
                      MOVES(readv, 2, true),
                      MOVES(writev, 2, true),
                      MOVES(preadv, 2, true),
                      MOVES(pwritev, 2, true),
                      MOVES(preadv2, 2, true),
                      MOVES(pwritev2, 2, true),
                      MOVES(sendfile, 3, false),
                      MOVES(splice, 4, false),
                      MOVES(tee, 2, false),
                      MOVES(vmsplice, 2, true),
                      MOVES(copy_file_range, 4, false),
                      MOVES(sendto, 2, false),
                      MOVES(recvfrom, 2, false),
                      OTHER(fstat, 0),
                      OTHER(newfstatat, 0),
                      OTHER(statx, 0),
                      OTHER(lseek, 0),
                      OTHER(fcntl, 0),
                      OTHER(ioctl, 0),
                      OTHER(fadvise64, 0),
                      OTHER(fallocate, 0),
                      OTHER(ftruncate, 0),
                      OTHER(fsync, 0),
                      OTHER(dup, 0),
                      OTHER(dup3, 0),
                      OTHER(close, 0),
                      OTHER(mmap, 4),
                      OTHER(munmap, -1),
                      OTHER(mprotect, -1),
                      OTHER(mremap, -1),
                      OTHER(madvise, -1),
                      OTHER(poll, -1),
                      OTHER(ppoll, -1),
                      OTHER(openat, -1),
                      OTHER(readlink, -1),
                      OTHER(pipe2, -1),
                      OTHER(getrlimit, -1),
                      OTHER(prlimit64, -1),
                      OTHER(rt_sigaction, -1),
                      OTHER(sched_getaffinity, -1),
                      OTHER(sched_setaffinity, -1),
                      OTHER(clone3, -1),
                      OTHER(getsockopt, 0),
                      OTHER(setsockopt, 0),
                      OTHER(getsockname, 0),
                      OTHER(getpeername, 0),
                      OTHER(shutdown, 0),
                      OTHER(io_uring_setup, -1),
                      OTHER(io_uring_register, -1),
                      OTHER(io_uring_enter, -1)};
#undef MOVES
#undef OTHER

// Not brk: the kernel answers it with an address whatever happens, so that an error is nothing it could say.

struct Error {
  const char* name;
  int number;
};
#define ERROR(name) {#name, name}
const Error errors[] = {ERROR(EINTR),      ERROR(EAGAIN), ERROR(EIO),     ERROR(ENOSPC), ERROR(EPIPE),
                        ERROR(EINVAL),     ERROR(EPERM),  ERROR(ENOSYS),  ERROR(EXDEV),  ERROR(EBADF),
                        ERROR(EOPNOTSUPP), ERROR(ENOMEM), ERROR(ETXTBSY), ERROR(EMFILE)};
#undef ERROR

[[noreturn]] void fail(const std::string& what) {
  fprintf(stderr, "interfere: %s\n", what.c_str());
  _exit(99);
}

const Call* find_call(long number) {
  for (const Call& call : calls)
    if (call.number == number) return &call;
  return nullptr;
}

// In the child: every call of the table stops it; the others run free.
void ask_to_be_stopped() {
  std::vector<sock_filter> filter = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
  };
  for (const Call& call : calls) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call.number), 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  sock_fprog program = {static_cast<unsigned short>(filter.size()), filter.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    fail(std::string("seccomp: ") + strerror(errno));
}

unsigned long long* argument(user_regs_struct& registers, int n) {
  unsigned long long* const all[] = {&registers.rdi, &registers.rsi, &registers.rdx,
                                     &registers.r10, &registers.r8,  &registers.r9};
  return all[n];
}

struct Plan {
  bool list = false;
  std::string call, fault, when;
  int error = 0;

  bool due(int nth) const { return when == "every-other" ? nth % 2 == 1 : nth == atoi(when.c_str()); }
};

// The call is not made and answers `result`.
void answer(user_regs_struct& registers, long result) {
  registers.orig_rax = static_cast<unsigned long long>(-1);
  registers.rax = static_cast<unsigned long long>(result);
}

// Half of what was asked for, but something. Of a vector the first piece is, as a plain call on it, so that the program's
// own list stays what it was. False where there is nothing to halve.
bool shorten(pid_t thread, const Call& call, user_regs_struct& registers) {
  if (!call.vector) {
    unsigned long long* size = argument(registers, call.size);
    if (*size < 2) return false;
    *size /= 2;
    return true;
  }
  iovec first;
  iovec here = {&first, sizeof first};
  iovec there = {reinterpret_cast<void*>(registers.rsi), sizeof first};
  if (process_vm_readv(thread, &here, 1, &there, 1, 0) != sizeof first || first.iov_len < 2) return false;
  if (call.number == SYS_vmsplice) {  // has no plain form: a list of its own, on the stack where nothing is in use
    first.iov_len /= 2;
    registers.rsi = (registers.rsp - 1024) & ~15ULL;
    registers.rdx = 1;
    there.iov_base = reinterpret_cast<void*>(registers.rsi);
    return process_vm_writev(thread, &here, 1, &there, 1, 0) == sizeof first;
  }
  const bool reads = call.number == SYS_readv;
  if (!reads && call.number != SYS_writev) return false;
  registers.orig_rax = reads ? SYS_read : SYS_write;
  registers.rsi = reinterpret_cast<unsigned long long>(first.iov_base);
  registers.rdx = first.iov_len / 2;
  return true;
}

class Interference {
 public:
  explicit Interference(const Plan& plan) : plan_(plan) {}

  void at_call(pid_t thread) {
    user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, thread, nullptr, &registers) != 0) return;
    const Call* call = find_call(static_cast<long>(registers.orig_rax));
    if (call == nullptr) return;
    started_ = started_ || (call->descriptor >= 0 && *argument(registers, call->descriptor) <= 2);
    if (!started_) return;
    if (plan_.list) {
      if (std::find(seen_.begin(), seen_.end(), call->name) == seen_.end()) seen_.push_back(call->name);
      return;
    }
    if (plan_.call != call->name || own_message(*call, registers) || !plan_.due(++nth_)) return;
    if (plan_.fault != "short") answer(registers, -plan_.error);
    else if (call->size < 0 || !shorten(thread, *call, registers)) return;
    if (ptrace(PTRACE_SETREGS, thread, nullptr, &registers) == 0) done_++;
  }

  int done() const { return done_; }
  const std::vector<std::string>& seen() const { return seen_; }

 private:
  // What the program says on standard error is not what is tried.
  static bool own_message(const Call& call, const user_regs_struct& registers) {
    return (call.number == SYS_write || call.number == SYS_writev) && registers.rdi == 2;
  }

  const Plan& plan_;
  bool started_ = false;
  int nth_ = 0, done_ = 0;
  std::vector<std::string> seen_;
};

Plan read_plan(int& at, int argc, char** argv) {
  Plan plan;
  if (argc > 3 && strcmp(argv[2], "--list") == 0) {
    plan.list = true;
    at = 3;
    return plan;
  }
  if (argc < 6) fail("usage: interfere REPORT (--list | CALL FAULT WHEN) PROGRAM...");
  plan.call = argv[2];
  plan.fault = argv[3];
  plan.when = argv[4];
  at = 5;
  if (std::none_of(std::begin(calls), std::end(calls), [&](const Call& call) { return plan.call == call.name; }))
    fail("no such call: " + plan.call);
  for (const Error& error : errors)
    if (plan.fault == error.name) plan.error = error.number;
  if (plan.error == 0 && plan.fault != "zero" && plan.fault != "short") fail("no such fault: " + plan.fault);
  return plan;
}

// Until the first process has ended: its wait status.
int follow(pid_t first, Interference& interference) {
  for (;;) {
    int status;
    const pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0) fail(std::string("wait: ") + strerror(errno));
    if (!WIFSTOPPED(status)) {
      if (thread == first) return status;
      continue;
    }
    const int event = status >> 16;
    int signal = WSTOPSIG(status);
    if (event == PTRACE_EVENT_SECCOMP) interference.at_call(thread);
    if (event != 0 || signal == SIGTRAP) signal = 0;  // a stop of the tracer's, not a signal to the program
    if (signal == SIGSTOP && thread != first) signal = 0;  // how a new thread begins
    ptrace(PTRACE_CONT, thread, nullptr, signal);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int at = 0;
  const Plan plan = read_plan(at, argc, argv);
  const pid_t child = fork();
  if (child < 0) fail(std::string("fork: ") + strerror(errno));
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    ask_to_be_stopped();
    execv(argv[at], argv + at);
    fail(std::string(argv[at]) + ": " + strerror(errno));
  }
  close(0);
  close(1);
  int status;
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) fail("the program does not start");
  const long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  if (ptrace(PTRACE_SETOPTIONS, child, nullptr, options) != 0) fail(std::string("ptrace: ") + strerror(errno));
  Interference interference(plan);
  ptrace(PTRACE_CONT, child, nullptr, nullptr);
  status = follow(child, interference);
  FILE* report = fopen(argv[1], "we");
  if (report == nullptr) fail(std::string(argv[1]) + ": " + strerror(errno));
  fprintf(report, "%d\n", interference.done());
  for (const std::string& name : interference.seen()) fprintf(report, "%s\n", name.c_str());
  if (fclose(report) != 0) fail(std::string(argv[1]) + ": " + strerror(errno));
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
