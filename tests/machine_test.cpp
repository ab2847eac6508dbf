// SPDX-License-Identifier: MIT
// machine.json is complete, valid whatever programs say, and says nothing personal.
#include "machine.h"

#include <unistd.h>

#include <cctype>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "digest.h"
#include "limit.h"
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

TEST_CASE("nothing personal") {
  const Scratch scratch;
  MachineOptions options{scratch / "corpus", scratch.path(), {scratch.script("tool", "echo 1.0")}, true};
  const std::string text = describe_machine(options);
  CHECK(text.find(scratch.path().string()) == std::string::npos);
  CHECK(text.find(scratch.path().parent_path().string()) == std::string::npos);
  CHECK(Json::parse(text)["host"] == "anonymous");
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

TEST_CASE("the memory-copy limit moves what it says") {
  const LimitMeasurement limit = measure_memory_copy((200u << 20) + 1);
  CHECK(limit.bytes == (200u << 20) + 1);
  // No memory moves 10 TB/s: a copy that was compiled away would seem to.
  CHECK(limit.seconds > static_cast<double>(limit.bytes) / 1e13);
  CHECK(measure_memory_copy(0).bytes == 0);
}
