// SPDX-License-Identifier: MIT
// The peers of a plan, which are programs of the machine and not built here: which are not installed, and from which
// package they come; small programs of data/peers/ that have to be compiled are, once a session.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "plan.h"

namespace iobench {

class Peers {
 public:
  // `programs`: DATA/peers; `built`: a private folder, made when something has to be compiled.
  Peers(const Plan& plan, std::filesystem::path programs, std::filesystem::path built);

  // "ok"; "unsupported" with "socat is not installed; Debian has it in the package socat"; "failed" where it is there and
  // did not compile.
  RowCheck check(const PlannedRow& row) const;
  // {peers} and {built} in a command become the two folders.
  void place(std::vector<std::string>& argv) const;
  // The files of DATA/peers that the row runs or compiles, for machine.json.
  std::vector<std::filesystem::path> sources(const PlannedRow& row) const;

 private:
  std::string compile(std::vector<std::string> command) const;

  std::filesystem::path programs_, built_;
  std::map<std::vector<std::string>, std::string> compiled_;  // by the command that compiles: what went wrong, or empty
};

// The program of a peer's command that is not there; empty: all are, or it is no peer. "{built}/NAME" is there when what
// compiles it is.
std::string missing_program(const std::vector<std::string>& build, const std::string& program);

}  // namespace iobench
