// SPDX-License-Identifier: MIT
#include "machine.h"
