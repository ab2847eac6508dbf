# SPDX-License-Identifier: MIT
# A metric over a size: one line a series, whiskers for the intervals, names at the ends of the lines, the memory-copy
# limit dashed. ARG3: data (block 0 the names, then one block a series); ARG6, ARG7: axes; ARG8: series, first x, last x,
# end of the x axis with room for the names, end of the y axis, limit or 0.

canvas_height = 750
terminal = ARG1
picture = ARG2
title = ARG4
subtitle = ARG5
folder = ARG0[1:strlen(ARG0) - strlen("sweep.gp")]
load folder . "style.gp"

series = int(word(ARG8, 1))
x_first = real(word(ARG8, 2))
x_last = real(word(ARG8, 3))
x_end = real(word(ARG8, 4))
y_end = real(word(ARG8, 5))
limit = real(word(ARG8, 6))
x_begin = x_first / 1.2

# None under the names: the axis ends where the sizes do.
load folder . "sizes.gp"
set yrange [0:y_end]
set border 2
set arrow 1 from x_begin, 0 to x_last * 1.1, 0 nohead linecolor rgb grey linewidth 1
set grid ytics linecolor rgb "#dddddd" linetype 1 linewidth 0.7
set xlabel ARG6 textcolor rgb ink noenhanced
set ylabel ARG7 textcolor rgb ink noenhanced offset 0.5, 0
# The grid ends where the names begin.
set object 1 rectangle from x_last * 1.1, graph -0.01 to x_end, graph 1 back fillcolor rgb "white" fillstyle solid noborder

if (limit > 0) {
  set arrow 2 from x_begin, limit to x_last * 1.1, limit nohead linecolor rgb grey linewidth 1.6 dashtype (8, 6)
}

plot for [i = 1:series] ARG3 index i using 1:2:3:4 with yerrorbars linestyle style_of(i) dashtype solid linewidth 1.2 pointtype 0 notitle, \
     for [i = 1:series] ARG3 index i using 1:2 with linespoints linestyle style_of(i) notitle, \
     ARG3 index 0 using 1:2:4 with labels left offset 1.2, 0 textcolor rgb ink noenhanced notitle, \
     for [i = 1:series] ARG3 index 0 every ::(i - 1)::(i - 1) using 1:2 with points linestyle style_of(i) notitle
