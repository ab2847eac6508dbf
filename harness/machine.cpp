// SPDX-License-Identifier: MIT
// One function for each chapter of machine.json. Values stay in the kernel's words and units, which the key names.
#include "machine.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <ctime>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "digest.h"
#include "facts.h"
#include "programs.h"
#include "system.h"
#include "units.h"

namespace iobench {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

// Adds a fact that is there; what is written as a decimal number becomes one.
void add(Json& object, const std::string& key, const std::string& value) {
  const bool number = !value.empty() && value.size() < 16 && value.front() != '.' && value.back() != '.' &&
                      value.find_first_not_of("0123456789.") == std::string::npos &&
                      value.find('.') == value.rfind('.');
  if (number && value.find('.') == std::string::npos)
    object[key] = parse_size(value);
  else if (number)
    object[key] = parse_number(value);
  else if (!value.empty())
    object[key] = value;
}

void add_bytes(Json& object, const std::string& key, std::uint64_t bytes) {
  if (bytes > 0) object[key] = bytes;
}

// Sub-folders PREFIX0, PREFIX1, … in numerical order.
std::vector<fs::path> numbered(const fs::path& folder, const std::string& prefix) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (int i = 0; i < 4096; ++i) {
    const fs::path path = folder / (prefix + std::to_string(i));
    if (fs::exists(path, ignored)) found.push_back(path);
  }
  return found;
}

// Finds out how often SMT, packages and cores occur; processors that are offline have no topology.
Json topology() {
  std::set<std::string> packages, cores;
  std::size_t processors = 0;
  for (const fs::path& cpu : numbered("/sys/devices/system/cpu", "cpu")) {
    const std::string package = fact(cpu / "topology/physical_package_id");
    if (package.empty()) continue;
    ++processors;
    packages.insert(package);
    cores.insert(package + ":" + fact(cpu / "topology/core_id"));
  }
  Json found;
  const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
  found["processors"] = online > 0 ? static_cast<std::size_t>(online) : processors;
  if (!cores.empty()) {
    found["cores"] = cores.size();
    found["packages"] = packages.size();
    found["threads_per_core"] = processors / cores.size();
  }
  const std::size_t nodes = numbered("/sys/devices/system/node", "node").size();
  if (nodes > 0) found["numa_nodes"] = nodes;
  add(found, "smt", fact("/sys/devices/system/cpu/smt/control"));
  return found;
}

Json caches() {
  Json found = Json::array();
  for (const fs::path& index : numbered("/sys/devices/system/cpu/cpu0/cache", "index")) {
    Json cache;
    for (const char* key : {"level", "type", "size", "coherency_line_size"}) add(cache, key, fact(index / key));
    cache["shared_cpu_list"] = fact(index / "shared_cpu_list");  // a list, also when it holds one number
    found.push_back(cache);
  }
  return found;
}

Json processor() {
  Json found;
  for (const char* key : {"model name", "vendor_id", "cpu family", "model", "stepping", "microcode", "cpu MHz"})
    add(found, key, cpuinfo(key));
  found.update(topology());
  if (Json list = caches(); !list.empty()) found["caches"] = list;
  const fs::path frequency = "/sys/devices/system/cpu/cpu0/cpufreq";
  for (const char* key : {"scaling_governor", "scaling_driver", "scaling_min_freq", "scaling_max_freq",
                          "cpuinfo_max_freq", "energy_performance_preference"})
    add(found, key, fact(frequency / key));
  add(found, "boost", fact("/sys/devices/system/cpu/cpufreq/boost"));
  add(found, "no_turbo", fact("/sys/devices/system/cpu/intel_pstate/no_turbo"));
  add(found, "idle_driver", fact("/sys/devices/system/cpu/cpuidle/current_driver"));
  add(found, "isolated", fact("/sys/devices/system/cpu/isolated"));
  return found;
}

Json memory() {
  Json found;
  found["total_bytes"] = memory_bytes();
  found["page_bytes"] = ::sysconf(_SC_PAGESIZE);
  add_bytes(found, "available_bytes", meminfo("MemAvailable"));
  found["swap_total_bytes"] = meminfo("SwapTotal");
  found["swap_used_bytes"] = meminfo("SwapTotal") - meminfo("SwapFree");
  const fs::path transparent = "/sys/kernel/mm/transparent_hugepage";
  add(found, "transparent_huge_pages", bracketed(fact(transparent / "enabled")));
  add(found, "transparent_huge_pages_shmem", bracketed(fact(transparent / "shmem_enabled")));
  add(found, "transparent_huge_pages_defrag", bracketed(fact(transparent / "defrag")));
  found["huge_pages"] = meminfo("HugePages_Total");
  add_bytes(found, "huge_page_bytes", meminfo("Hugepagesize"));
  add(found, "multigenerational_lru", fact("/sys/kernel/mm/lru_gen/enabled"));
  add(found, "zswap", fact("/sys/module/zswap/parameters/enabled"));
  return found;
}

