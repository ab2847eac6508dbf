// SPDX-License-Identifier: MIT
#include "summary.h"
