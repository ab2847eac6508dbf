// SPDX-License-Identifier: MIT
// samples.csv: the one schema, written and read back, and what a killed run or a stranger's file looks like to it.
#include "samples.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <locale>

#include "catch.h"
#include "csv.h"
#include "message.h"
#include "scratch.h"

using namespace iobench;

namespace {

// The columns as METHODOLOGY.md gives them; a change here is a change of the schema and needs a new version.
const char* const golden_head =
    "# iobench samples 1\n"
    "suite,row,round,attempt,status,reason,bytes,operations,wall_s,return_s,delivered_s,durable_s,user_s,system_s,read_"
    "calls,"
    "write_calls,device_read_bytes,dirtied_bytes,device_write_bytes,minor_faults,major_faults,voluntary_switches,"
    "involuntary_switches,peak_memory_bytes,resident_before,dirty_before_bytes,writeback_before_bytes,limit_bytes,"
    "cgroup,cpus,"
    "started_unix_s\n";

Sample full_sample() {
  Sample sample;
  sample.suite = "buffer-sweep";
  sample.row = "null-warm-64K/again";
  sample.round = 3;
  sample.attempt = 2;
  sample.status = "failed";
  sample.reason = "write standard output: \"No space\", it says";
  sample.bytes = 1u << 30;
  sample.operations = 200;
  sample.wall_s = 0.1;
  sample.return_s = 1.0 / 3;
  sample.delivered_s = 5e-324;
  sample.durable_s = 1e300;
  sample.user_s = 0;
  sample.system_s = 0.04;
  sample.read_calls = 0;
  sample.write_calls = UINT64_MAX;
  sample.device_read_bytes = 1;
  sample.dirtied_bytes = 2;
  sample.device_write_bytes = 3;
  sample.minor_faults = 4;
  sample.major_faults = 5;
  sample.voluntary_switches = 6;
  sample.involuntary_switches = 7;
  sample.peak_memory_bytes = 8;
  sample.resident_before = 0.999;
  sample.dirty_before_bytes = 9;
  sample.writeback_before_bytes = 10;
  sample.limit_bytes = 11;
  sample.cgroup = "/iobench, \"quoted\"";
  sample.cpus = "0-1,3";
  sample.started_unix_s = 1796079600.123456;
  return sample;
}

std::vector<Sample> read_back(const std::filesystem::path& path) { return read_samples(path).samples; }

}  // namespace

TEST_CASE("the head of samples.csv is the schema") {
  const Scratch scratch;
  SampleWriter(scratch / "samples.csv");
  CHECK(read_file(scratch / "samples.csv") == golden_head);
  CHECK(read_back(scratch / "samples.csv").empty());
  CHECK(sample_columns().size() == 31);
}

TEST_CASE("samples come back as they were") {
  const Scratch scratch;
  const std::filesystem::path path = scratch / "samples.csv";
  Sample bare;
  bare.suite = "s";
  bare.row = "r";
  bare.round = 1;
  {
    SampleWriter writer(path);
    writer.append(full_sample());
    writer.append(bare);
  }
  SampleWriter(path).append(full_sample());  // a resumed run
  const StoredSamples stored = read_samples(path);
  CHECK(stored.samples == std::vector<Sample>{full_sample(), bare, full_sample()});
  CHECK(stored.note.empty());
  CHECK(to_csv_line(bare) == "s,r,1,1,ok,,0,1,,,,,,,,,,,,,,,,,,,,,,,0\n");
}

TEST_CASE("each status can be stored, no other") {
  const Scratch scratch;
  SampleWriter writer(scratch / "samples.csv");
  Sample sample = full_sample();
  for (const std::string& status : sample_statuses()) {
    sample.status = status;
    writer.append(sample);
  }
  CHECK(read_back(scratch / "samples.csv").size() == 5);
  sample.status = "interrupted";
  CHECK(message_of([&] { writer.append(sample); }).ends_with("samples.csv: unknown status 'interrupted'"));
  CHECK(read_back(scratch / "samples.csv").size() == 5);
}

