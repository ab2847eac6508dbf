// SPDX-License-Identifier: MIT
// Sizes and numbers read and written as people do, and not otherwise; the same under a locale with a decimal comma.
#include "units.h"

#include <cmath>
#include <limits>
#include <locale>

#include "catch.h"
#include "system.h"

using namespace iobench;

namespace {

// What de_DE does to numbers, without needing the locale to be installed.
struct CommaPunctuation : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

struct CommaLocale {
  std::locale before = std::locale::global(std::locale(std::locale::classic(), new CommaPunctuation));
  ~CommaLocale() { std::locale::global(before); }
};

std::string refusal(std::string_view text) {
  try {
    parse_size(text);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("sizes are powers of 1024 with one way to write each suffix") {
  CHECK(parse_size("0") == 0);
  CHECK(parse_size("512") == 512);
  CHECK(parse_size("64K") == 65536);
  CHECK(parse_size("64KiB") == 65536);
  CHECK(parse_size("1M") == 1048576);
  CHECK(parse_size("4GiB") == std::uint64_t{4} << 30);
  CHECK(parse_size("10T") == std::uint64_t{10} << 40);
  CHECK(parse_size("007") == 7);
  CHECK(parse_size("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
  CHECK(parse_size("8388607T") == std::uint64_t{8388607} << 40);
}

TEST_CASE("what is not quite a size is refused with what is allowed") {
  for (const char* wrong : {"64k", "64KB", "0x10", "-1", "+1", "1.5G", "", " 64K", "64K ", "64 K", "K", "64Ki", "64iB",
                            "1e3", "1,024", "64KiBx", "64B", "1P"}) {
    INFO(wrong);
    CHECK_THROWS_AS(parse_size(wrong), Error);
    CHECK(refusal(wrong).find(std::string("size '") + wrong + "'") == 0);
    CHECK(refusal(wrong).find("K, M, G or T") != std::string::npos);
    CHECK(refusal(wrong).find('\n') == std::string::npos);
  }
  for (const char* huge : {"9223372036854775808", "8388608T", "18446744073709551616", "99999999999999999999999K"}) {
    INFO(huge);
    CHECK(refusal(huge).find("too large") != std::string::npos);
  }
  CHECK_THROWS_AS(parse_size(std::string_view("64\0K", 4)), Error);
}

TEST_CASE("numbers have a point and nothing around them") {
  CHECK(parse_number("0.25") == 0.25);
  CHECK(parse_number("-3") == -3);
  CHECK(parse_number("1e-3") == 1e-3);
  CHECK(parse_number(".5") == 0.5);
  for (const char* wrong : {"", " 1", "1 ", "1,5", "0x1p3", "nan", "inf", "-inf", "1e999", "abc", "1.2.3", "+1"}) {
    INFO(wrong);
    CHECK_THROWS_AS(parse_number(wrong), Error);
  }
}

TEST_CASE("speeds of links are powers of 1000, in whole units") {
  CHECK(parse_bit_rate("100 Mbit/s") == 100'000'000);
  CHECK(parse_bit_rate("100Mbit/s") == 100'000'000);
  CHECK(parse_bit_rate("1 Gbit/s") == 1'000'000'000);
  CHECK(parse_bit_rate("64 kbit/s") == 64'000);
  CHECK(parse_bit_rate("300 bit/s") == 300);
  CHECK(parse_bit_rate("1000 Gbit/s") == 1'000'000'000'000);
  for (const char* wrong : {"", "100", "Mbit/s", "0 Mbit/s", "-1 Mbit/s", "1.5 Gbit/s", "100 Mbps", "100 MBit/s", "100 Kbit/s", "100  Mbit/s",
                            " 1 Gbit/s", "1 Gbit/s ", "1001 Gbit/s", "99999999999999999999 bit/s"}) {
    INFO(wrong);
    std::string said;
    try {
      parse_bit_rate(wrong);
    } catch (const Error& error) {
      said = error.what();
      CHECK(error.status() == 2);
    }
    CHECK(said.find(std::string("'") + wrong + "' is not the speed of a link") == 0);
    CHECK(said.find("\"100 Mbit/s\"") != std::string::npos);
  }
  CHECK(format_bit_rate(100'000'000) == "100 Mbit/s");
  CHECK(format_bit_rate(1'000'000'000) == "1 Gbit/s");
  CHECK(format_bit_rate(1'500'000'000) == "1500 Mbit/s");
  CHECK(format_bit_rate(9600) == "9600 bit/s");
  CHECK(format_bit_rate(64'000) == "64 kbit/s");
  for (const std::uint64_t speed : {std::uint64_t{1}, std::uint64_t{1001}, std::uint64_t{56'000}, std::uint64_t{2'500'000'000}})
    CHECK(parse_bit_rate(format_bit_rate(speed)) == speed);
}

TEST_CASE("sizes for people") {
  CHECK(format_size(0) == "0 bytes");
  CHECK(format_size(1) == "1 byte");
  CHECK(format_size(512) == "512 bytes");
  CHECK(format_size(1000) == "1,000 bytes");
  CHECK(format_size(65536) == "64 KiB");
  CHECK(format_size(1536) == "1.5 KiB");
  CHECK(format_size(38123) == "38,123 bytes");
  CHECK(format_size(std::uint64_t{1} << 30) == "1 GiB");
  CHECK(format_size(std::uint64_t{3} << 29) == "1.5 GiB");
  CHECK(format_size((std::uint64_t{1} << 30) + 7) == "1.00 GiB");  // zeros after the point: about
  CHECK(format_size((std::uint64_t{1} << 30) - 1) == "1.00 GiB");
  CHECK(format_size(std::uint64_t{1000} << 20) == "1,000 MiB");
  CHECK(format_size(84876808192) == "79.0 GiB");
  CHECK(format_size(std::numeric_limits<std::uint64_t>::max()) == "16384 PiB");
}

TEST_CASE("a short size reads back as itself") {
  CHECK(format_short_size(65536) == "64K");
  CHECK(format_short_size(1536) == "1536");
  CHECK(format_short_size(38123) == "38123");
  CHECK(format_short_size(0) == "0");
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1023}, std::uint64_t{1024},
                                    std::uint64_t{5} << 20, std::uint64_t{1} << 30, (std::uint64_t{7} << 40) + 1024})
    CHECK(parse_size(format_short_size(bytes)) == bytes);
}

TEST_CASE("counts, seconds, rates, ratios") {
  CHECK(format_count(0) == "0");
  CHECK(format_count(999) == "999");
  CHECK(format_count(1048576) == "1,048,576");
  CHECK(format_seconds(0) == "0 s");
  CHECK(format_seconds(0.0813) == "81.3 ms");
  CHECK(format_seconds(6.42) == "6.42 s");
  CHECK(format_seconds(412e-6) == "412 µs");
  CHECK(format_seconds(1.34e-9) == "1.34 ns");
  CHECK(format_seconds(0.99961) == "1.00 s");
  CHECK(format_seconds(0.0099996) == "10.0 ms");
  CHECK(format_seconds(1234.5) == "1234 s");
  CHECK(format_seconds(-0.0021) == "-2.10 ms");
  CHECK(format_seconds(std::nan("")) == "n/a");
  CHECK(format_duration(42) == "0:42");
  CHECK(format_duration(307) == "5:07");
  CHECK(format_duration(3750) == "1:02:30");
  CHECK(format_duration(59.6) == "1:00");
  CHECK(format_duration(-3) == "0:00");
  CHECK(format_duration(INFINITY) == "n/a");
  CHECK(format_rate(4.21e9) == "4.21 GB/s");
  CHECK(format_rate(12e6) == "12.0 MB/s");
  CHECK(format_rate(999.7e6) == "1.00 GB/s");
  CHECK(format_rate(0) == "0.00 B/s");
  CHECK(format_ratio(1.0371) == "1.037");
  CHECK(format_ratio(23.4) == "23.4");
  CHECK(format_ratio(0.0512) == "0.0512");
  CHECK(format_ratio(9.99961) == "10.0");
  CHECK(format_ratio(1) == "1.000");
  CHECK(format_ratio(0) == "0.00");
  CHECK(format_ratio(INFINITY) == "n/a");
}

TEST_CASE("a percentage never rounds doubt away") {
  CHECK(format_percent(0.984375) == "98.4 %");
  CHECK(format_percent(0.95) == "95.0 %");
  CHECK(format_percent(1) == "100.0 %");
  CHECK(format_percent(0) == "0.0 %");
  CHECK(format_percent(0.9998) == "99.98 %");
  CHECK(format_percent(0.0002) == "0.02 %");
}

TEST_CASE("fixed and exact numbers") {
  CHECK(format_fixed(1.005, 1) == "1.0");
  CHECK(format_fixed(-0.0001, 2) == "0.00");
  CHECK(format_fixed(-INFINITY, 2) == "n/a");
  for (const double value : {0.1, 1.0 / 3, 1e22, 5e-324, 123456789.125, -0.0813}) {
    INFO(value);
    CHECK(parse_number(format_exact(value)) == value);
  }
  CHECK(format_exact(0.0813) == "0.0813");
}

TEST_CASE("a locale with a decimal comma changes nothing", "[B108]") {
  const CommaLocale comma;
  CHECK(format_fixed(1234.5, 2) == "1234.50");
  CHECK(format_exact(1234.5) == "1234.5");
  CHECK(format_seconds(1.5) == "1.50 s");
  CHECK(format_count(1234567) == "1,234,567");
  CHECK(format_short_size(65536 * 1024) == "64M");
  CHECK(format_size(1536) == "1.5 KiB");
  CHECK(format_rate(4.21e9) == "4.21 GB/s");
  CHECK(parse_number("0.25") == 0.25);
  CHECK_THROWS_AS(parse_number("0,25"), Error);
  CHECK(parse_size("64K") == 65536);
}

TEST_CASE("plain numbers have three significant digits, or all that are whole") {
  CHECK(format_number(0.3124) == "0.312");
  CHECK(format_number(31.24) == "31.2");
  CHECK(format_number(999.4) == "999");
  CHECK(format_number(2654.6) == "2,655");
  CHECK(format_number(-1234567) == "-1,234,567");
  CHECK(format_number(0) == "0.00");
  CHECK(format_number(1.0 / 0.0) == "n/a");
}
