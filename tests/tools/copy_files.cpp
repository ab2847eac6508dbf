// SPDX-License-Identifier: MIT
// copy-files: each method to each target gives what SOURCE holds, the control gives nothing; every error names the call
// and the file, and nothing is lost or removed that the user did not give up.
#include "catch.h"
#include "ends.h"
#include "server.h"
#include "tracing.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <signal.h>

#include <algorithm>
#include <iostream>
#include <sstream>

#include "../../harness/toolbox.h"

using namespace iobench::testing;
namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;
const std::string methods[] = {"none", "stdio", "readwrite", "sendfile", "copy-file-range"};
const std::string targets[] = {"same", "new"};

Words command(const Words& words) {
  Words argv = {tool_path("copy-files")};
  argv.insert(argv.end(), words.begin(), words.end());
  return argv;
}

// With neither standard input nor standard output: it needs none.
Ended copy_files(const Words& words) { return run(command(words), {}); }

struct Files {
  explicit Files(const std::string& content = some_bytes(600), const fs::path& parent = {})
      : scratch(parent), bytes(content), source(scratch.write("source", bytes)) {}
  Words words(const std::string& method, const std::string& target, const Words& more = {}) const {
    Words all = {"--method", method, "--target", target, "--count", "3"};
    all.insert(all.end(), more.begin(), more.end());
    all.insert(all.end(), {source, destination});
    return all;
  }
  Scratch scratch;
  std::string bytes;
  std::string source;
  std::string destination = scratch / "destination";
};

void check_failure(const Ended& ended, const std::string& said, int status = 1) {
  INFO(ended.err);
  CHECK(ended.status == status);
  CHECK(ended.err == "copy-files: " + said + "\n");
}

// Two folders on different file systems, if the machine has a tmpfs that is not /tmp.
bool differ(const fs::path& a, const fs::path& b) {
  struct stat of_a, of_b;
  return stat(a.c_str(), &of_a) == 0 && stat(b.c_str(), &of_b) == 0 && of_a.st_dev != of_b.st_dev;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) found++;
  return found;
}

}  // namespace

TEST_CASE("every method to every target copies, and the control creates an empty file") {
  const std::string bytes = some_bytes((1 << 20) + 7);
  for (const std::size_t size : {0u, 1u, 600u, 8191u, 8192u, 8193u, (1u << 20) + 7})
    for (const std::string& method : methods)
      for (const std::string& target : targets)
        for (const bool before : {false, true}) {
          INFO(method << " " << target << " " << size << (before ? ", a file was there" : ""));
          const Files files(bytes.substr(0, size), "/dev/shm");  // truncating is slow on a disk
          if (before) files.scratch.write("destination", some_bytes(20000, 2));
          const Ended ended = copy_files(files.words(method, target));
          CHECK(ended.err == "");
          REQUIRE(ended.status == 0);
          CHECK((iobench::read_file(files.destination) == (method == "none" ? "" : files.bytes)));
          CHECK((iobench::read_file(files.source) == files.bytes));
        }
}

TEST_CASE("blocks smaller and larger than the file") {
  for (const std::string& method : methods)
    for (const std::string block : {"1", "7", "600", "601", "1M"}) {
      INFO(method << " -b " << block);
      const Files files;
      CHECK(copy_files(files.words(method, "new", {"-b", block})).status == 0);
      CHECK((iobench::read_file(files.destination) == (method == "none" ? "" : files.bytes)));
    }
}

TEST_CASE("the name is kept, or unlinked first: what else has the old file sees the difference") {
  for (const std::string& target : targets) {
    const Files files;
    files.scratch.write("destination", "old");
    const fs::path other = files.scratch / "other-name";
    fs::create_hard_link(files.destination, other);
    CHECK(copy_files(files.words("readwrite", target)).status == 0);
    CHECK((iobench::read_file(other) == (target == "same" ? files.bytes : "old")));
  }
}

