// SPDX-License-Identifier: MIT
#include "regime.h"
