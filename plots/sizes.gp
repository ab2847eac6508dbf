# SPDX-License-Identifier: MIT
# An x axis of sizes, as on a command line, from x_begin to x_end; marks up to x_last, none under what stands beyond it.
# Loaded by each script that has such an axis, after style.gp; size_names = 0: marks without names.

set logscale x 2
set xrange [x_begin:x_end]
set xtics scale 0.6, 0 ()
do for [k = 0:39] {
  if (2.0**k >= x_begin && 2.0**k <= x_last * 1.01) {
    unit = k < 10 ? "" : k < 20 ? "K" : k < 30 ? "M" : "G"
    set xtics add (size_names ? sprintf("%d%s", 2**(k % 10), unit) : "" 2.0**k)
  }
}
