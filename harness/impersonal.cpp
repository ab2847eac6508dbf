// SPDX-License-Identifier: MIT
// For the kernel's words a list of what is kept, since anything may stand there; for mount options, which are
// documented, a list of what is not.
#include "impersonal.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <string_view>

namespace iobench {

namespace {

constexpr std::string_view stand_in = "anonymous";

bool in_a_word(const std::string& text, std::size_t at) {
  return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
}

}  // namespace

KernelParameters telling_parameters(const std::string& command_line) {
  static constexpr std::array kinds = {
      // guards against the processor's leaks, and what is checked at each entry
      "mitigations", "nospectre", "spec", "l1tf", "mds", "tsx", "srbds", "retbleed", "pti", "nopti", "kpti",
      "gather_data", "mmio_stale", "reg_file", "tsa", "its", "indirect_target", "vmscape", "nosmap", "nosmep",
      "nokaslr", "kaslr", "vsyscall", "vdso", "random.", "lsm", "apparmor", "selinux", "audit", "init_on_",
      "page_poison", "slub", "slab", "kfence", "kasan", "debug_pagealloc", "randomize_kstack",
      // processors, clocks and scheduling
      "nosmt", "isolcpus", "nohz", "rcu", "maxcpus", "nr_cpus", "idle", "processor.", "cpuidle", "cpufreq", "intel_",
      "amd_", "preempt", "sched", "skew_tick", "highres", "threadirqs", "irqaffinity", "tsc", "clocksource", "hpet",
      "no_timer_check", "nowatchdog", "nmi_watchdog", "nosoftlockup", "workqueue", "psi", "pvm", "kvm",
      // memory and devices
      "transparent_hugepage", "hugepages", "default_hugepagesz", "hugetlb", "numa", "mem", "swap", "zswap", "lru_gen",
      "cgroup", "systemd.unified", "damon", "page_alloc", "page_reporting", "deferred_init", "swiotlb", "iommu",
      "elevator", "scsi_mod", "nvme_core", "nvme.", "virtio", "pcie_aspm", "threaded"};
  KernelParameters found;
  std::istringstream words(command_line);
  bool of_the_kernel = true;  // what follows "--" is for the first program
  for (std::string word; words >> word;) {
    of_the_kernel = of_the_kernel && word != "--";
    std::string key = word.substr(0, word.find('='));
    std::replace(key.begin(), key.end(), '-', '_');  // alike to the kernel
    const bool tells = of_the_kernel && word.find_first_of("/@\"") == std::string::npos &&
                       std::any_of(kinds.begin(), kinds.end(), [&](const char* kind) { return key.starts_with(kind); });
    if (tells)
      found.telling += (found.telling.empty() ? "" : " ") + word;
    else
      ++found.left_out;
  }
  return found;
}

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

std::string without_name(std::string text, const std::string& name) {
  if (name.empty()) return text;
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
    const bool whole = (at == 0 || !in_a_word(text, at - 1)) && !in_a_word(text, at + name.size());
    if (whole) text.replace(at, name.size(), stand_in);
    at += whole ? stand_in.size() : name.size();
  }
  return text;
}

}  // namespace iobench