TEST_CASE("a reason is one line, whatever a tool printed") {
  const Scratch scratch;
  Sample sample = full_sample();
  sample.reason = "\n first,\r\n\tsecond \x01\x7f \"third\"\n\n";
  SampleWriter(scratch / "samples.csv").append(sample);
  CHECK(read_back(scratch / "samples.csv").at(0).reason == "first, second \"third\"");
  const std::string line = to_csv_line(sample);
  CHECK(line.find('\n') == line.size() - 1);
}

TEST_CASE("numbers have a point, whatever the locale says", "[B108]") {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::string expected = to_csv_line(full_sample());
  const std::locale before = std::locale::global(std::locale(std::locale(), new Comma));
  const std::string line = to_csv_line(full_sample());
  const Scratch scratch;
  SampleWriter(scratch / "samples.csv").append(full_sample());
  const std::vector<Sample> back = read_back(scratch / "samples.csv");
  std::locale::global(before);
  CHECK(line == expected);
  CHECK(line.find(",0.1,0.3333333333333333,") != std::string::npos);
  CHECK(back == std::vector<Sample>{full_sample()});
}

TEST_CASE("a line that was cut is left out, said, and cut off before the next one is appended", "[B98]") {
  const Scratch scratch;
  const std::string whole = std::string(golden_head) + to_csv_line(full_sample());
  const std::string line = to_csv_line(full_sample());
  for (const std::size_t kept :
       {std::size_t{1}, line.size() / 2, line.size() - 1}) {  // the last lacks its newline only
    INFO(kept);
    const std::filesystem::path path = scratch.file("samples.csv", whole + line.substr(0, kept));
    const StoredSamples stored = read_samples(path);
    CHECK(stored.samples == std::vector<Sample>{full_sample()});
    CHECK(stored.note == "line 4 was cut in the middle and left out");
    SampleWriter(path).append(full_sample());
    CHECK(read_file(path) == whole + line);
    CHECK(read_samples(path).note.empty());
  }
}

TEST_CASE("a head that was cut is written anew; a file that is not ours is never touched") {
  const Scratch scratch;
  const std::string head = golden_head;
  for (const std::size_t kept : {std::size_t{0}, std::size_t{1}, std::size_t{20}, head.size() - 1}) {
    INFO(kept);
    const std::filesystem::path path = scratch.file("samples.csv", head.substr(0, kept));
    CHECK(short_message_of([&] { read_samples(path); }).starts_with("samples.csv:"));
    SampleWriter(path).append(full_sample());
    CHECK(read_file(path) == head + to_csv_line(full_sample()));
  }
  std::string other = head;
  other.insert(other.find(",round"), ",lap");
  for (const std::string& text : {std::string("my diary"), std::string("# iobench samples 2\nx\n"), other}) {
    const std::filesystem::path path = scratch.file("samples.csv", text);
    CHECK(short_message_of([&] { SampleWriter{path}; }).starts_with("samples.csv:"));
    CHECK(read_file(path) == text);
  }
  CHECK(message_of([&] { SampleWriter{scratch / "none/samples.csv"}; }).ends_with("No such file or directory"));
  CHECK(message_of([&] { SampleWriter{"/dev/null"}; }) == "append to /dev/null: not a regular file");
}

