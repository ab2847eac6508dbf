// SPDX-License-Identifier: MIT
// What of a machine's texts may be told to everybody: the part that changes a measurement, without names, places and
// addresses. Pure.
#pragma once

#include <cstddef>
#include <string>

namespace iobench {

// Of the kernel's command line, the words whose key is of a kind that changes speed, less those that hold a path or an
// address; all others (devices, addresses, names, what the first program is told) are only counted.
struct KernelParameters {
  std::string telling;
  std::size_t left_out = 0;
};
KernelParameters telling_parameters(const std::string& command_line);

// Mount options, comma separated, less those that carry a path, a name or an address.
std::string impersonal_options(const std::string& options);

// `name` replaced by "anonymous" where it stands as a word: kernels, file systems and programs may have been called
// after their machine.
std::string without_name(std::string text, const std::string& name);

}  // namespace iobench
