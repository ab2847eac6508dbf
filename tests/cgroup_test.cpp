// SPDX-License-Identifier: MIT
// Memory cgroups of made-up machines, whose kernel is FakeTree, and where there is one, of this machine.
#include "cgroup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>

#include "catch.h"
#include "corpus.h"
#include "environment.h"
#include "facts.h"
#include "message.h"
#include "regime.h"
#include "scratch.h"
#include "storage.h"
#include "stranger.h"
#include "system.h"

using namespace iobench;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t mebibyte = 1u << 20;

// Not replace_file, which waits for the disk.
void put(const fs::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

// A cgroup tree of one version in ordinary files, with the kernel's rules as far as they matter here.
class FakeTree : public CgroupTree {
 public:
  FakeTree(const Scratch& scratch, int version) : scratch_(scratch), version_(version) {}

  void make(const fs::path& group) override {
    log.push_back("make " + group.filename().string());
    if (!fs::create_directory(group)) throw Error("create the cgroup " + group.string() + ": File exists");
    fill(group, fact(group.parent_path() / "cgroup.subtree_control"));
  }
  void write(const fs::path& file, const std::string& text) override {
    log.push_back(fmt::format("{}/{} {}", file.parent_path().filename().string(), file.filename().string(), text));
    const std::string name = file.filename().string();
    if (!fs::exists(file)) refuse(file, ENOENT);
    if (file == refused) refuse(file, EIO);
    if (name == "cgroup.procs") return move(file.parent_path(), text);
    if (name == "cgroup.subtree_control") return hand_down(file, text);
    if (name == "memory.force_empty") return;
    put(file, std::to_string(file == lying ? std::stoull(text) + 4096 : std::stoull(text) / 4096 * 4096));
    const fs::path limit = file.parent_path() / "memory.limit_in_bytes";
    const fs::path both = file.parent_path() / "memory.memsw.limit_in_bytes";
    if (version_ == 1 && std::stoull(fact(limit)) > std::stoull(fact(both))) refuse(file, EINVAL);
  }
  int remove(const fs::path& group) override {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) continue;  // what was killed, when this test is its parent
    std::istringstream pids(fact(group / "cgroup.procs"));
    for (pid_t pid; pids >> pid;)
      if (::kill(pid, 0) == 0) return EBUSY;
    log.push_back("remove " + group.filename().string());
    fs::remove_all(group);
    return 0;
  }
  // A group with these processes and controllers, made before the test.
  fs::path given(const std::string& name, const std::string& controllers, const std::string& pids = {},
                 const std::string& handed_down = {}) {
    const fs::path group = scratch_ / (name.empty() ? "sys/fs/cgroup" : "sys/fs/cgroup/" + name);
    fs::create_directories(group);
    fill(group, controllers);
    put(group / "cgroup.procs", pids);
    if (version_ == 2) put(group / "cgroup.subtree_control", handed_down);
    return group;
  }

  std::vector<std::string> log;
  fs::path refused;  // a file that cannot be written
  fs::path lying;    // a limit that becomes another one

 private:
  [[noreturn]] static void refuse(const fs::path& file, int code) { throw_errno("write " + file.string(), code); }

  void fill(const fs::path& group, const std::string& controllers) const {
    put(group / "cgroup.procs", "");
    if (version_ == 1) {
      for (const char* name : {"memory.limit_in_bytes", "memory.memsw.limit_in_bytes"})
        put(group / name, "9223372036854771712\n");
      return put(group / "memory.force_empty", "");
    }
    put(group / "cgroup.type", "domain\n");
    put(group / "cgroup.controllers", controllers);
    put(group / "cgroup.subtree_control", "");
    if (has_word(controllers, "memory"))
      for (const char* name : {"memory.max", "memory.swap.max"}) put(group / name, "max\n");
  }
  void move(const fs::path& to, const std::string& pid) const {
    if (version_ == 2 && !fact(to / "cgroup.subtree_control").empty()) refuse(to / "cgroup.procs", EBUSY);
    for (const auto& entry : fs::recursive_directory_iterator(scratch_ / "sys/fs/cgroup")) {
      if (entry.path().filename() != "cgroup.procs") continue;
      std::istringstream before(read_file(entry.path()));
      std::string after = entry.path().parent_path() == to ? pid + "\n" : "";
      for (std::string one; before >> one;)
        if (one != pid) after += one + "\n";
      put(entry.path(), after);
    }
  }
  static void hand_down(const fs::path& file, const std::string& change) {
    if (change == "-memory") return put(file, "");
    if (!fact(file.parent_path() / "cgroup.procs").empty()) refuse(file, EBUSY);
    if (!has_word(fact(file.parent_path() / "cgroup.controllers"), "memory")) refuse(file, ENOENT);
    put(file, "memory");
  }

  const Scratch& scratch_;
  int version_;
};