TEST_CASE("it opens, creates, copies and closes as often as it is told, and the control does all but the copying") {
  if (!can_trace()) return;
  for (const std::string& method : methods)
    for (const std::string& target : targets) {
      const Files files;
      const std::string log = files.scratch / "log";
      CHECK(run_traced(command(files.words(method, target)), {"-o", log, "-P", files.source, "-P", files.destination}, {})
                .status == 0);
      const std::string calls = iobench::read_file(log);
      INFO(method << " " << target << "\n" << calls);
      CHECK(count(calls, files.source + "\", O_RDONLY) ") == 3);
      CHECK(count(calls, "O_WRONLY|O_CREAT|" + std::string(target == "new" ? "O_EXCL" : "O_TRUNC")) >= 3 * (method != "stdio"));
      CHECK(count(calls, "close(") == 6);
      CHECK(count(calls, "unlink(") == (target == "new" ? 3 : 0));
      CHECK(count(calls, " read(") == (method == "stdio" || method == "readwrite" ? 6 : 0));
      CHECK(count(calls, " write(") == (method == "stdio" || method == "readwrite" ? 3 : 0));
      CHECK(count(calls, " sendfile(") == (method == "sendfile" ? 6 : 0));
      CHECK(count(calls, " copy_file_range(") == (method == "copy-file-range" ? 6 : 0));
    }
}

TEST_CASE("10,000 copies unless it is told") {
  const Files files("x");
  if (!can_trace()) return;
  const std::string log = files.scratch / "log";
  const Words words = {"--method", "none", files.source, files.destination};
  CHECK(run_traced(command(words), {"-o", log, "--seccomp-bpf", "-e", "trace=openat"}, {}).status == 0);
  CHECK(count(iobench::read_file(log), "O_CREAT") == 10000);
}

TEST_CASE("what it does not accept") {
  const Files files;
  struct Mistake {
    Words words;
    const char* said;
  };
  const std::string in = files.source, out = files.destination;
  const Mistake mistakes[] = {
      {{}, "it takes SOURCE and DESTINATION"},
      {{in}, "it takes SOURCE and DESTINATION"},
      {{in, out, out}, "it takes SOURCE and DESTINATION"},
      {{"--count", "0", in, out}, "--count '0' is not a number above zero"},
      {{"--count", "", in, out}, "--count '' is not a number above zero"},
      {{"--count", "1K", in, out}, "--count '1K' is not a number above zero"},
      {{"--count", "-1", in, out}, "--count '-1' is not a number above zero"},
      {{"--method", "splice", in, out},
       "--method 'splice' is not one of none, stdio, readwrite, sendfile, copy-file-range"},
      {{"--target", "other", in, out}, "--target 'other' is neither same nor new"},
      {{"-b", "0", in, out}, "-b '0' is not a size such as 512, 64K or 1M"},
      {{"-n", "1", in, out}, "unknown option '-n'"},
      {{"--drain", in, out}, "unknown option '--drain'"},
      {{"--methods", "none", in, out}, "unknown option '--methods'"},
      {{"--method"}, "option '--method' needs a value"}};
  for (const Mistake& mistake : mistakes) {
    check_failure(copy_files(mistake.words), std::string(mistake.said) + "; try 'copy-files --help'", 2);
    CHECK_FALSE(fs::exists(files.destination));
  }
}

TEST_CASE("help and tools.toml know the same methods and targets") {
  const char* root = std::getenv("IOBENCH_ROOT");
  REQUIRE(root != nullptr);
  const iobench::Toolbox toolbox = iobench::Toolbox::load(fs::path(root) / "data/tools.toml");
  const auto& words = toolbox.find("copy-files")->words;
  REQUIRE(words.size() == 2);
  CHECK((words.at("--method") == Words(std::begin(methods), std::end(methods))));
  CHECK((words.at("--target") == Words(std::begin(targets), std::end(targets))));
  const Scratch scratch;
  Sink sink("pipe", scratch);
  CHECK(run(command({"--help"}), {.in = -1, .out = sink.fd()}).status == 0);
  const std::string help = sink.collect();
  for (const auto& [option, values] : words) {
    CHECK(help.find("\n  " + option + " ") != std::string::npos);
    for (const std::string& value : values) CHECK(help.find(value) != std::string::npos);
  }
}