// Parameters that name devices, addresses or programs of this installation, and what the first program was told, say
// nothing about speed and may be personal.
std::string command_line() {
  static constexpr std::array left_out = {"root=",    "resume=",  "cryptdevice=", "rd.",         "ip=",
                                          "init=",    "rdinit=",  "initrd=",      "BOOT_IMAGE=", "luks",
                                          "nfsroot=", "systemd.", "hostname=",    "ostree="};
  std::istringstream words(fact("/proc/cmdline"));
  std::string kept;
  for (std::string word; words >> word && word != "--";) {
    bool personal = false;
    for (const char* prefix : left_out) personal = personal || word.starts_with(prefix);
    if (!personal) kept += (kept.empty() ? "" : " ") + word;
  }
  return kept;
}

Json kernel() {
  Json found;
  struct utsname name = {};
  if (::uname(&name) == 0) {
    found["name"] = name.sysname;
    found["release"] = name.release;
    found["version"] = name.version;
    found["architecture"] = name.machine;
  }
  add(found, "command_line", command_line());
  add(found, "clocksource", fact("/sys/devices/system/clocksource/clocksource0/current_clocksource"));
  Json mitigations;
  std::error_code ignored;
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator("/sys/devices/system/cpu/vulnerabilities", ignored))
    files.insert(entry.path());
  for (const fs::path& file : files) add(mitigations, file.filename().string(), fact(file));
  if (!mitigations.empty()) found["mitigations"] = mitigations;
  Json settings;
  for (const char* name_of : {"vm/swappiness", "vm/dirty_ratio", "vm/dirty_background_ratio", "vm/dirty_bytes",
                              "vm/dirty_background_bytes", "vm/dirty_expire_centisecs", "fs/pipe-max-size",
                              "fs/pipe-user-pages-soft", "net/core/rmem_max", "net/core/wmem_max", "net/ipv4/tcp_rmem",
                              "net/ipv4/tcp_wmem", "net/ipv4/tcp_congestion_control", "kernel/numa_balancing"})
    add(settings, name_of, fact(fs::path("/proc/sys") / name_of));
  found["settings"] = settings;
  return found;
}

// Options that carry a path, a name or an address are left out; what a file system does with data stays.
std::string impersonal_options(const std::string& options) {
  std::istringstream all(options);
  std::string kept;
  for (std::string option; std::getline(all, option, ',');) {
    const std::string key = option.substr(0, option.find('='));
    const bool personal = option.find('/') != std::string::npos || key.find("user") != std::string::npos ||
                          key.find("addr") != std::string::npos || key.find("uid") != std::string::npos ||
                          key.find("gid") != std::string::npos || key == "domain" || key == "password" || key == "cred";
    if (!personal) kept += (kept.empty() ? "" : ",") + option;
  }
  return kept;
}

Json file_system(const fs::path& directory) {
  Json found;
  const Mount mount = mount_of(directory);
  add(found, "type", mount.type);
  add(found, "options", impersonal_options(mount.options));
  found["free_bytes"] = free_bytes(directory);
  Json device;
  for (const auto& [key, value] : device_facts(block_device_of(directory))) add(device, key, value);
  if (!device.empty()) found["device"] = device;
  return found;
}

Json virtualization() {
  Json found;
  add(found, "virtual_machine", virtual_machine());
  std::error_code ignored;
  if (fs::exists("/.dockerenv", ignored)) found["container"] = "docker";
  if (fs::exists("/run/.containerenv", ignored)) found["container"] = "podman";
  if (fs::exists("/sys/bus/virtio/drivers/virtio_balloon", ignored)) found["balloon_driver"] = true;
  add(found, "free_page_reporting_order", fact("/sys/module/page_reporting/parameters/page_reporting_order"));
  return found;
}

Json build() {
  Json found;
#ifdef __clang__
  found["compiler"] = "Clang " __clang_version__;
#else
  found["compiler"] = "GCC " __VERSION__;
#endif
  found["language"] = __cplusplus;
#ifdef __OPTIMIZE__
  found["optimized"] = true;
#else
  found["optimized"] = false;
#endif
  std::string flags;
#ifdef __SANITIZE_ADDRESS__
  flags += " sanitize-address";
#endif
#ifdef NDEBUG
  flags += " no-assertions";
#endif
#ifdef __PIE__
  flags += " pie";
#endif
#ifdef __AVX2__
  flags += " avx2";
#endif
#ifdef _FORTIFY_SOURCE
  flags += " fortify-source";
#endif
  add(found, "flags", flags.empty() ? flags : flags.substr(1));
  found["c_library"] = fmt::format("glibc {}", ::gnu_get_libc_version());
  return found;
}

// Revision of the checkout that this was built from, if that is still where it was.
Json revision() {
  Json found;
  found["version"] = IOBENCH_VERSION;
  std::error_code ignored;
  if (!fs::exists(source_root() / ".git", ignored)) return found;
  const auto git = [](std::initializer_list<std::string> words) {
    std::vector<std::string> argv = {"git", "-C", source_root().string()};
    argv.insert(argv.end(), words);
    SpawnOptions options;
    options.timeout_s = 10;
    return run_command(argv, options);
  };
  try {
    const Finished head = git({"rev-parse", "HEAD"});
    if (head.status != 0) return found;
    found["revision"] = head.out.substr(0, head.out.find('\n'));
    const Finished changes = git({"status", "--porcelain", "--untracked-files=no"});
    if (changes.status == 0) found["modified"] = !changes.out.empty();
  } catch (const Error&) {
    // No git here: the version has to do.
  }
  return found;
}

