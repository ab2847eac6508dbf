# SPDX-License-Identifier: MIT
# Time per MiB over block size with the fit through it, both logarithmic; below, by how much each size is missed. ARG3:
# data (block 0 the sizes, block 1 the curve); ARG6, ARG7: axes; ARG8: first x, last x, ends of the y axis, fit (0 none,
# 1 fits, 2 does not), end of the errors' axis, limit of errors in percent, height of bytes alone or 0, place of the name
# of calls alone or 0 0.

canvas_height = 900
terminal = ARG1
picture = ARG2
title = ARG4
subtitle = ARG5
folder = ARG0[1:strlen(ARG0) - strlen("fit.gp")]
load folder . "style.gp"

x_last = real(word(ARG8, 2))
x_begin = real(word(ARG8, 1)) / 1.3
x_end = x_last * 1.3
y_begin = real(word(ARG8, 3))
y_end = real(word(ARG8, 4))
fit = int(word(ARG8, 5))
error_end = real(word(ARG8, 6))
limit = real(word(ARG8, 7))
bytes_alone = real(word(ARG8, 8))
calls_x = real(word(ARG8, 9))
calls_y = real(word(ARG8, 10))
# The names of the sizes stand under the lower part.
has_errors = fit > 0
size_names = !has_errors
load folder . "sizes.gp"

set style line 14 linecolor rgb grey linewidth 1.2 dashtype (3, 5)
set style line 15 linecolor rgb grey linewidth 1.4 dashtype (8, 6)
fitted_color = "#0072b2"
held_color = "#d55e00"
set style line 11 linecolor rgb fitted_color linewidth 1.6 pointtype 7 pointsize 1.5 * points
set style line 12 linecolor rgb held_color linewidth 1.6 pointtype 5 pointsize 1.4 * points
set style line 13 linecolor rgb grey linewidth 1.3 pointtype 6 pointsize 1.4 * points
of(part, value) = column(6) == part ? value : NaN
of_curve(beyond) = column(5) == beyond ? column(2) : NaN

set lmargin at screen 0.075
set rmargin at screen 0.975
main_bottom = has_errors ? 0.34 : 0.09

set multiplot
set tmargin at screen (1 - 128.0 / canvas_height)
set bmargin at screen main_bottom
set yrange [y_begin:y_end]
load folder . "marks.gp"
set grid ytics linecolor rgb "#dddddd" linetype 1 linewidth 0.7
set ylabel ARG7 textcolor rgb ink noenhanced offset 0.5, 0
if (!has_errors) { set xlabel ARG6 textcolor rgb ink noenhanced }
set key at graph 0.985, graph 0.97 right top Left reverse samplen 2.5 spacing 1.3 textcolor rgb ink noenhanced

if (bytes_alone > 0) {
  set label 1 "bytes alone" at x_begin * 1.15, bytes_alone left offset 0, 0.6 font small_font textcolor rgb grey
}
if (calls_x > 0) {
  set label 2 "calls alone" at calls_x, calls_y right offset -1.2, 0 font small_font textcolor rgb grey
}
plot for [i = 1:bytes_alone > 0] ARG3 index 1 using 1:3 with lines linestyle 14 notitle, \
     for [i = 1:calls_x > 0] ARG3 index 1 using 1:4 with lines linestyle 14 notitle, \
     for [i = 1:fit == 1] ARG3 index 1 using 1:(of_curve(0)) with lines linecolor rgb ink linewidth 1.8 \
       title "fit: bytes and calls together", \
     for [i = 1:fit == 1] ARG3 index 1 using 1:(of_curve(1)) with lines linestyle 15 notitle, \
     for [i = 1:fit == 2] ARG3 index 1 using 1:2 with lines linestyle 15 \
       title "bytes and calls together: does not fit", \
     ARG3 index 0 using 1:(of(0, $2)):3:4 with yerrorbars linestyle 11 title "fitted", \
     ARG3 index 0 using 1:(of(1, $2)):3:4 with yerrorbars linestyle 12 title "held out: not seen by the fit", \
     ARG3 index 0 using 1:(of(2, $2)):3:4 with yerrorbars linestyle 13 title "larger blocks: not fitted"

if (has_errors) {
  unset label
  unset key
  unset logscale y
  set tmargin at screen 0.302
  set bmargin at screen 0.09
  set yrange [-error_end:error_end]
  set ytics scale 0.6, 0 autofreq
  size_names = 1
  load folder . "sizes.gp"
  set xlabel ARG6 textcolor rgb ink noenhanced
  set ylabel "off the fit (%)" textcolor rgb ink noenhanced offset 0.5, 0
  set object 1 rectangle from graph 0, first -limit to graph 1, first limit behind \
    fillcolor rgb "#eef3f7" fillstyle solid noborder
  set label 3 sprintf("shaded: within %g %%", limit) at graph 0, 1.09 left font small_font textcolor rgb grey
  set arrow 1 from x_begin, 0 to x_end, 0 nohead back linecolor rgb ink linewidth 1
  plot ARG3 index 0 using 1:(of(2, $7)):8:9 with yerrorbars linestyle 13 notitle, \
       ARG3 index 0 using 1:(of(0, $7)):8:9 with yerrorbars linestyle 11 notitle, \
       ARG3 index 0 using 1:(of(1, $7)):8:9 with yerrorbars linestyle 12 notitle
}
unset multiplot
