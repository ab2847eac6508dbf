# SPDX-License-Identifier: MIT
# Rows as bars, now (solid) and then (hatched), values beside them, whiskers for intervals. ARG3: data (block 0 the names
# of the rows); ARG7: axis; ARG8: height in places, the blocks of now, then and the names of groups (0: none), origin of
# the bars, ends of the axis, 1 for a logarithmic one, 1 where places hold two bars, the block of the limits (0: none).

height = real(word(ARG8, 1))
now = int(word(ARG8, 2))
then = int(word(ARG8, 3))
groups = int(word(ARG8, 4))
two = int(word(ARG8, 9))
limits = int(word(ARG8, 10))
# Many places get less room each; the words beside the bars need 20 pixels a bar.
place_height = height > 9 ? (two ? 50 : 32) : (two ? 88 : 54)
canvas_height = 210 + height * place_height
terminal = ARG1
picture = ARG2
title = ARG4
subtitle = ARG5
load ARG0[1:strlen(ARG0) - strlen("bars.gp")] . "style.gp"

origin = real(word(ARG8, 5))
axis_begin = real(word(ARG8, 6))
axis_end = real(word(ARG8, 7))
if (int(word(ARG8, 8)) == 1) {
  set logscale x 10
  set xtics scale 0.6, 0 ()
  narrow = axis_end < 3 * axis_begin
  digits = narrow ? "1 1.2 1.4 1.6 1.8 2 2.5 3 4 5 6 7 8 9" : "1 2 5"
  do for [k = -9:9] {
    do for [digit in digits] {
      if (digit * 10.0**k >= axis_begin && digit * 10.0**k <= axis_end) {
        set xtics add (sprintf("%g", digit * 10.0**k) digit * 10.0**k)
      }
    }
  }
}
set xrange [axis_begin:axis_end]
set yrange [-0.6:height - 0.4]
set border 1
set grid xtics linecolor rgb "#dddddd" linetype 1 linewidth 0.7
set ytics scale 0 noenhanced
set xlabel ARG7 textcolor rgb ink noenhanced
set arrow 1 from origin, -0.6 to origin, height - 0.4 nohead back linecolor rgb ink linewidth 1
# Names of groups stand on the lines, and so do words where there are limits.
set style textbox opaque noborder fillcolor rgb "white" margins 0.5, 0.5

beside(high) = high > origin ? high : origin

set style fill solid 1.0 border linecolor rgb ink
if (now > 0 && then > 0 || limits > 0) {
  set key at screen 0.98, screen (1 - 84.0 / canvas_height) right top horizontal samplen 2 width 1 font small_font textcolor rgb ink
}

plot ARG3 index 0 using (axis_begin):1:ytic(2) with points pointtype -1 notitle, \
     for [i = 1:then > 0] ARG3 index then using (origin):1:(origin):2:($1 - $7):($1 + $7) \
       with boxxyerror linecolor rgb "#e69f00" fillstyle pattern 4 border linecolor rgb ink title "published", \
     for [i = 1:now > 0] ARG3 index now using (origin):1:(origin):2:($1 - $7):($1 + $7) \
       with boxxyerror linecolor rgb "#56b4e9" title (then > 0 ? "now, here" : ""), \
     for [block = 1:(now > 0) + (then > 0)] ARG3 index block using ($3 < $4 ? $2 : NaN):1:3:4 \
       with xerrorbars linecolor rgb ink linewidth 1.2 pointtype 0 notitle, \
     for [i = 1:limits > 0] ARG3 index limits using 2:($1 - 0.42):(0):(0.84) \
       with vectors nohead linecolor rgb grey linewidth 1.6 dashtype (8, 6) title "the limit that applies", \
     for [block = 1:limits > 0 ? 0 : (now > 0) + (then > 0)] ARG3 index block using (beside($4)):1:6 \
       with labels left offset 1, 0 font small_font textcolor rgb ink noenhanced notitle, \
     for [block = 1:limits > 0 ? (now > 0) + (then > 0) : 0] ARG3 index block using (beside($4)):1:6 \
       with labels left boxed offset 1, 0 font small_font textcolor rgb ink noenhanced notitle, \
     for [i = 1:groups > 0] ARG3 index groups using (axis_begin):1:2 \
       with labels left boxed offset 0.5, 0 textcolor rgb ink noenhanced notitle
