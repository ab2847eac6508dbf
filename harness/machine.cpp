// SPDX-License-Identifier: MIT
// One function for each chapter of machine.json. Values stay in the kernel's words and units, which the key names.
#include "machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gnu/libc-version.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "build_flags.h"
#include "cgroup.h"
#include "digest.h"
#include "facts.h"
#include "impersonal.h"
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

// "0-1" for "Cpus_allowed_list" of /proc/self/status.
std::string status_line(const std::string& name) {
  std::istringstream lines(read_file_or_empty("/proc/self/status"));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(name + ":\t")) return line.substr(name.size() + 2);
  return {};
}

// Sub-folders PREFIX0, PREFIX1, … in numerical order.
std::vector<fs::path> numbered(const fs::path& folder, const std::string& prefix) {
  std::map<unsigned, fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    unsigned number = 0;
    if (!name.starts_with(prefix)) continue;
    const auto [end, error] = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
    if (error == std::errc() && end == name.data() + name.size()) found[number] = entry.path();
  }
  std::vector<fs::path> paths;
  for (const auto& [number, path] : found) paths.push_back(path);
  return paths;
}

// The different values that the processors have of one fact, in the processors' order: "2400000, 3600000".
std::string of_all_processors(const fs::path& file) {
  std::vector<std::string> values;
  for (const fs::path& cpu : numbered("/sys/devices/system/cpu", "cpu"))
    if (const std::string value = fact(cpu / file);
        !value.empty() && std::find(values.begin(), values.end(), value) == values.end())
      values.push_back(value);
  return fmt::format("{}", fmt::join(values, ", "));
}

// Finds out how often SMT, packages and cores occur; processors that are offline have no topology.
Json topology() {
  std::set<std::string> packages, dies, cores;
  std::size_t processors = 0;
  for (const fs::path& cpu : numbered("/sys/devices/system/cpu", "cpu")) {
    const std::string package = fact(cpu / "topology/physical_package_id");
    if (package.empty()) continue;
    ++processors;
    packages.insert(package);
    dies.insert(package + ":" + fact(cpu / "topology/die_id"));
    cores.insert(package + ":" + fact(cpu / "topology/core_id"));
  }
  Json found;
  const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
  found["processors"] = online > 0 ? static_cast<std::size_t>(online) : processors;
  if (!cores.empty()) {
    found["cores"] = cores.size();
    found["packages"] = packages.size();
    found["dies"] = dies.size();
    found["threads_per_core"] = processors / cores.size();
    found["sibling_processors"] = of_all_processors("topology/thread_siblings_list");
  }
  found["allowed_processors"] = status_line("Cpus_allowed_list");  // lists, also when they hold one number
  add(found, "smt", fact("/sys/devices/system/cpu/smt/control"));
  return found;
}

