// SPDX-License-Identifier: MIT
#include "table.h"