TEST_CASE("errors name the call and the file") {
  for (const std::string& method : methods)
    for (const std::string& target : targets) {
      INFO(method << " " << target);
      const Files files;
      const Words options = {"--method", method, "--target", target};
      const auto with = [&](const std::string& source, const std::string& destination) {
        Words all = options;
        all.insert(all.end(), {source, destination});
        return copy_files(all);
      };
      const std::string missing = files.scratch / "missing";
      const std::string folder = files.scratch / "folder";
      fs::create_directory(folder);
      check_failure(with(missing, files.destination), "open " + missing + ": No such file or directory");
      check_failure(with(folder, files.destination), "open " + folder + ": Is a directory");
      check_failure(with(files.source, missing + "/x"),
                    "create " + missing + "/x: No such file or directory");
      check_failure(with(files.source, folder), target == "new" ? "unlink " + folder + ": it is no regular file"
                                                                : "create " + folder + ": Is a directory");
      CHECK(fs::is_directory(folder));
      CHECK_FALSE(fs::exists(files.destination));
    }
}

TEST_CASE("source and destination are not the same file, by whatever names") {
  for (const std::string& target : targets) {
    const Files files;
    const std::string link = files.scratch / "link", hard = files.scratch / "hard";
    fs::create_symlink(files.source, link);
    fs::create_hard_link(files.source, hard);
    for (const std::string& destination : {files.source, link, hard}) {
      check_failure(copy_files({"--target", target, files.source, destination}),
                    files.source + " and " + destination + " are the same file");
      CHECK((iobench::read_file(files.source) == files.bytes));
      CHECK(fs::exists(destination));
    }
  }
}

TEST_CASE("no device is unlinked") {
  const Files files;
  const std::string fifo = files.scratch / "fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  check_failure(copy_files(Words{"--target", "new", files.source, fifo}), "unlink " + fifo + ": it is no regular file");
  CHECK(fs::is_fifo(fifo));
}

TEST_CASE("files that one may not read or write, as an ordinary user, whoever tests") {
  const Files files;
  const std::string program = files.scratch / "copy-files";
  fs::copy_file(tool_path("copy-files"), program);
  fs::permissions(files.scratch / ".", fs::perms::all);
  fs::permissions(program, fs::perms(0755));
  Words user;
  if (geteuid() == 0) {
    user = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
    Words probe = user;
    probe.insert(probe.end(), {program, "--version"});
    const iobench::Descriptor null = iobench::open_file("/dev/null", O_WRONLY);
    if (run(probe, {.in = -1, .out = null.get()}).status != 0) {
      std::cout << "SKIP: nobody cannot be become here\n";
      return;
    }
  }
  const auto as_user = [&](const std::string& target) {
    Words argv = user;
    argv.insert(argv.end(), {program, "--target", target, files.source, files.destination});
    return run(argv, {});
  };
  for (const std::string& target : targets) {
    fs::permissions(files.source, fs::perms::none);
    check_failure(as_user(target), "open " + files.source + ": Permission denied");
    CHECK_FALSE(fs::exists(files.destination));
  }
  fs::permissions(files.source, fs::perms(0444));
  files.scratch.write("destination", "kept");
  fs::permissions(files.destination, fs::perms(0444));
  check_failure(as_user("same"), "create " + files.destination + ": Permission denied");
  CHECK(iobench::read_file(files.destination) == "kept");
  fs::permissions(files.scratch / ".", fs::perms(0755));
  if (geteuid() == 0) {  // otherwise the folder is the user's, who may
    check_failure(as_user("new"), "unlink " + files.destination + ": Permission denied");
    CHECK(iobench::read_file(files.destination) == "kept");
  }
}

TEST_CASE("a full device") {
  const Files files;
  for (const std::string method : {"stdio", "readwrite"})
    check_failure(copy_files({"--method", method, files.source, "/dev/full"}), "write /dev/full: No space left on device");
}

