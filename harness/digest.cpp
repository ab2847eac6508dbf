// SPDX-License-Identifier: MIT
#include "digest.h"
