# SPDX-License-Identifier: MIT
# What all figures share: the terminal, the font, eight line styles that differ in colour, dash and point at once, so that
# they are told apart in black and white too. Colours: Okabe and Ito, Color Universal Design, 2008.
# Loaded by each script after it has set canvas_height, terminal (svg, pngcairo or png), picture, title and subtitle: a
# loaded script has no arguments. Texts come by argument or from the data file, always noenhanced: no markup in them.

set encoding utf8
if (terminal eq "svg") {
  set terminal svg size 1200, canvas_height noenhanced font "DejaVu Sans,15" background rgb "white" linewidth 1.2
} else { if (terminal eq "pngcairo") {
  set terminal pngcairo size 1200, canvas_height noenhanced font "DejaVu Sans,11" background rgb "white" linewidth 1.4
} else {
  set terminal png size 1200, canvas_height noenhanced font "DejaVu Sans,11" background rgb "white" linewidth 1
}}
set output picture
set datafile separator "\t"

title_size = terminal eq "svg" ? 21 : 16
small_size = terminal eq "svg" ? 14 : 10
large_font = sprintf("DejaVu Sans,%d", title_size)
small_font = sprintf("DejaVu Sans,%d", small_size)
points = terminal eq "svg" ? 0.8 : 1

ink = "#222222"
grey = "#6e6e6e"
set border 3 linecolor rgb grey linewidth 1
set tics nomirror textcolor rgb ink
set label 1001 title at screen 0.02, screen (1 - 30.0 / canvas_height) left font large_font textcolor rgb ink noenhanced
set label 1002 subtitle at screen 0.02, screen (1 - 58.0 / canvas_height) left font small_font textcolor rgb grey noenhanced
set tmargin at screen (1 - 110.0 / canvas_height)
unset key
size_names = 1
x_marks = ""

set style line 1 linecolor rgb "#0072b2" linewidth 2.2 dashtype solid      pointtype 7  pointsize 1.1 * points
set style line 2 linecolor rgb "#d55e00" linewidth 2.2 dashtype (14, 5)    pointtype 5  pointsize 1.1 * points
set style line 3 linecolor rgb "#009e73" linewidth 2.2 dashtype (3, 4)     pointtype 9  pointsize 1.3 * points
set style line 4 linecolor rgb "#b4588f" linewidth 2.2 dashtype (14, 4, 3, 4) pointtype 13 pointsize 1.2 * points
set style line 5 linecolor rgb "#c78500" linewidth 2.2 dashtype (7, 4)     pointtype 11 pointsize 1.3 * points
set style line 6 linecolor rgb "#3b8dbd" linewidth 2.2 dashtype (2, 3, 8, 3) pointtype 6 pointsize 1.1 * points
set style line 7 linecolor rgb "#222222" linewidth 2.2 dashtype (20, 4)    pointtype 4  pointsize 1.1 * points
set style line 8 linecolor rgb "#8c564b" linewidth 2.2 dashtype (3, 3, 3, 8) pointtype 8 pointsize 1.3 * points
set style line 9 linecolor rgb "#6a51a3" linewidth 2.2 dashtype (10, 3, 3, 3, 3, 3) pointtype 15 pointsize 1.2 * points
set style line 10 linecolor rgb "#808000" linewidth 2.2 dashtype (2, 6)   pointtype 12 pointsize 1.3 * points
set style line 11 linecolor rgb "#a50f15" linewidth 2.2 dashtype (5, 2)   pointtype 10 pointsize 1.3 * points
set style line 12 linecolor rgb "#44aa99" linewidth 2.2 dashtype (16, 3, 2, 3) pointtype 14 pointsize 1.2 * points
# Published figures beside the series of the same colour: hollow points on a thin dotted line.
set style line 21 linecolor rgb "#0072b2" linewidth 1.3 dashtype (2, 5) pointtype 6  pointsize 1.3 * points
set style line 22 linecolor rgb "#d55e00" linewidth 1.3 dashtype (2, 5) pointtype 4  pointsize 1.3 * points
set style line 23 linecolor rgb "#009e73" linewidth 1.3 dashtype (2, 5) pointtype 8  pointsize 1.5 * points
set style line 24 linecolor rgb "#b4588f" linewidth 1.3 dashtype (2, 5) pointtype 12 pointsize 1.4 * points
set style line 25 linecolor rgb "#c78500" linewidth 1.3 dashtype (2, 5) pointtype 10 pointsize 1.5 * points
set style line 26 linecolor rgb "#3b8dbd" linewidth 1.3 dashtype (2, 5) pointtype 6  pointsize 1.3 * points
set style line 27 linecolor rgb "#222222" linewidth 1.3 dashtype (2, 5) pointtype 4  pointsize 1.3 * points
set style line 28 linecolor rgb "#8c564b" linewidth 1.3 dashtype (2, 5) pointtype 8  pointsize 1.5 * points
set style line 29 linecolor rgb "#6a51a3" linewidth 1.3 dashtype (2, 5) pointtype 14 pointsize 1.4 * points
set style line 30 linecolor rgb "#808000" linewidth 1.3 dashtype (2, 5) pointtype 12 pointsize 1.4 * points
set style line 31 linecolor rgb "#a50f15" linewidth 1.3 dashtype (2, 5) pointtype 10 pointsize 1.4 * points
set style line 32 linecolor rgb "#44aa99" linewidth 1.3 dashtype (2, 5) pointtype 14 pointsize 1.4 * points
