// SPDX-License-Identifier: MIT
// Sizes, seconds, rates and ratios to text and back. Only <charconv> and fmt without its L flag are used here: neither
// looks at a locale, so that a table made under LANG=de_DE is the same as one made under C.
#include "units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "system.h"

namespace iobench {

namespace {

constexpr std::string_view size_suffixes = "KMGT";
constexpr std::uint64_t largest_size = std::numeric_limits<std::int64_t>::max();  // off_t ends there

[[noreturn]] void refuse_size(std::string_view text, std::string_view why) {
  throw Error(fmt::format("size '{}' {}: write bytes, or a whole number with K, M, G or T (powers of 1024), such as "
                          "512, 64K or 64KiB",
                          text, why),
              2);
}

// Digits after the point that leave three significant digits of a value that rounds to itself with them.
int digits_for_three(double value) {
  const double size = std::fabs(value);
  if (size < 1e-9) return 2;
  int digits = 2 - static_cast<int>(std::floor(std::log10(size)));
  // 9.996 has two digits by its logarithm and would become 10.00.
  if (size * std::pow(10.0, digits) >= 999.5) --digits;
  return std::max(digits, 0);
}

std::string three_digits(double value) {
  return format_fixed(value, digits_for_three(value));
}

// A value in the first of the units in which it stays, rounded, below the step to the next.
template <std::size_t N>
std::string in_units(double value, double step, const std::array<const char*, N>& units) {
  std::size_t unit = 0;
  while (unit + 1 < N && std::fabs(value) >= (step == 1000 ? 999.5 : step - 0.5)) {
    value /= step;
    ++unit;
  }
  return fmt::format("{} {}", three_digits(value), units[unit]);
}

}  // namespace

std::uint64_t parse_size(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::invalid_argument) refuse_size(text, "is not a size");
  std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  std::uint64_t unit = 1;
  if (!rest.empty()) {
    const std::size_t power = size_suffixes.find(rest.front());
    if (power == std::string_view::npos || (rest.size() > 1 && rest.substr(1) != "iB"))
      refuse_size(text, "is not a size");
    unit = std::uint64_t{1} << (10 * (power + 1));
  }
  if (error == std::errc::result_out_of_range || number > largest_size / unit) refuse_size(text, "is too large");
  return number * unit;
}

namespace {

struct BitUnit {
  std::string_view name;
  std::uint64_t bits;
};
constexpr BitUnit bit_units[] = {{"Gbit/s", 1'000'000'000}, {"Mbit/s", 1'000'000}, {"kbit/s", 1'000}, {"bit/s", 1}};

}  // namespace

std::uint64_t parse_bit_rate(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  if (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  for (const BitUnit& unit : bit_units)
    if (error == std::errc{} && rest == unit.name && number > 0 && number <= 1'000'000'000'000 / unit.bits)
      return number * unit.bits;
  throw Error(fmt::format("'{}' is not the speed of a link: write it like \"100 Mbit/s\", at most 1000 Gbit/s", text), 2);
}

std::string format_bit_rate(std::uint64_t bits_per_s) {
  for (const BitUnit& unit : bit_units)
    if (bits_per_s >= unit.bits && bits_per_s % unit.bits == 0) return fmt::format("{} {}", bits_per_s / unit.bits, unit.name);
  return "0 bit/s";
}

double parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) throw Error(fmt::format("number '{}' is out of range", text));
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    throw Error(fmt::format("'{}' is not a number: write digits with a decimal point, such as 0.25 or 1e-3", text));
  return value;
}

std::string format_size(std::uint64_t bytes) {
  static constexpr std::array<const char*, 5> units = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes == 1) return "1 byte";
  for (std::size_t power = units.size(); power > 0; --power) {
    const std::uint64_t unit = std::uint64_t{1} << (10 * power);
    if (bytes < unit || bytes % (unit / 2) != 0) continue;
    const char* half = bytes % unit != 0 ? ".5" : "";
    const bool readable = bytes / unit < 1024 || power == units.size();
    if (readable) return fmt::format("{}{} {}", format_count(bytes / unit), half, units[power - 1]);
  }
  if (bytes < std::uint64_t{1} << 20) return fmt::format("{} bytes", format_count(bytes));
  return in_units(static_cast<double>(bytes) / 1024, 1024, units);
}

std::string format_short_size(std::uint64_t bytes) {
  for (std::size_t power = size_suffixes.size(); power > 0; --power) {
    const std::uint64_t unit = std::uint64_t{1} << (10 * power);
    if (bytes >= unit && bytes % unit == 0) return fmt::format("{}{}", bytes / unit, size_suffixes[power - 1]);
  }
  return fmt::format("{}", bytes);
}

std::string format_count(std::uint64_t count) {
  std::string digits = fmt::format("{}", count);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string format_seconds(double seconds) {
  if (!std::isfinite(seconds)) return "n/a";
  if (seconds == 0) return "0 s";
  static constexpr std::array<const char*, 4> units = {"ns", "µs", "ms", "s"};
  return in_units(seconds * 1e9, 1000, units);
}

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds) || seconds > 1e15) return "n/a";
  const auto whole = static_cast<std::uint64_t>(std::llround(std::max(seconds, 0.0)));
  const std::uint64_t hours = whole / 3600, minutes = whole / 60 % 60;
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
  return fmt::format("{}:{:02}", minutes, whole % 60);
}

std::string format_rate(double bytes_per_s) {
  if (!std::isfinite(bytes_per_s)) return "n/a";
  static constexpr std::array<const char*, 5> units = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
  return in_units(bytes_per_s, 1000, units);
}

std::string format_ratio(double ratio) {
  const double size = std::fabs(ratio);
  return format_fixed(ratio, size >= 0.1 && size < 9.9995 ? 3 : digits_for_three(ratio));
}

std::string format_percent(double fraction) {
  const double percent = fraction * 100;
  int digits = 1;
  // 99.98 % is not certainty and 0.02 % is not never: enough digits not to say so.
  const auto rounds_away = [&](double whole) {
    return percent != whole && std::fabs(percent - whole) < 0.5 * std::pow(10.0, -digits);
  };
  while (digits < 6 && (rounds_away(0) || rounds_away(100))) ++digits;
  return std::isfinite(percent) ? format_fixed(percent, digits) + " %" : "n/a";
}

std::string format_fixed(double value, int digits) {
  if (!std::isfinite(value)) return "n/a";
  std::string text = fmt::format("{:.{}f}", value, std::max(digits, 0));
  if (text.front() == '-' && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);  // no "-0.00"
  return text;
}

std::string format_number(double value) {
  if (!std::isfinite(value)) return "n/a";
  if (std::fabs(value) < 999.5 || std::fabs(value) > 1e18) return three_digits(value);
  return (value < 0 ? "-" : "") + format_count(static_cast<std::uint64_t>(std::llround(std::fabs(value))));
}

std::string format_exact(double value) {
  std::array<char, 40> text;  // the longest double, "-2.2250738585072014e-308", takes 24
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return std::string(text.data(), end);
}

}  // namespace iobench