TEST_CASE("a file system that is full") {
  const Scratch scratch;
  const fs::path mounted = scratch / "tmpfs";
  fs::create_directory(mounted);
  if (mount("tmpfs", mounted.c_str(), "tmpfs", 0, "size=64k") != 0) {
    std::cout << "SKIP: no file system may be mounted here\n";
    return;
  }
  const std::string source = scratch.write("source", some_bytes(200000));
  const std::string inside = mounted / "source";  // a file may grow beyond what copies of it find room for
  iobench::write_all(iobench::open_file(inside, O_WRONLY | O_CREAT).get(), some_bytes(40000).data(), 40000, inside);
  const std::string destination = mounted / "destination";
  for (const std::string& target : targets) {
    for (const std::string method : {"stdio", "readwrite"})
      check_failure(copy_files({"--method", method, "--target", target, source, destination}),
                    "write " + destination + ": No space left on device");
    check_failure(copy_files({"--method", "sendfile", "--target", target, source, destination}),
                  "sendfile " + source + " to " + destination + ": No space left on device");
    check_failure(copy_files({"--method", "copy-file-range", "--target", target, inside, destination}),
                  "copy_file_range " + inside + " to " + destination + ": No space left on device");
  }
  umount2(mounted.c_str(), MNT_DETACH);
}

TEST_CASE("the file size limit") {
  const Files files(some_bytes(100000));
  for (const bool ignore : {false, true}) {
    const Ended ended = run(command({files.source, files.destination}), {.ignore_file_limit = ignore, .file_limit_bytes = 50000});
    if (ignore)
      check_failure(ended, "write " + files.destination + ": File too large");
    else
      CHECK(ended.status == 128 + SIGXFSZ);
  }
}

TEST_CASE("a method that the kernel cannot serve: 77 at the first call, and no destination that was not there before") {
  if (!can_trace()) return;
  for (const std::string method : {"sendfile", "copy-file-range"}) {
    const std::string call = method == "sendfile" ? "sendfile" : "copy_file_range";
    for (const std::string error : {"EXDEV", "EINVAL", "ENOSYS", "EOPNOTSUPP"})
      for (const std::string& target : targets)
        for (const bool before : {false, true}) {
          INFO(method << " " << target << " " << error << (before ? ", a file was there" : ""));
          const Files files;
          if (before) files.scratch.write("destination", "old");
          const Words argv = command(files.words(method, target));
          const Ended first = run_traced(argv, {"-o", "/dev/null", "-e", "inject=" + call + ":error=" + error + ":when=1"}, {});
          CHECK(first.status == 77);
          CHECK(is_one_line_of("copy-files", first.err));
          CHECK(first.err.find(call + " " + files.source + " to " + files.destination + ": ") != std::string::npos);
          CHECK(fs::exists(files.destination) == (before && target == "same"));
          for (const std::string when : {"2", "3"}) {  // after something was moved; the first of the second copy
            const Ended later =
                run_traced(argv, {"-o", "/dev/null", "-e", "inject=" + call + ":error=" + error + ":when=" + when}, {});
            CHECK(later.status == 1);
            CHECK(is_one_line_of("copy-files", later.err));
            CHECK(fs::exists(files.destination));
          }
        }
    const Files files;
    const Ended failed = run_traced(command(files.words(method, "same")),
                                    {"-o", "/dev/null", "-e", "inject=" + call + ":error=EIO:when=1"}, {});
    check_failure(failed, call + " " + files.source + " to " + files.destination + ": Input/output error");
  }
}

TEST_CASE("the end of a file that a kernel only claims") {
  if (!can_trace()) return;
  for (const std::string method : {"sendfile", "copy-file-range"}) {
    const std::string call = method == "sendfile" ? "sendfile" : "copy_file_range";
    const Files files;
    for (const bool first : {true, false}) {
      const std::string injection = "inject=" + call + ":retval=0:when=" + (first ? "1" : "3");
      check_failure(run_traced(command(files.words(method, "new")), {"-o", "/dev/null", "-e", injection}, {}),
                    call + " " + files.source + " to " + files.destination +
                        ": reports the end of a file that has more to read",
                    first ? 77 : 1);
      CHECK(fs::exists(files.destination) == !first);
    }
  }
}

