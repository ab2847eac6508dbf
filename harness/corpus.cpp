// SPDX-License-Identifier: MIT
#include "corpus.h"
