// SPDX-License-Identifier: MIT
#include "samples.h"
