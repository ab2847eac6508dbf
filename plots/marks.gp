# SPDX-License-Identifier: MIT
# Marks of a logarithmic y axis from y_begin to y_end: 1, 2 and 5 of each decade, of more than three decades 1 only.
# Loaded by each script that has such an axis.

set logscale y 10
set ytics scale 0.6, 0 ()
digits = y_end > 1000 * y_begin ? "1" : "1 2 5"
do for [k = -9:12] {
  do for [digit in digits] {
    if (digit * 10.0**k >= y_begin && digit * 10.0**k <= y_end) {
      set ytics add (sprintf("%g", digit * 10.0**k) digit * 10.0**k)
    }
  }
}
