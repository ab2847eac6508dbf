// SPDX-License-Identifier: MIT
// What the machine did around the measured runs, once a round: processor time of everybody and of this session, time
// that the host kept, throttling, clock frequency. surroundings.csv beside samples.csv, a record file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "record_file.h"

namespace iobench {

// Over one round of one suite. Empty: the machine does not say.
struct Surroundings {
  std::string suite;
  std::uint64_t round = 0;                       // from 1
  double seconds = 0;                            // from the first to the last reading
  std::optional<double> busy_s;                  // of all processors, all programs and the kernel; idle, waiting and
                                                 // stolen time left out
  double own_s = 0;                              // CPU of this process and of the children that it has waited for
  std::optional<double> steal_s;                 // time that the host gave to others, of all processors
  std::optional<std::uint64_t> throttle_events;  // of all processors and packages
  std::optional<double> mhz;                     // mean of all processors, at both ends of the round
  std::uint64_t processors = 0;                  // online; 0: not known
  bool operator==(const Surroundings&) const = default;
};

const std::vector<std::string>& surroundings_columns();

class SurroundingsWriter {
 public:
  explicit SurroundingsWriter(const std::filesystem::path& surroundings_csv);
  void append(const Surroundings& round);

 private:
  RecordWriter file_;
};

struct StoredSurroundings {
  std::vector<Surroundings> rounds;  // a round that was interrupted and taken up again is there twice
  std::string note;                  // as in StoredRecords
};
// As read_records; a malformed field is an Error file:line too. No file: no rounds.
StoredSurroundings read_surroundings(const std::filesystem::path& surroundings_csv);

// Reads the counters at both ends of a round. `root` stands for "/" in tests. Never throws: what is not there is empty.
class SurroundingsSampler {
 public:
  explicit SurroundingsSampler(std::filesystem::path root = "/");
  void start();
  Surroundings since_start(const std::string& suite, std::uint64_t round) const;

 private:
  struct Reading {
    double at_s = 0, own_s = 0;
    std::optional<double> busy_s, steal_s, mhz;
    std::optional<std::uint64_t> throttle_events;
    std::uint64_t processors = 0;
  };
  Reading read() const;

  std::filesystem::path root_;
  Reading start_;
};

}  // namespace iobench
