// SPDX-License-Identifier: MIT
// machine.json is complete, valid whatever programs say, and says nothing personal.
#include "machine.h"

#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.h"
#include "cgroup.h"
#include "digest.h"
#include "facts.h"
#include "impersonal.h"
#include "scratch.h"

using namespace iobench;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

TEST_CASE("a description holds what a reader will ask for") {
  const Scratch scratch;
  const fs::path program = scratch.script("tool", "echo tool 0.1");
  const fs::path rude = scratch.script("rude", "printf '\\377\\376 \"quoted\"\\n'");
  MachineOptions options{scratch / "corpus/not/yet", scratch.path(), {program, rude, scratch / "absent"}, false};
  const std::string text = describe_machine(options);
  CHECK(text.back() == '\n');
  const Json machine = Json::parse(text);
  CHECK(machine["schema"] == "iobench machine 1");
  CHECK(machine["host"] == host_name());
  CHECK(machine["iobench"]["version"] == IOBENCH_VERSION);
  CHECK(machine["processor"]["processors"].get<long>() == ::sysconf(_SC_NPROCESSORS_ONLN));
  CHECK(machine["memory"]["total_bytes"].get<std::uint64_t>() == memory_bytes());
  CHECK(machine["memory"]["page_bytes"].get<long>() == ::sysconf(_SC_PAGESIZE));
  for (const char* key : {"release", "version", "architecture", "settings"}) CHECK(machine["kernel"].contains(key));
  for (const char* key : {"corpus_file_system", "results_file_system"}) {
    CHECK(machine[key]["type"] == mount_of(scratch.path()).type);
    CHECK(machine[key]["free_bytes"].get<std::uint64_t>() > 0);
  }
  for (const char* key : {"compiler", "c_library", "optimized"}) CHECK(machine["build"].contains(key));
  CHECK(machine.contains("time_utc"));
  CHECK(machine["load_average"].is_number());

  REQUIRE(machine["programs"].size() == 3);
  CHECK(machine["programs"][0]["name"] == "tool");
  CHECK(machine["programs"][0]["version"] == "tool 0.1");
  CHECK(machine["programs"][0]["size_bytes"].get<std::uint64_t>() == fs::file_size(program));
  CHECK(machine["programs"][0]["xxh3"] == digest_file(program).hex);
  CHECK(machine["programs"][1].contains("version"));
  CHECK(machine["programs"][2]["missing"] == true);
}

namespace {

// The key is there exactly when the kernel has something to say.
void told_when_known(const Json& object, const std::string& key, const fs::path& file) {
  INFO(file);
  if (!fact(file).empty()) CHECK(object.contains(key));
}

}  // namespace

TEST_CASE("what the kernel tells of this machine is there") {
  const Scratch scratch;
  const Json machine = Json::parse(describe_machine({scratch.path(), scratch.path(), {}, false}));
  const Json& processor = machine["processor"];
  const fs::path cpu = "/sys/devices/system/cpu";
  for (const char* key : {"model name", "cpu MHz", "microcode"})
    if (!cpuinfo(key).empty()) CHECK(processor.contains(key));
  if (!cpuinfo("flags").empty()) CHECK(processor.contains("features"));
  if (fs::exists(cpu / "cpu0/topology/core_id"))
    for (const char* key : {"cores", "packages", "dies", "threads_per_core", "sibling_processors"})
      CHECK(processor.contains(key));
  CHECK_FALSE(processor["allowed_processors"].get<std::string>().empty());
  if (fs::exists("/sys/devices/system/node/node0")) {
    CHECK(processor["numa"].size() == processor["numa_nodes"].get<std::size_t>());
    CHECK(processor["numa"][0]["memory_bytes"].get<std::uint64_t>() > 0);
  }
  if (fs::exists(cpu / "cpu0/cache/index0")) CHECK(processor["caches"][0].contains("size"));
  for (const char* key : {"scaling_governor", "scaling_driver", "scaling_min_freq", "scaling_max_freq",
                          "cpuinfo_min_freq", "cpuinfo_max_freq", "scaling_cur_freq"})
    told_when_known(processor, key, cpu / "cpu0/cpufreq" / key);
  told_when_known(processor, "smt", cpu / "smt/control");

  const Json& memory = machine["memory"];
  for (const char* key : {"swap_total_bytes", "swap_used_bytes", "huge_pages", "huge_pages_free"})
    CHECK(memory.contains(key));
  told_when_known(memory, "transparent_huge_pages", "/sys/kernel/mm/transparent_hugepage/enabled");
  told_when_known(memory, "transparent_huge_pages_shmem", "/sys/kernel/mm/transparent_hugepage/shmem_enabled");
  if (meminfo("SwapTotal") > 0) CHECK(memory["swaps"].size() > 0);

  const Json& kernel = machine["kernel"];
  CHECK(kernel.contains("command_line_words_left_out"));
  if (fs::exists(cpu / "vulnerabilities/meltdown")) CHECK(kernel["mitigations"].contains("meltdown"));
  told_when_known(kernel, "clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource");
  for (const char* key : {"vm/swappiness", "vm/dirty_ratio", "vm/dirty_background_ratio", "fs/pipe-max-size"})
    told_when_known(kernel["settings"], key, fs::path("/proc/sys") / key);

  const fs::path disk = block_device_of(scratch.path());
  for (const char* key : {"type", "options", "free_bytes", "size_bytes", "block_bytes"})
    CHECK(machine["corpus_file_system"].contains(key));
  if (!disk.empty()) {
    const Json& device = machine["corpus_file_system"]["device"];
    CHECK(device.contains("name"));
    for (const char* key :
         {"scheduler", "nr_requests", "read_ahead_kb", "rotational", "write_cache", "discard_max_bytes"})
      told_when_known(device, key, disk / "queue" / key);
  }
  for (const char* key : {"load_average", "load_average_5_minutes", "load_average_15_minutes"})
    CHECK(machine[key].is_number());
  CHECK((machine["cgroup"]["version"].is_string() || cgroup_version().empty()));
  const MemoryControlSearch search = find_memory_control();
  CHECK(machine["cgroup"]["memory"] == (search.control ? search.control->how : "none: " + search.obstacle));
  for (const char* key : {"flags", "c_library_built_with"}) CHECK(machine["build"].contains(key));
}