TEST_CASE("files whose size the kernel does not know") {
  const std::string version = iobench::read_file("/proc/version");
  for (const std::string& method : methods) {
    INFO(method);
    const Files files;
    const Ended ended = copy_files({"--method", method, "--count", "2", "/proc/version", files.destination});
    if (ended.status == 77) {
      CHECK((method == "sendfile" || method == "copy-file-range"));
      CHECK_FALSE(fs::exists(files.destination));
    } else {
      CHECK(ended.status == 0);
      CHECK(iobench::read_file(files.destination) == (method == "none" ? "" : version));
    }
  }
}

TEST_CASE("from one file system to another") {
  const Files files;
  const Scratch there("/dev/shm");
  const std::string destination = there / "destination";
  if (!differ(files.scratch / ".", there / ".")) {
    std::cout << "SKIP: /dev/shm is no file system of its own\n";
    return;
  }
  for (const std::string& method : methods) {
    INFO(method);
    fs::remove(destination);
    const Ended ended = copy_files({"--method", method, "--count", "2", files.source, destination});
    if (ended.status == 77) {
      CHECK(method == "copy-file-range");
      CHECK_FALSE(fs::exists(destination));
    } else {
      CHECK(ended.status == 0);
      CHECK((iobench::read_file(destination) == (method == "none" ? "" : files.bytes)));
    }
  }
}

TEST_CASE("interrupted calls go on") {
  if (!can_trace()) return;
  const std::string bytes = some_bytes(30000);
  struct Injection {
    const char* method;
    const char* call;
  };
  for (const Injection& injection : {Injection{"readwrite", "read"}, Injection{"readwrite", "write"}, Injection{"stdio", "read"},
                                     Injection{"sendfile", "sendfile"}, Injection{"copy-file-range", "copy_file_range"}})
    for (const std::string when : {"1", "2", "1+2"}) {
      const Files files(bytes);
      const std::string end = std::string(injection.call) == "write" ? files.destination : files.source;
      const Ended ended =
          run_traced(command(files.words(injection.method, "same")),
                     {"-o", "/dev/null", "-P", end, "-e", std::string("inject=") + injection.call + ":error=EINTR:when=" + when}, {});
      INFO(injection.method << " " << injection.call << " " << when << " " << ended.err);
      CHECK(ended.status == 0);
      CHECK((iobench::read_file(files.destination) == bytes));
    }
  const Files files(bytes);  // stdio has dropped its buffer by then
  check_failure(run_traced(command(files.words("stdio", "same")),
                           {"-o", "/dev/null", "-P", files.destination, "-e", "inject=write:error=EINTR:when=2"}, {}),
                "write " + files.destination + ": Interrupted system call");
}

TEST_CASE("every failing call counts, each close too") {
  if (!can_trace()) return;
  struct Fault {
    const char* call;
    bool of_source;
    const char* said;
  };
  for (const std::string& method : methods)
    for (const Fault& fault : {Fault{"close", true, "close "}, Fault{"close", false, "close "},
                               Fault{"read", true, "read "}, Fault{"write", false, "write "}}) {
      const bool copies = method == "stdio" || method == "readwrite";
      if (std::string(fault.call) != "close" && !copies) continue;
      const Files files;
      const std::string path = fault.of_source ? files.source : files.destination;
      INFO(method << " " << fault.call);
      check_failure(run_traced(command(files.words(method, "same")),
                               {"-o", "/dev/null", "-P", path, "-e", std::string("inject=") + fault.call + ":error=EIO:when=2"}, {}),
                    fault.said + path + ": Input/output error");
    }
}

#ifndef __SANITIZE_ADDRESS__
TEST_CASE("neither memory nor descriptors grow with the number of copies") {
  const Files files;
  for (const std::string& method : methods) {
    INFO(method);
    fs::remove(files.destination);
    Process process(command({"--method", method, "--target", "new", "--count", "1000000", files.source, files.destination}),
                    {.memory_limit_bytes = 16u << 20});
    CHECK(eventually([&] { return fs::exists(files.destination); }));
    sleep_s(0.3);
    CHECK(process.running());
    CHECK(process.peak_memory_bytes() < 4u << 20);
    const fs::path open = "/proc/" + std::to_string(process.pid()) + "/fd";
    CHECK(std::distance(fs::directory_iterator(open), fs::directory_iterator()) <= 5);
  }
}
#endif
