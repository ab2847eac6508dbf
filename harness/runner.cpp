// SPDX-License-Identifier: MIT
#include "runner.h"
