// SPDX-License-Identifier: MIT
#include "doctor.h"