Json program(const fs::path& path) {
  Json found;
  found["name"] = path.filename().string();
  try {
    const FileDigest digest = digest_file(path);
    found["size_bytes"] = digest.size_bytes;
    found["xxh3"] = digest.hex;
  } catch (const Error&) {
    found["missing"] = true;
    return found;
  }
  add(found, "version", version_line(path));
  return found;
}

std::string time_utc() {
  const std::time_t now = static_cast<std::time_t>(unix_time_s());
  struct tm parts = {};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string operating_system() {
  std::istringstream lines(read_file_or_empty("/etc/os-release"));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("PRETTY_NAME=")) {
      std::string name = line.substr(12);
      std::erase(name, '"');
      return name;
    }
  return {};
}

}  // namespace

std::string describe_machine(const MachineOptions& options) {
  Json machine;
  machine["schema"] = "iobench machine 1";
  machine["host"] = host_name(options.anonymous);
  machine["time_utc"] = time_utc();
  machine["iobench"] = revision();
  machine["processor"] = processor();
  machine["memory"] = memory();
  add(machine, "operating_system", operating_system());
  machine["kernel"] = kernel();
  if (Json found = virtualization(); !found.empty()) machine["virtualization"] = found;
  add(machine["cgroup"], "version", cgroup_version());
  add(machine, "load_average", fact("/proc/loadavg").substr(0, fact("/proc/loadavg").find(' ')));
  machine["corpus_file_system"] = file_system(options.corpus_directory);
  machine["results_file_system"] = file_system(options.results_directory);
  machine["build"] = build();
  machine["programs"] = Json::array();
  for (const fs::path& path : options.programs) machine["programs"].push_back(program(path));
  return machine.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string host_name(bool anonymous) {
  if (anonymous) return "anonymous";
  char text[256] = {};
  if (::gethostname(text, sizeof text - 1) != 0) return "host";
  std::string name(text);
  name.resize(std::min(name.size(), name.find('.')));
  for (char& letter : name)
    if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '-';
  return name.empty() ? "host" : name;
}

std::uint64_t memory_bytes() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::string machine_change(const std::string& before_json, const std::string& now_json) {
  const Json before = Json::parse(before_json, nullptr, false), now = Json::parse(now_json, nullptr, false);
  if (!before.is_object()) return "machine.json is not what iobench writes";
  const auto at = [](const Json& json, const char* pointer) {
    const Json::json_pointer where(pointer);
    return json.contains(where) ? json[where] : Json();
  };
  for (const auto& [pointer, what] : {std::pair{"/processor/model name", "the processor"},
                                      {"/processor/processors", "the number of processors"},
                                      {"/kernel/release", "the kernel"},
                                      {"/kernel/version", "the kernel's build"},
                                      {"/corpus_file_system/type", "the corpus' file system"}})
    if (at(before, pointer) != at(now, pointer)) return std::string(what) + " is another one than before";
  for (const Json& program : now["programs"])
    for (const Json& known : at(before, "/programs"))
      if (known.value("name", "") == program.value("name", "") && known.value("xxh3", "") != program.value("xxh3", ""))
        return fmt::format("{} is another program than before", program.value("name", ""));
  return {};
}

std::string machine_summary(const std::string& machine_json) {
  const Json machine = Json::parse(machine_json, nullptr, false);
  if (!machine.is_object()) return "unknown machine";
  const auto text = [&](const char* pointer) {
    const Json::json_pointer at(pointer);
    return machine.contains(at) && machine[at].is_string() ? machine[at].get<std::string>() : std::string();
  };
  const auto number = [&](const char* pointer) {
    const Json::json_pointer at(pointer);
    return machine.contains(at) && machine[at].is_number_unsigned() ? machine[at].get<std::uint64_t>() : 0;
  };
  std::vector<std::string> parts;
  const auto say = [&](bool known, const std::string& words) {
    if (known) parts.push_back(words);
  };
  const std::uint64_t processors = number("/processor/processors"), bytes = number("/memory/total_bytes");
  say(!text("/processor/model name").empty(), text("/processor/model name"));
  say(processors > 0, fmt::format("{} processor{}", processors, processors == 1 ? "" : "s"));
  say(bytes > 0, fmt::format("{} of memory", format_size(bytes)));
  say(!text("/kernel/release").empty(), fmt::format("{} {}", text("/kernel/name"), text("/kernel/release")));
  const std::string device = text("/corpus_file_system/device/name");
  say(!text("/corpus_file_system/type").empty(),
      text("/corpus_file_system/type") + (device.empty() ? "" : " on " + device));
  say(!text("/virtualization/virtual_machine").empty(), "a virtual machine");
  std::string line;
  for (const std::string& part : parts) line += (line.empty() ? "" : ", ") + part;
  return line.empty() ? "unknown machine" : line;
}

}  // namespace iobench
