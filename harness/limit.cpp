// SPDX-License-Identifier: MIT
#include "limit.h"
