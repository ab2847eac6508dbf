// SPDX-License-Identifier: MIT
#include "suite.h"