TEST_CASE("the flags are those that a tool was compiled with") {
  const Scratch scratch;
  const Json machine = Json::parse(describe_machine({scratch.path(), scratch.path(), {}, false}));
  const char* tools = std::getenv("IOBENCH_TOOLS");
  REQUIRE(tools);
  const fs::path commands = fs::path(tools).parent_path() / "compile_commands.json";
  std::string command;
  for (const Json& compiled : Json::parse(read_file(commands)))
    if (compiled["file"].get<std::string>().ends_with("tools/readwrite.cpp")) command = compiled["command"];
  std::istringstream flags(machine["build"]["flags"].get<std::string>());
  for (std::string flag; flags >> flag;) {
    INFO(flag);
    CHECK(has_word(command, flag));
  }
  // And none that changes the code is missing.
  std::istringstream words(command);
  for (std::string word; words >> word;) {
    const bool changes_code = word.starts_with("-O") || word.starts_with("-m") || word.starts_with("-flto") ||
                              word.starts_with("-fno-tree") || word.starts_with("-fsanitize=") || word == "-g";
    INFO(word);
    if (changes_code) CHECK(has_word(machine["build"]["flags"].get<std::string>(), word));
  }
}

TEST_CASE("of the kernel's command line, what changes speed") {
  const KernelParameters found = telling_parameters(
      "BOOT_IMAGE=/vmlinuz-6.1 root=UUID=1234 ro quiet ip=10.0.0.2::10.0.0.1:255.255.255.0:anna:eth0 mitigations=off "
      "isolcpus=1-3 nohz_full=1-3 intel_pstate=passive transparent-hugepage=never systemd.unified_cgroup_hierarchy=0 "
      "systemd.hostname=anna nvme.path=/home/anna mem=4G scsi_mod.x=\"a -- mitigations=auto nosmt");
  CHECK(found.telling ==
        "mitigations=off isolcpus=1-3 nohz_full=1-3 intel_pstate=passive transparent-hugepage=never "
        "systemd.unified_cgroup_hierarchy=0 mem=4G");
  CHECK(found.left_out == 11);
  CHECK(telling_parameters("").telling.empty());
  CHECK(telling_parameters("").left_out == 0);
}

TEST_CASE("of mount options, what a file system does with data") {
  CHECK(impersonal_options("rw,relatime,data=ordered,username=anna,addr=10.0.0.1,uid=1000,subvol=/home,domain=x") ==
        "rw,relatime,data=ordered");
  CHECK(impersonal_options("").empty());
}

TEST_CASE("a name is taken out where it is a word") {
  CHECK(without_name("6.1-anna, joanna, anna_x, anna", "anna") == "6.1-anonymous, joanna, anna_x, anonymous");
  CHECK(without_name("anna anna", "anna") == "anonymous anonymous");
  CHECK(without_name("an anonymous", "anonymous") == "an anonymous");
  CHECK(without_name("text", "") == "text");
}

TEST_CASE("nothing personal") {
  const Scratch scratch;
  MachineOptions options{
      scratch / "corpus", scratch.path(), {scratch.script("tool", "echo tool of $(uname -n) 1.0")}, true};
  const std::string text = describe_machine(options);
  CHECK(text.find(scratch.path().string()) == std::string::npos);
  CHECK(text.find(scratch.path().parent_path().string()) == std::string::npos);
  CHECK(Json::parse(text)["host"] == "anonymous");
  CHECK(Json::parse(text)["programs"][0]["version"] == "tool of anonymous 1.0");
  if (host_name() != "localhost" && host_name().size() > 3) CHECK(text.find(host_name()) == std::string::npos);
  const std::string name = host_name();
  CHECK_FALSE(name.empty());
  for (const char letter : name) CHECK((std::isalnum(static_cast<unsigned char>(letter)) || letter == '-'));
}

TEST_CASE("one line for reports") {
  const std::string summary = machine_summary(R"({"processor": {"model name": "AMD EPYC", "processors": 2},
      "memory": {"total_bytes": 25769803776}, "kernel": {"name": "Linux", "release": "6.18.5"},
      "virtualization": {"virtual_machine": "yes"},
      "corpus_file_system": {"type": "ext4", "device": {"name": "vda"}}})");
  CHECK(summary == "AMD EPYC, 2 processors, 24 GiB of memory, Linux 6.18.5, ext4 on vda, a virtual machine");
  CHECK(machine_summary(R"({"processor": {"processors": 1}, "memory": []})") == "1 processor");
  CHECK(machine_summary("{}") == "unknown machine");
  CHECK(machine_summary("[1]") == "unknown machine");
  CHECK(machine_summary("cut in the mid") == "unknown machine");
  const Scratch scratch;
  const std::string here = machine_summary(describe_machine({scratch.path(), scratch.path(), {}, true}));
  CHECK(here.find("Linux") != std::string::npos);
  CHECK(here.find("memory") != std::string::npos);
}
