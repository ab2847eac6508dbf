// SPDX-License-Identifier: MIT
#include "statistics.h"
