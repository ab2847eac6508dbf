# SPDX-License-Identifier: MIT
# A metric over a size: one line a series, whiskers for the intervals, names at the ends of the lines, limits dashed.
# ARG3: data (block 0 the names, then one block a series); ARG6, ARG7: axes; ARG8: series, first x, last x, end of the x
# axis with room for the names, ends of the y axis, 1 for a logarithmic one, number of limits, factor between whiskers of
# neighbouring series, then the style of each series, the height of each limit, the sizes that have marks.

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
y_begin = real(word(ARG8, 5))
y_end = real(word(ARG8, 6))
limits = int(word(ARG8, 8))
apart = real(word(ARG8, 9))
style(i) = int(word(ARG8, 9 + i))
limit(i) = real(word(ARG8, 9 + series + i))
moved(i) = apart**(i - (series + 1) / 2.0)
x_begin = x_first / apart**(series / 2.0 + 1) / 1.05
axis_end = x_last * apart**(series / 2.0 + 1) * 1.05
x_marks = ""
do for [i = 10 + series + limits:words(ARG8)] { x_marks = x_marks . " " . word(ARG8, i) }

# None under the names: the axis ends where the sizes do.
load folder . "sizes.gp"
set yrange [y_begin:y_end]
if (int(word(ARG8, 7)) == 1) { load folder . "marks.gp" }
set border 2
set arrow 1 from x_begin, y_begin to axis_end, y_begin nohead linecolor rgb grey linewidth 1
set grid ytics linecolor rgb "#dddddd" linetype 1 linewidth 0.7
set xlabel ARG6 textcolor rgb ink noenhanced
set ylabel ARG7 textcolor rgb ink noenhanced offset 0.5, 0
# The grid ends where the names begin.
set object 1 rectangle from axis_end, graph -0.01 to x_end, graph 1 back fillcolor rgb "white" fillstyle solid noborder

do for [i = 1:limits] {
  set arrow (1 + i) from x_begin, limit(i) to axis_end, limit(i) nohead linecolor rgb grey linewidth 1.6 dashtype (8, 6)
}

plot for [i = 1:series] ARG3 index i using ($1 * moved(i)):2:3:4 with yerrorbars linestyle style(i) dashtype solid linewidth 1.2 pointtype 0 notitle, \
     for [i = 1:series] ARG3 index i using ($1 * moved(i)):2 with linespoints linestyle style(i) notitle, \
     ARG3 index 0 using 1:($3 == 0 ? NaN : $2):4 with labels left offset 1.2, 0 textcolor rgb ink noenhanced notitle, \
     for [i = 1:limits > 0] ARG3 index 0 using 1:($3 == 0 ? $2 : NaN):4 \
       with labels left offset 1.2, 0 textcolor rgb grey noenhanced notitle, \
     for [i = 1:series] ARG3 index 0 using 1:($3 == i ? $2 : NaN) with points linestyle style(i) notitle