Json numa_nodes() {
  Json found = Json::array();
  for (const fs::path& folder : numbered("/sys/devices/system/node", "node")) {
    Json node;
    node["processors"] = fact(folder / "cpulist");
    // "Node 0 MemTotal:       24684092 kB"
    std::istringstream lines(read_file_or_empty(folder / "meminfo"));
    for (std::string word, unit; lines >> word;)
      if (std::uint64_t kibibytes = 0; word == "MemTotal:" && lines >> kibibytes)
        add_bytes(node, "memory_bytes", kibibytes * 1024);
    found.push_back(node);
  }
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

// Of the many flags, those that decide how a library copies memory and what a system call or a clock costs.
std::string features() {
  static constexpr std::array telling = {"sse2",       "ssse3", "avx",    "avx2",      "avx512f",      "avx512vl",
                                         "erms",       "fsrm",  "fzrm",   "movdir64b", "rep_good",     "pcid",
                                         "invpcid",    "smap",  "rdtscp", "ibrs",      "constant_tsc", "nonstop_tsc",
                                         "hypervisor", "asimd", "sve",    "sve2",      "mops",         "v"};
  const std::string flags = cpuinfo("flags"), of_arm = cpuinfo("Features");
  std::string kept;
  for (const char* name : telling)
    if (has_word(flags, name) || has_word(of_arm, name)) kept += (kept.empty() ? "" : " ") + std::string(name);
  return kept;
}

Json processor() {
  Json found;
  for (const char* key : {"model name", "vendor_id", "cpu family", "model", "stepping", "microcode", "cpu MHz",
                          "cache size", "CPU implementer", "CPU part"})
    add(found, key, cpuinfo(key));
  add(found, "features", features());
  found.update(topology());
  if (Json list = numa_nodes(); !list.empty()) {
    found["numa_nodes"] = list.size();
    found["numa"] = list;
  }
  if (Json list = caches(); !list.empty()) found["caches"] = list;
  for (const char* key :
       {"scaling_driver", "scaling_governor", "scaling_min_freq", "scaling_max_freq", "cpuinfo_min_freq",
        "cpuinfo_max_freq", "base_frequency", "scaling_cur_freq", "energy_performance_preference"})
    add(found, key, of_all_processors(fs::path("cpufreq") / key));
  add(found, "boost", fact("/sys/devices/system/cpu/cpufreq/boost"));
  add(found, "no_turbo", fact("/sys/devices/system/cpu/intel_pstate/no_turbo"));
  add(found, "throttle_count", fact("/sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count"));
  add(found, "idle_driver", fact("/sys/devices/system/cpu/cpuidle/current_driver"));
  add(found, "idle_governor", fact("/sys/devices/system/cpu/cpuidle/current_governor"));
  add(found, "isolated", fact("/sys/devices/system/cpu/isolated"));
  return found;
}

// Kinds, sizes and use, without the names of partitions and files.
Json swaps() {
  Json found = Json::array();
  std::istringstream lines(read_file_or_empty("/proc/swaps"));
  std::string line;
  std::getline(lines, line);  // the heading
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string name, type;
    std::uint64_t size = 0, used = 0;
    long priority = 0;
    if (!(words >> name >> type >> size >> used >> priority)) continue;
    Json swap;
    swap["type"] = name.starts_with("/dev/zram") ? "zram" : type;
    swap["size_bytes"] = size * 1024;
    swap["used_bytes"] = used * 1024;
    swap["priority"] = priority;
    found.push_back(swap);
  }
  return found;
}

Json memory() {
  Json found;
  found["total_bytes"] = memory_bytes();
  found["page_bytes"] = ::sysconf(_SC_PAGESIZE);
  add_bytes(found, "available_bytes", meminfo("MemAvailable"));
  add_bytes(found, "limit_bytes", find_memory_control().limit_bytes);  // of a container or a service, say
  found["swap_total_bytes"] = meminfo("SwapTotal");
  found["swap_used_bytes"] = meminfo("SwapTotal") - meminfo("SwapFree");
  const fs::path transparent = "/sys/kernel/mm/transparent_hugepage";
  add(found, "transparent_huge_pages", bracketed(fact(transparent / "enabled")));
  add(found, "transparent_huge_pages_shmem", bracketed(fact(transparent / "shmem_enabled")));
  add(found, "transparent_huge_pages_defrag", bracketed(fact(transparent / "defrag")));
  add(found, "transparent_huge_pages_khugepaged", fact(transparent / "khugepaged/defrag"));
  if (Json list = swaps(); !list.empty()) found["swaps"] = list;
  found["huge_pages"] = meminfo("HugePages_Total");
  found["huge_pages_free"] = meminfo("HugePages_Free");
  add_bytes(found, "huge_page_bytes", meminfo("Hugepagesize"));
  add(found, "multigenerational_lru", fact("/sys/kernel/mm/lru_gen/enabled"));
  add(found, "zswap", fact("/sys/module/zswap/parameters/enabled"));
  add(found, "idle_pages_reclaimed", fact("/sys/module/damon_reclaim/parameters/enabled"));
  return found;
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
  const KernelParameters parameters = telling_parameters(fact("/proc/cmdline"));
  add(found, "command_line", parameters.telling);
  found["command_line_words_left_out"] = parameters.left_out;
  add(found, "clocksource", fact("/sys/devices/system/clocksource/clocksource0/current_clocksource"));
  Json mitigations;
  std::error_code ignored;
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator("/sys/devices/system/cpu/vulnerabilities", ignored))
    files.insert(entry.path());
  for (const fs::path& file : files) add(mitigations, file.filename().string(), fact(file));
  if (!mitigations.empty()) found["mitigations"] = mitigations;
  Json settings;
  for (const char* name_of : {"vm/swappiness",
                              "vm/dirty_ratio",
                              "vm/dirty_background_ratio",
                              "vm/dirty_bytes",
                              "vm/dirty_background_bytes",
                              "vm/dirty_expire_centisecs",
                              "vm/dirty_writeback_centisecs",
                              "vm/laptop_mode",
                              "vm/min_free_kbytes",
                              "vm/watermark_scale_factor",
                              "vm/vfs_cache_pressure",
                              "vm/overcommit_memory",
                              "vm/zone_reclaim_mode",
                              "fs/pipe-max-size",
                              "fs/pipe-user-pages-soft",
                              "net/core/rmem_max",
                              "net/core/wmem_max",
                              "net/core/default_qdisc",
                              "net/ipv4/tcp_rmem",
                              "net/ipv4/tcp_wmem",
                              "net/ipv4/tcp_congestion_control",
                              "kernel/numa_balancing",
                              "kernel/sched_autogroup_enabled",
                              "kernel/randomize_va_space",
                              "kernel/nmi_watchdog",
                              "kernel/io_uring_disabled"})
    add(settings, name_of, fact(fs::path("/proc/sys") / name_of));
  found["settings"] = settings;
  return found;
}