TEST_CASE("files that are no samples of this schema are refused by line and name", "[B97][B120]") {
  const Scratch scratch;
  const auto message = [&](const std::string& text) {
    const std::filesystem::path path = scratch.file("s.csv", text);
    return short_message_of([&] { read_samples(path); });
  };
  const std::string head = golden_head;
  const std::string columns = head.substr(head.find('\n') + 1);
  const std::string line = to_csv_line(full_sample());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = line;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return head + line + text.replace(at, from.size(), to);
  };
  CHECK(message("") == "s.csv:1: the file is empty; '# iobench samples 1' is missing");
  CHECK(message("# iobench samples 0\n" + columns) ==
        "s.csv:1: samples of schema '0'; this iobench reads schema 1 only");
  CHECK(message("# iobench samples 2\n" + columns) ==
        "s.csv:1: samples of schema '2'; this iobench reads schema 1 only");
  CHECK(message("# iobench samples 12\n" + columns) ==
        "s.csv:1: samples of schema '12'; this iobench reads schema 1 only");
  CHECK(message(columns).starts_with("s.csv:1: not a file of samples: it begins 'suite,row,round"));
  CHECK(message("# iobench samples 1\n") == "s.csv:2: the heading with the column names is missing");
  CHECK(message("# iobench samples 1\nsuite,row\n") == "s.csv:2: column 'round' is missing");
  CHECK(message("# iobench samples 1\nsuite," + columns) == "s.csv:2: column 'suite' is there twice");
  CHECK(message(head + "a,b\n") == "s.csv:3: 2 fields where the heading has 31");
  CHECK(message(with("again,3,", "again,x,")) == "s.csv:4: round: 'x' is no count");
  CHECK(message(with("again,3,", "again,,")) == "s.csv:4: round: '' is no count");
  CHECK(message(with("again,3,", "again,-3,")) == "s.csv:4: round: '-3' is no count");
  CHECK(message(with(",0.1,", ",0.1s,")).starts_with("s.csv:4: wall_s: "));
  CHECK(message(with(",0.1,", ",-0.1,")) == "s.csv:4: wall_s: '-0.1' is negative or no number");
  CHECK(message(with(",0.1,", ",nan,")).starts_with("s.csv:4: wall_s: "));
  CHECK(message(with("18446744073709551615", "18446744073709551616")) ==
        "s.csv:4: write_calls: '18446744073709551616' is no count");
  CHECK(message(with(",failed,", ",fine,")) == "s.csv:4: unknown status 'fine'");
}

TEST_CASE("columns are found by name: more of them, in any order, are no obstacle to reading") {
  const Scratch scratch;
  const std::string head = "# iobench samples 1\n";
  std::string columns, values;
  const std::vector<CsvRecord> line = parse_csv(to_csv_line(full_sample()), "line");
  for (std::size_t i = sample_columns().size(); i-- > 0;) {
    columns += sample_columns()[i] + ",";
    values += csv_field(line.at(0).fields.at(i)) + ",";
  }
  const std::filesystem::path path = scratch.file("s.csv", head + columns + "mood\n" + values + "good\n");
  CHECK(read_back(path) == std::vector<Sample>{full_sample()});
}

TEST_CASE("CSV as RFC 4180 has it") {
  const auto fields = [](const std::string& text) {
    std::vector<std::vector<std::string>> all;
    for (const CsvRecord& record : parse_csv(text, "t.csv")) all.push_back(record.fields);
    return all;
  };
  using Records = std::vector<std::vector<std::string>>;
  CHECK(fields("") == Records{});
  CHECK(fields("\n\r\n\n") == Records{});
  CHECK(fields("a,b\nc,d") == Records{{"a", "b"}, {"c", "d"}});
  CHECK(fields("a,\r\n,b\r\n") == Records{{"a", ""}, {"", "b"}});
  CHECK(fields("a,") == Records{{"a", ""}});
  CHECK(fields("\"a,\"\"b\"\"\nc\",\"\"\n") == Records{{"a,\"b\"\nc", ""}});
  CHECK(fields("a\"b,c\n") == Records{{"a\"b", "c"}});
  CHECK(fields("a\rb\n") == Records{{"a\rb"}});
  CHECK(fields(std::string("a\0b,c\n", 6)) == Records{{std::string("a\0b", 3), "c"}});
  const std::vector<CsvRecord> lines = parse_csv("a\n\n\"b\nc\"\nd\n", "t.csv", 10);
  REQUIRE(lines.size() == 3);
  CHECK(lines[1].line == 12);
  CHECK(lines[2].line == 14);
  CHECK(message_of([] { parse_csv("a\n\"b\nc", "t.csv"); }) == "t.csv:2: a quote is never closed");
  CHECK(message_of([] { parse_csv("a\n\"b\"c\n", "t.csv"); }) == "t.csv:2: text behind a closing quote");
  for (const std::string text : {"", "plain", "a,b", "say \"x\"", "two\nlines", "\r", "'", "=1+1"}) {
    INFO(text);
    CHECK(fields(csv_field(text) + ",end\n") == Records{{text, "end"}});
  }
}

