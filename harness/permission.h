// SPDX-License-Identifier: MIT
// Which commands a stored plan may run. A plan.json comes with results, and those come from anybody: unless it is
// allowed more, a plan runs what data/tools.toml has a template for, as a suite does.
#pragma once

#include <string>

#include "plan.h"

namespace iobench {

// Throws Error, status 2, naming `plan_json`, the suite, the row and --allow-commands, for the first command that is not
// the template of its tool, filled in with the row's values, and options that the tool has.
void require_known_commands(const Plan& plan, const Toolbox& toolbox, const std::string& plan_json);

}  // namespace iobench
