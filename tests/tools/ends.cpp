// SPDX-License-Identifier: MIT
#include "ends.h"

#include <fcntl.h>

namespace iobench::testing {

namespace {

Pair connect_pair(const std::string& kind, const std::filesystem::path& fifo) {
  if (kind == "pipe") return pipe_pair();
  if (kind == "fifo") return fifo_pair(fifo);
  if (kind == "socket") return unix_pair();
  if (kind == "tcp") return tcp_pair();
  if (kind == "tty") return terminal_pair();
  throw Error("no such kind of end: " + kind);
}

}  // namespace

Source::Source(const std::string& kind, const Scratch& scratch, std::string_view bytes, std::size_t pieces) {
  if (kind == "file") {
    end_ = open_file(scratch.write("in", bytes), O_RDONLY);
  } else if (kind == "null") {
    end_ = open_file("/dev/null", O_RDONLY);
  } else {
    Pair pair = connect_pair(kind, scratch / "in.fifo");
    end_ = std::move(pair.reader);
    feeder_ = std::make_unique<Feeder>(std::move(pair.writer), bytes, pieces);
  }
}

Sink::Sink(const std::string& kind, const Scratch& scratch, std::string_view before, double pause_s) {
  if (kind == "file") {
    path_ = scratch / "out";
    end_ = open_file(path_, O_WRONLY | O_CREAT | O_TRUNC);
  } else if (kind == "append") {
    path_ = scratch.write("out", before);
    end_ = open_file(path_, O_WRONLY | O_APPEND);
  } else if (kind == "null" || kind == "full") {
    end_ = open_file("/dev/" + kind, O_WRONLY);
  } else {
    Pair pair = connect_pair(kind, scratch / "out.fifo");
    end_ = std::move(pair.writer);
    drainer_ = std::make_unique<Drainer>(std::move(pair.reader), pause_s);
  }
}

std::string Sink::collect() {
  end_.reset();
  if (drainer_) return drainer_->join();
  return path_.empty() ? std::string() : read_file(path_);
}

Copied copy(const std::vector<std::string>& argv, const std::string& input, const std::string& output,
            std::string_view bytes, std::size_t pieces) {
  const Scratch scratch;
  Source source(input, scratch, bytes, pieces);
  Sink sink(output, scratch);
  Process process(argv, {.in = source.fd(), .out = sink.fd()});
  source.close();
  Copied copied;
  copied.ended = process.wait();
  copied.bytes = sink.collect();
  return copied;
}

bool is_one_line_of(const std::string& name, const std::string& err) {
  return err.rfind(name + ": ", 0) == 0 && err.find('\n') == err.size() - 1;
}

}  // namespace iobench::testing
