// SPDX-License-Identifier: MIT
#include "units.h"
