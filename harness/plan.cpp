// SPDX-License-Identifier: MIT
#include "plan.h"