// A machine with version 2: the top, a slice that a user owns, and our own scope in it.
struct Machine2 {
  explicit Machine2(const std::string& top_has = "cpu memory", const std::string& scope_has = "memory pids") {
    scratch.file("proc/self/mountinfo",
                 "27 1 254:0 / / rw - ext4 /dev/vda rw\n30 27 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    scratch.file("proc/self/cgroup", "0::/app.slice/run.scope\n");
    fs::create_directories(scratch / "run/systemd/system");
    top = tree.given("", top_has, "", top_has);
    fs::remove(top / "cgroup.type");  // only the kernel's own root has none
    slice = tree.given("app.slice", top_has, "", scope_has);
    scope = tree.given("app.slice/run.scope", scope_has, fmt::format("{}\n{}\n", ::getpid(), ::getppid()));
    for (const pid_t pid : {::getpid(), ::getppid()})
      scratch.file(fmt::format("proc/{}/stat", pid), read_file(fmt::format("/proc/{}/stat", pid)));
  }
  MemoryControlSearch search() const { return find_memory_control(scratch.path()); }
  // As in a container, and nothing above hands memory down: what is left is our own group.
  void keep_to_scope() const {
    put(top / "cgroup.type", "domain");
    put(top / "cgroup.subtree_control", "cpu");
    put(slice / "cgroup.subtree_control", "pids");
  }

  Scratch scratch;
  FakeTree tree{scratch, 2};
  fs::path top, slice, scope;
};

// A machine with version 1, and version 2 beside it without the controller, as systemd had it for years.
struct Machine1 {
  Machine1() {
    scratch.file("proc/self/mountinfo",
                 "34 30 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                 "40 30 0:37 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    scratch.file("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/mine\n0::/\n");
    scratch.file("sys/fs/cgroup/unified/cgroup.controllers", "hugetlb\n");
    scratch.file("sys/fs/cgroup/unified/cgroup.procs", "");
    top = tree.given("memory", "");
    own = tree.given("memory/mine", "");
  }
  MemoryControlSearch search() const { return find_memory_control(scratch.path()); }

  Scratch scratch;
  FakeTree tree{scratch, 1};
  fs::path top, own;
};

std::string told(const MemoryControlSearch& search) {
  if (search.control) return search.control->how + " in " + search.control->parent.filename().string();
  return search.obstacle + " -> " + search.remedy + (search.systemd_run_would_help ? " (systemd)" : "");
}

void asked(const std::optional<std::string>& answer, const std::string& expected) {
  if (answer) CHECK(*answer == expected);
}

bool mentions(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

// A process that waits to be killed; its number, and that of one that is no more.
pid_t sleeper() {
  const pid_t child = ::fork();
  if (child == 0) {
    ::execlp("sleep", "sleep", "1000", nullptr);
    ::_exit(1);
  }
  return child;
}
pid_t gone() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

}  // namespace

TEST_CASE("version 2: the nearest cgroup above that hands memory down, or our own when it holds only our kin") {
  Machine2 machine;
  // Root leaves a group that is in use alone if another will do.
  REQUIRE(machine.search().control);
  CHECK(machine.search().control->must_be_emptied == (::geteuid() != 0));
  CHECK(machine.search().control->parent == (::geteuid() == 0 ? machine.slice : machine.scope));
  machine.keep_to_scope();
  SECTION("ours alone") {
    REQUIRE(machine.search().control);
    CHECK(machine.search().control->parent == machine.scope);
    CHECK(machine.search().control->must_be_emptied);
  }
  SECTION("with our child, and another child of our parent") {
    const pid_t child = sleeper();
    constexpr pid_t sibling = 4194305;  // above the kernel's highest number
    machine.scratch.file(fmt::format("proc/{}/stat", child), read_file(fmt::format("/proc/{}/stat", child)));
    machine.scratch.file(fmt::format("proc/{}/stat", sibling), fmt::format("{} (a) b) S {} 1", sibling, ::getppid()));
    machine.tree.given("app.slice/run.scope", "memory",
                       fmt::format("{}\n{}\n{}\n{}\n", ::getppid(), ::getpid(), child, sibling));
    CHECK(machine.search().control);
    machine.tree.given("app.slice/run.scope", "memory", fmt::format("{}\n{}\n", ::getpid(), sibling));
    CHECK_FALSE(machine.search().control);  // its parent is elsewhere
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  SECTION("shared with a process that is no kin") {
    for (const char* stranger : {"4194305", "0"}) {  // 0: of another container
      machine.tree.given("app.slice/run.scope", "memory", fmt::format("{}\n{}\n", ::getpid(), stranger));
      put(machine.slice / "cgroup.subtree_control", "memory");
      REQUIRE(machine.search().control);
      CHECK(machine.search().control->parent == machine.slice);
      CHECK_FALSE(machine.search().control->must_be_emptied);
    }
  }
  SECTION("in the leaf that an earlier run of ours left") {
    machine.tree.given("app.slice/run.scope/iobench-1.self", "memory", std::to_string(::getpid()));
    machine.tree.given("app.slice/run.scope", "memory", "", "memory");
    machine.scratch.file("proc/self/cgroup", "0::/app.slice/run.scope/iobench-1.self\n");
    REQUIRE(machine.search().control);
    CHECK(machine.search().control->parent == machine.scope);
    CHECK_FALSE(machine.search().control->must_be_emptied);
  }
  SECTION("in the kernel's own root") {
    machine.scratch.file("proc/self/cgroup", "0::/\n");
    fs::remove(machine.top / "cgroup.type");
    REQUIRE(machine.search().control);
    CHECK(machine.search().control->parent == machine.top);
    CHECK_FALSE(machine.search().control->must_be_emptied);
  }
  SECTION("a mount that shows our part of the tree only") {
    machine.scratch.file("proc/self/mountinfo", "30 27 0:27 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    machine.scratch.file("proc/self/cgroup", "0::/docker/1/app.slice/run.scope\n");
    CHECK(machine.search().control->parent == machine.scope);
    machine.scratch.file("proc/self/cgroup", "0::/docker/2\n");
    CHECK(mentions(told(machine.search()), "cannot be seen from here"));
  }
}

TEST_CASE("version 2: what stands in the way", "[B115]") {
  SECTION("a kernel without the controller") {
    const Machine2 machine("cpu", "cpu");
    CHECK(mentions(told(machine.search()), "kernel has no memory controller"));
    CHECK_FALSE(machine.search().systemd_run_would_help);
  }
  SECTION("a container without it") {
    const Machine2 machine("cpu", "cpu");
    machine.scratch.file("sys/fs/cgroup/cgroup.type", "domain\n");
    CHECK(mentions(told(machine.search()), "in this container -> run outside the container"));
  }
  SECTION("not ours") {
    const Machine2 machine;
    asked(as_stranger(machine.scratch, [&] { return told(machine.search()); }),
          "version 2, not ours to divide -> systemd-run --user --scope -p Delegate=yes iobench run … (systemd)");
  }
  SECTION("not ours, and no systemd that could delegate") {
    const Machine2 machine;
    fs::remove_all(machine.scratch / "run");
    asked(as_stranger(machine.scratch, [&] { return told(machine.search()); }),
          "version 2, not ours to divide -> run as root");
  }
  SECTION("shared, and nothing above hands memory down") {
    Machine2 machine;
    machine.keep_to_scope();
    machine.tree.given("app.slice/run.scope", "memory", fmt::format("{}\n4194305\n", ::getpid()));
    CHECK_FALSE(machine.search().control);
    if (::geteuid() == 0) CHECK(mentions(told(machine.search()), "holds other processes too -> as root: systemd-run"));
  }
  SECTION("nothing to read") {
    const Scratch empty;
    CHECK_FALSE(find_memory_control(empty.path()).control);
    CHECK(mentions(told(find_memory_control(empty.path())), "mount /proc"));
  }
}

TEST_CASE("version 1 is used where it has the controller, also beside a version 2") {
  const Machine1 machine;
  REQUIRE(machine.search().control);
  CHECK(machine.search().control->version == 1);
  CHECK(machine.search().control->parent == machine.own);
  CHECK(machine.search().control->how == (::geteuid() == 0 ? "version 1, as root" : "version 1, delegated"));
  CHECK(machine.search().limit_bytes == 0);  // the largest number is no limit
  SECTION("not ours") {
    asked(as_stranger(machine.scratch, [&] { return told(machine.search()); }),
          "version 1, not ours to divide -> run as root");
  }
  SECTION("not mounted") {
    machine.scratch.file("proc/self/mountinfo", "40 30 0:37 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    CHECK(mentions(told(machine.search()), "version 1, our own cgroup cannot be seen"));
  }
}

TEST_CASE("a cgroup is emptied, hands memory down, and is as before at the end", "[B116]") {
  Machine2 machine;
  const MemoryControl control{2, machine.scope, "", true};
  const std::string before = read_file(machine.scope / "cgroup.procs");
  const std::string leaf = fmt::format("iobench-{}.self", ::getpid());
  SECTION("all goes well") {
    {
      const MemoryDelegation delegation(control, machine.tree);
      CHECK(fact(machine.scope / "cgroup.procs").empty());
      CHECK(has_word(fact(machine.scope / leaf / "cgroup.procs"), std::to_string(::getpid())));
      CHECK(has_word(fact(machine.scope / leaf / "cgroup.procs"), std::to_string(::getppid())));
      CHECK(fact(machine.scope / "cgroup.subtree_control") == "memory");
      const MemoryGroup group(control, 32 * mebibyte, machine.tree);
      CHECK(group.limit_bytes() == 32 * mebibyte);
      CHECK(group.killed() == 0);
      put(group.path() / "memory.events", "low 0\nhigh 0\nmax 5\noom 1\noom_kill 2\noom_group_kill 0\n");
      CHECK(group.killed() == 2);
    }
    CHECK(machine.tree.log.front() == "make " + leaf);
  }
  SECTION("the controller is refused") {
    machine.tree.refused = machine.scope / "cgroup.subtree_control";
    const std::string message = message_of([&] { const MemoryDelegation delegation(control, machine.tree); });
    CHECK(mentions(message,
                   "run.scope/cgroup.subtree_control: Input/output error; start iobench in a cgroup of its own"));
  }
  CHECK_FALSE(fs::exists(machine.scope / leaf));
  CHECK(fact(machine.scope / "cgroup.subtree_control").empty());
  CHECK(read_file(machine.scope / "cgroup.procs").size() == before.size());
}

TEST_CASE("a group that hands memory down already is left as it is") {
  Machine2 machine;
  const MemoryControl control{2, machine.slice, "", false};
  { const MemoryDelegation delegation(control, machine.tree); }
  CHECK(machine.tree.log.empty());
}

TEST_CASE("a limit is read back, whole pages, and without swap") {
  SECTION("version 2") {
    Machine2 machine;
    const MemoryControl control{2, machine.slice, "", false};
    fs::path made;
    {
      const MemoryGroup group(control, 32 * mebibyte + 5, machine.tree);
      made = group.path();
      CHECK(made.parent_path() == machine.slice);
      CHECK(made.filename().string().starts_with(fmt::format("iobench-{}.", ::getpid())));
      CHECK(group.limit_bytes() == 32 * mebibyte);
      CHECK(fact(made / "memory.swap.max") == "0");
      const MemoryGroup second(control, mebibyte, machine.tree);
      CHECK(second.path() != made);
    }
    CHECK_FALSE(fs::exists(made));
  }
  SECTION("version 1: memory before memory and swap") {
    Machine1 machine;
    const MemoryGroup group({1, machine.own, "", false}, 32 * mebibyte, machine.tree);
    CHECK(group.limit_bytes() == 32 * mebibyte);
    CHECK(fact(group.path() / "memory.memsw.limit_in_bytes") == std::to_string(32 * mebibyte));
  }
}

TEST_CASE("what is not limited is never said to be", "[B115]") {
  Machine2 machine;
  MemoryControl control{2, machine.slice, "", false};
  const std::string name = fmt::format("iobench-{}.", ::getpid());
  std::function<void()> limit = [&] { const MemoryGroup group(control, 32 * mebibyte, machine.tree); };
  SECTION("the limit reads back differently") {
    struct Liar : FakeTree {
      using FakeTree::FakeTree;
      void write(const fs::path& file, const std::string& text) override {
        lying = file;
        FakeTree::write(file, text);
      }
    } liar(machine.scratch, 2);
    limit = [&] { const MemoryGroup group(control, 32 * mebibyte, liar); };
    CHECK(mentions(message_of(limit), "reads back '33558528'; confined rows cannot be measured here"));
  }
  SECTION("the limit becomes a smaller one") {
    struct Miser : FakeTree {
      using FakeTree::FakeTree;
      void write(const fs::path& file, const std::string&) override { FakeTree::write(file, std::to_string(mebibyte)); }
    } miser(machine.scratch, 2);
    limit = [&] { const MemoryGroup group(control, 32 * mebibyte, miser); };
    CHECK(mentions(message_of(limit), "reads back '1048576'"));
  }
  SECTION("the limit is forgotten") {
    struct Forgetful : FakeTree {
      using FakeTree::FakeTree;
      void write(const fs::path&, const std::string&) override {}
    } forgetful(machine.scratch, 2);
    limit = [&] { const MemoryGroup group(control, 32 * mebibyte, forgetful); };
    CHECK(mentions(message_of(limit), "reads back 'max'"));
  }
  SECTION("the parent does not hand the controller down") {
    put(machine.slice / "cgroup.subtree_control", "pids");
    CHECK(mentions(message_of(limit), "memory.max: No such file or directory"));
  }
  SECTION("there is a lower limit above") {
    put(machine.slice / "memory.max", "16777216\n");
    CHECK(machine.search().limit_bytes == 16 * mebibyte);
    CHECK(mentions(message_of(limit), "app.slice, or a cgroup above it, allows 16777216 already"));
  }
  SECTION("no group can be made") {
    control.parent = machine.slice / "none";
    CHECK(mentions(message_of([&] { const MemoryGroup group(control, mebibyte); }),
                   "No such file or directory; run as root"));
  }
  for (const auto& entry : fs::directory_iterator(machine.slice))
    CHECK_FALSE(entry.path().filename().string().starts_with(name));
}

TEST_CASE("what a command leaves running in its group is killed") {
  Machine2 machine;
  const pid_t left = sleeper();
  {
    const MemoryGroup group({2, machine.slice, "", false}, mebibyte, machine.tree);
    machine.tree.write(group.path() / "cgroup.procs", std::to_string(left));
  }
  CHECK(::kill(left, 0) != 0);
}

TEST_CASE("groups of runs that are no more are removed, those of others are not", "[B116]") {
  Machine2 machine;
  const pid_t dead = gone(), left = sleeper(), bystander = sleeper();
  const auto give = [&](const std::string& name, const std::string& pids = {}) {
    return machine.tree.given("app.slice/" + name, "memory", pids);
  };
  const fs::path stale = give(fmt::format("iobench-{}.7", dead), fmt::format("{}\n", left));
  const fs::path leaf = give(fmt::format("iobench-{}.self", dead));
  const std::string alive = fmt::format("{}\n", bystander);
  const std::vector<fs::path> kept = {
      give(fmt::format("iobench-{}.0", ::getpid()), alive),
      give("iobench-run.1", alive),
      give("iobench-1", alive),
      give("iobench-1.2", alive),
      give(fmt::format("other-{}.1", dead), alive),
      give(fmt::format("iobench-{}.8", dead), "0\n" + alive)};  // 0: of another container
  const MemoryControl control{2, machine.slice, "", false};
  CHECK(remove_stale_groups(control, machine.tree) == 2);
  CHECK_FALSE(fs::exists(stale));
  CHECK_FALSE(fs::exists(leaf));
  CHECK(::kill(left, 0) != 0);
  for (const fs::path& group : kept) {
    INFO(group);
    CHECK(fs::exists(group));
  }
  const fs::path inhabited = give(fmt::format("iobench-{}.self", dead), alive);
  CHECK(remove_stale_groups(control, machine.tree) == 0);
  CHECK(fs::exists(inhabited));
  CHECK(remove_stale_groups({2, machine.slice / "none", "", false}, machine.tree) == 0);
  CHECK(::waitpid(bystander, nullptr, WNOHANG) == 0);  // nobody has killed it
  ::kill(bystander, SIGKILL);
  ::waitpid(bystander, nullptr, 0);
}

TEST_CASE("a user's systemd is asked once, when it would help", "[B115]") {
  MemoryControlSearch search;
  search.systemd_run_would_help = true;
  UserManager manager{"/usr/bin/systemd-run", true, false};
  const std::vector<std::string> command = delegating_command(search, manager, {"/opt/iobench", "run", "a b"});
  std::string joined;
  for (const std::string& word : command) joined += word + "|";
  CHECK(joined ==
        "systemd-run|--user|--scope|--quiet|-p|Delegate=yes|--setenv=IOBENCH_DELEGATED=1|--|/opt/iobench|run|a b|");
  SECTION("tried") {
    manager.tried = true;
  }
  SECTION("silent") {
    manager.answers = false;
  }
  SECTION("not installed") {
    manager.systemd_run.clear();
  }
  SECTION("no help") {
    search.systemd_run_would_help = false;
  }
  SECTION("not needed") {
    search.control = MemoryControl{};
  }
  const bool spoilt = manager.tried || !manager.answers || manager.systemd_run.empty() ||
                      !search.systemd_run_would_help || search.control;
  CHECK(delegating_command(search, manager, {"iobench"}).empty() == spoilt);
}

TEST_CASE("a user's systemd answers when it has made a scope") {
  const Scratch scratch;
  Environment environment;
  environment.set("PATH", (scratch / "bin").string() + ":/usr/bin:/bin");
  environment.set("XDG_RUNTIME_DIR", (scratch / "run").string());
  scratch.script("bin/systemd-run", "echo \"$@\" >" + (scratch / "log").string());
  CHECK_FALSE(find_user_manager().answers);  // no socket: not even asked
  CHECK_FALSE(fs::exists(scratch / "log"));
  scratch.file("run/bus", "");
  CHECK(find_user_manager().answers);
  CHECK(mentions(read_file(scratch / "log"), "--scope --quiet -p Delegate=yes"));
  scratch.script("bin/systemd-run", "exit 1");
  CHECK_FALSE(find_user_manager().answers);
  environment.set("IOBENCH_DELEGATED", "1");
  CHECK(find_user_manager().tried);
}

TEST_CASE("here: a command in a group of 32 MiB reads 64 MiB, and its cached pages are the group's", "[B118]") {
  const MemoryControlSearch search = find_memory_control();
  if (!search.control) {
    WARN("skipped: no memory cgroup here: " << search.obstacle);
    return;
  }
  const MemoryDelegation delegation(*search.control);
  remove_stale_groups(*search.control);
  const Scratch scratch;
  const fs::path input = scratch / "input";
  generate_corpus(input, 1, 64 * mebibyte);
  if (in_memory(mount_of(input))) {
    WARN("skipped: the file of this test is in memory itself");
    return;
  }
  apply_regime(Cache::cold, input);
  const pid_t left = sleeper();
  fs::path made;
  {
    const MemoryGroup group(*search.control, 32 * mebibyte + 5);
    made = group.path();
    CHECK(group.limit_bytes() == 32 * mebibyte);
    const fs::path tools = std::getenv("IOBENCH_TOOLS");
    const Finished run = run_command({(tools / "plumb").string(), "--cgroup", made.string(), input.string(), "null",
                                      (tools / "readwrite").string(), "-b", "64K"});
    INFO(run.err);
    CHECK(run.status == 0);
    const std::string stat = read_file(made / "memory.stat");
    const std::string key = search.control->version == 1 ? "cache " : "file ";
    const std::size_t at = stat.rfind(key, 0) == 0 ? 0 : stat.find("\n" + key) + 1;
    const auto cached = std::strtoull(stat.c_str() + at + key.size(), nullptr, 10);
    CHECK(cached > 8 * mebibyte);
    CHECK(cached <= 32 * mebibyte);
    const Residency seen = residency(input);
    if (seen.known) CHECK(seen.resident_fraction <= 0.5);
    const Descriptor members = open_file(made / "cgroup.procs", O_WRONLY);
    const std::string pid = std::to_string(left);
    write_all(members.get(), pid.data(), pid.size(), made);
  }
  CHECK_FALSE(fs::exists(made));
  CHECK(::waitpid(left, nullptr, WNOHANG) == left);  // killed with its group
}

TEST_CASE("here: what a killed run left is removed", "[B116]") {
  const MemoryControlSearch search = find_memory_control();
  if (!search.control) {
    WARN("skipped: no memory cgroup here: " << search.obstacle);
    return;
  }
  const MemoryDelegation delegation(*search.control);
  const pid_t run = ::fork();
  if (run == 0) {
    new MemoryGroup(*search.control, mebibyte);
    ::_exit(0);  // no destructor
  }
  ::waitpid(run, nullptr, 0);
  CHECK(remove_stale_groups(*search.control) == 1);
  CHECK(remove_stale_groups(*search.control) == 0);
}
