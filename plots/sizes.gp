# SPDX-License-Identifier: MIT
# An x axis of sizes, from x_begin to x_end; marks up to x_last, none under what stands beyond it: the sizes in the words
# of x_marks or, without any, powers of two as on a command line.
# Loaded by each script that has such an axis, after style.gp; size_names = 0: marks without names.

set logscale x 2
set xrange [x_begin:x_end]
set xtics scale 0.6, 0 ()
in_units(size) = size >= 2**30 ? sprintf("%.3gG", size / 2.0**30) : sprintf("%.3gM", size / 2.0**20)
do for [mark in x_marks] {
  size = int(real(mark))
  name = size < 1000 ? sprintf("%d", size) : size < 1000000 ? sprintf("%d,%03d", size / 1000, size % 1000) : in_units(size)
  set xtics add (size_names ? name : "" real(mark))
}
do for [k = 0:39] {
  if (words(x_marks) == 0 && 2.0**k >= x_begin && 2.0**k <= x_last * 1.01) {
    unit = k < 10 ? "" : k < 20 ? "K" : k < 30 ? "M" : "G"
    set xtics add (size_names ? sprintf("%d%s", 2**(k % 10), unit) : "" 2.0**k)
  }
}
