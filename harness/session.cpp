// SPDX-License-Identifier: MIT
#include "session.h"
