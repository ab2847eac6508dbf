// SPDX-License-Identifier: MIT
// Whether what a suite says apart from its rows fits its rows and its published figures: each variable, value, column and
// row that it names is there, each control is one row. Every mistake is an Error "FILE:LINE: what is wrong".
#pragma once

#include <string>

#include "document.h"
#include "published.h"
#include "suite.h"

namespace iobench {

// Of the suite whose file is `root`, all read but its claims: its groups, its baseline, its published figures.
void check_rows_named(const Value& root, const Experiment& suite, const PublishedTable& figures);
// Its tables, figures and open questions.
void check_shown(const Value& root, const Experiment& suite, const PublishedTable& figures);

void need_published_column(const PublishedTable& figures, const Place& place, const std::string& column);

}  // namespace iobench