TEST_CASE("texts that a spreadsheet would run are disarmed in the file, and come back as they were", "[B103]") {
  const Scratch scratch;
  const std::vector<std::string> texts = {"=1+1", "+1", "-1 x", "@SUM(A1)", "'=1", "''-x", "'", "it's", "-1.5", "'-1.5", "plain", "-", "=cmd|' /C calc'!A0"};
  SampleWriter writer(scratch / "samples.csv");
  for (const std::string& text : texts) {
    Sample sample = full_sample();
    sample.row = sample.reason = text;
    writer.append(sample);
  }
  const std::vector<Sample> back = read_back(scratch / "samples.csv");
  REQUIRE(back.size() == texts.size());
  const std::vector<CsvRecord> raw = parse_csv(read_file(scratch / "samples.csv"), "raw");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    INFO(texts[i]);
    CHECK(back[i].row == texts[i]);
    CHECK(back[i].reason == texts[i]);
    const std::string& cell = raw[i + 2].fields[1];
    CHECK((cell == "-1.5" || std::string("=+-@").find(cell[0]) == std::string::npos));
  }
}

TEST_CASE("samples are appended to a file of their own only", "[B127]") {
  const Scratch scratch;
  const std::filesystem::path other = scratch.file("other", "");
  std::filesystem::create_symlink(other, scratch / "link");
  std::filesystem::create_symlink(scratch / "nowhere", scratch / "dangling");
  REQUIRE(::mkfifo((scratch / "fifo").c_str(), 0600) == 0);
  for (const char* name : {"link", "dangling", "fifo"}) {
    INFO(name);
    CHECK(message_of([&] { SampleWriter{scratch / name}; }).ends_with(std::string(name) + ": not a regular file"));
  }
  CHECK(read_file(other).empty());
  CHECK_FALSE(std::filesystem::exists(scratch / "nowhere"));
  CHECK(message_of([&] { read_samples(scratch / "fifo"); }).ends_with("fifo: it is not a regular file"));
}

TEST_CASE("a line that finds no room is taken back, and the lines before it stay", "[crash]") {
  const Scratch scratch;
  SampleWriter writer(scratch / "samples.csv");
  writer.append(full_sample());
  const std::string whole = read_file(scratch / "samples.csv");
  struct rlimit before = {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto inherited = ::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit little = {whole.size() + 10, before.rlim_max};  // room for a part of the next line
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &little) == 0);
  const std::string said = message_of([&] { writer.append(full_sample()); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, inherited);
  CHECK(said == "write " + (scratch / "samples.csv").string() + ": File too large");
  CHECK(read_file(scratch / "samples.csv") == whole);
  writer.append(full_sample());
  CHECK(read_back(scratch / "samples.csv").size() == 2);
}

TEST_CASE("a clock that was set back loses no sample and no order", "[crash]") {
  const Scratch scratch;
  SampleWriter writer(scratch / "samples.csv");
  std::vector<Sample> made;
  for (const double started : {1.8e9, 1.7e9, 0.0, 1.9e9}) {
    made.push_back(full_sample());
    made.back().round = made.size();
    made.back().started_unix_s = started;
    writer.append(made.back());
  }
  CHECK(read_back(scratch / "samples.csv") == made);
}
