// SPDX-License-Identifier: MIT
// Parses and prints sizes, seconds, rates and ratios. Everything else in the harness holds decimal seconds and integer
// bytes; only this module knows how a person writes them. Always a decimal point, whatever the locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace iobench {

// "512", "64K", "64KiB", "1M", "4GiB", "10T": powers of 1024. Throws Error saying what is wrong ("size '64k'…"),
// with status 2 (usage), also when the value does not fit in 63 bits.
std::uint64_t parse_size(std::string_view text);
// "100 Mbit/s", "1 Gbit/s", "64 kbit/s": bits a second, powers of 1000, as networks count. Throws Error.
std::uint64_t parse_bit_rate(std::string_view text);
// Decimal number with a point, exponent allowed, whole text; throws Error. Never looks at the locale.
double parse_number(std::string_view text);

// "64 KiB", "1 GiB", "1.5 GiB", "38,123 bytes"; "1.00 GiB", with zeros, says about.
std::string format_size(std::uint64_t bytes);
std::string format_short_size(std::uint64_t bytes);  // as on a command line: "64K", "1G", "38123"
std::string format_count(std::uint64_t count);       // "1,048,576"
std::string format_seconds(double seconds);          // "81.3 ms", "6.42 s", "412 µs": three significant digits
std::string format_duration(double seconds);         // for people waiting: "0:42", "5:07", "1:02:30"
std::string format_rate(double bytes_per_s);         // "4.21 GB/s", powers of 1000
std::string format_bit_rate(std::uint64_t bits_per_s);  // "100 Mbit/s"
std::string format_ratio(double ratio);              // "1.037", "23.4", "0.0512"
std::string format_percent(double fraction);         // 0.984 -> "98.4 %"
std::string format_fixed(double value, int digits);  // like %.*f in the C locale; nan and infinities: "n/a"
std::string format_number(double value);             // "0.312", "31.2", "2,655": three significant digits or all whole ones
std::string format_exact(double value);              // shortest text that reads back as the same double; for data files

}  // namespace iobench