Json file_system(const fs::path& directory) {
  Json found;
  const Mount mount = mount_of(directory);
  add(found, "type", mount.type);
  add(found, "options", impersonal_options(mount.options));
  found["free_bytes"] = free_bytes(directory);
  struct statvfs status = {};
  if (::statvfs(existing_parent(directory).c_str(), &status) == 0) {
    found["size_bytes"] = static_cast<std::uint64_t>(status.f_blocks) * status.f_frsize;
    found["block_bytes"] = status.f_bsize;
  }
  Json device;
  for (const auto& [key, value] : device_facts(block_device_of(directory))) add(device, key, value);
  if (!device.empty()) found["device"] = device;
  return found;
}

Json virtualization() {
  Json found;
  add(found, "virtual_machine", virtual_machine());
  add(found, "system_vendor", fact("/sys/class/dmi/id/sys_vendor"));
  add(found, "system_product", fact("/sys/class/dmi/id/product_name"));
  std::error_code ignored;
  if (fs::exists("/.dockerenv", ignored)) found["container"] = "docker";
  if (fs::exists("/run/.containerenv", ignored)) found["container"] = "podman";
  add(found, "container", fact("/run/systemd/container"));
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
  std::string built_in;  // what the compiler adds by itself shows here only
#ifdef __SANITIZE_ADDRESS__
  built_in += " sanitize-address";
#endif
#ifdef NDEBUG
  built_in += " no-assertions";
#endif
#ifdef __PIE__
  built_in += " pie";
#endif
#ifdef __AVX2__
  built_in += " avx2";
#endif
#ifdef _FORTIFY_SOURCE
  built_in += " fortify-source";
#endif
  add(found, "built_in", built_in.empty() ? built_in : built_in.substr(1));
  add(found, "flags", IOBENCH_TOOL_FLAGS);
  add(found, "link_flags", IOBENCH_TOOL_LINK_FLAGS);
  found["c_library"] = fmt::format("glibc {}", ::gnu_get_libc_version());  // the one that runs
  found["c_library_built_with"] = fmt::format("glibc {}.{}", __GLIBC__, __GLIBC_MINOR__);
  return found;
}

// Revision of the checkout that this was built from, if that is still where it was.
Json revision() {
  Json found;
  found["version"] = IOBENCH_VERSION;
  std::error_code ignored;
  if (!fs::exists(source_root() / ".git", ignored)) return found;
  const auto git = [](std::initializer_list<std::string> words) {
    // Without taking the index' lock, which a run that is killed here would leave behind.
    std::vector<std::string> argv = {"git", "--no-optional-locks", "-C", source_root().string()};
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

// Over 1, 5 and 15 minutes.
void add_load(Json& machine) {
  std::istringstream words(fact("/proc/loadavg"));
  for (const char* key : {"load_average", "load_average_5_minutes", "load_average_15_minutes"})
    if (std::string average; words >> average) add(machine, key, average);
}

void hide(Json& value, const std::string& name) {
  if (value.is_structured())
    for (Json& inner : value) hide(inner, name);
  else if (value.is_string())
    value = without_name(value.get<std::string>(), name);
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
  const MemoryControlSearch search = find_memory_control();
  add(machine["cgroup"], "memory", search.control ? search.control->how : "none: " + search.obstacle);
  add_load(machine);
  machine["corpus_file_system"] = file_system(options.corpus_directory);
  machine["results_file_system"] = file_system(options.results_directory);
  machine["build"] = build();
  machine["programs"] = Json::array();
  for (const fs::path& path : options.programs) machine["programs"].push_back(program(path));
  if (options.anonymous) {
    struct utsname name = {};
    if (::uname(&name) == 0)
      for (const std::string& real : {std::string(name.nodename), host_name()})
        if (!real.empty()) hide(machine, real);
  }
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
