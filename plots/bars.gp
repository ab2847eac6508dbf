# SPDX-License-Identifier: MIT
# Rows as bars, now (solid) and then (hatched), values beside them, whiskers for our intervals. ARG3: data (block 0 the
# names of the rows, 1 now, 2 then); ARG7: axis; ARG8: rows, series (1: now, 2: now and then), origin of the bars, ends of
# the axis, 1 for a logarithmic one.

rows = int(word(ARG8, 1))
series = int(word(ARG8, 2))
canvas_height = 210 + rows * 34 * (series + 0.6)
terminal = ARG1
picture = ARG2
title = ARG4
subtitle = ARG5
load ARG0[1:strlen(ARG0) - strlen("bars.gp")] . "style.gp"

origin = real(word(ARG8, 3))
axis_begin = real(word(ARG8, 4))
axis_end = real(word(ARG8, 5))
if (int(word(ARG8, 6)) == 1) {
  set logscale x 10
  set xtics scale 0.6, 0 ()
  do for [k = -9:9] {
    do for [digit in "1 2 5"] {
      if (digit * 10.0**k >= axis_begin && digit * 10.0**k <= axis_end) {
        set xtics add (sprintf("%g", digit * 10.0**k) digit * 10.0**k)
      }
    }
  }
}
set xrange [axis_begin:axis_end]
set yrange [-0.6:rows - 0.4]
set border 1
set grid xtics linecolor rgb "#dddddd" linetype 1 linewidth 0.7
set ytics scale 0 noenhanced
set xlabel ARG7 textcolor rgb ink noenhanced
set arrow 1 from origin, -0.6 to origin, rows - 0.4 nohead linecolor rgb ink linewidth 1

# Then above, now below, in the band of the row.
half = series == 2 ? 0.17 : 0.28
now = series == 2 ? -0.19 : 0
then = 0.19
beside(high) = high > origin ? high : origin

set style fill solid 1.0 border linecolor rgb ink
if (series == 2) {
  set key at screen 0.98, screen (1 - 84.0 / canvas_height) right top horizontal samplen 2 width 1 font small_font textcolor rgb ink
}

plot ARG3 index 0 using (axis_begin):1:ytic(2) with points pointtype -1 notitle, \
     for [block = 2:series] ARG3 index block using (origin):($1 + then):(origin):2:($1 + then - half):($1 + then + half) \
       with boxxyerror linecolor rgb "#e69f00" fillstyle pattern 4 border linecolor rgb ink title "published", \
     for [block = 2:series] ARG3 index block using (beside($4)):($1 + then):6 \
       with labels left offset 1, 0 font small_font textcolor rgb ink noenhanced notitle, \
     ARG3 index 1 using (origin):($1 + now):(origin):2:($1 + now - half):($1 + now + half) \
       with boxxyerror linecolor rgb "#56b4e9" title "now, here", \
     ARG3 index 1 using 2:($1 + now):3:4 with xerrorbars linecolor rgb ink linewidth 1.2 pointtype 0 notitle, \
     ARG3 index 1 using (beside($4)):($1 + now):6 \
       with labels left offset 1, 0 font small_font textcolor rgb ink noenhanced notitle
