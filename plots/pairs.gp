# SPDX-License-Identifier: MIT
# Sources by sinks as a heat map: colour for the lead over the fastest peer, three lines of words a cell. ARG3: data
# (block 0 the sinks, block 1 the sources); ARG7: what the colours mean; ARG8: number of sinks and of sources, the blocks
# of the cells with a lead and without (0: none), doublings at the ends of the colours.

sinks = int(word(ARG8, 1))
sources = int(word(ARG8, 2))
led = int(word(ARG8, 3))
others = int(word(ARG8, 4))
most = real(word(ARG8, 5))
cell_height = 84
head = 146
foot = 96
canvas_height = head + sources * cell_height + foot
terminal = ARG1
picture = ARG2
title = ARG4
subtitle = ARG5
load ARG0[1:strlen(ARG0) - strlen("pairs.gp")] . "style.gp"

set tmargin at screen (1 - real(head) / canvas_height)
set bmargin at screen real(foot) / canvas_height
set lmargin at screen 0.125
set rmargin at screen 0.985
set xrange [-0.5:sinks - 0.5]
set yrange [-0.5:sources - 0.5]
unset border
unset xtics
set x2range [-0.5:sinks - 0.5]
set x2tics scale 0 textcolor rgb ink noenhanced
set ytics scale 0 textcolor rgb ink noenhanced

# Orange: ours is behind; blue: ours leads. Light enough for dark words on any of them.
set palette defined (-most "#e8893c", -most / 2.0 "#f6c79b", 0 "#f1f1f1", most / 2.0 "#a9d3ee", most "#56b4e9")
set cbrange [-most:most]
if (led > 0) {
  set colorbox horizontal user origin screen 0.125, screen 46.0 / canvas_height size screen 0.4, screen 14.0 / canvas_height noborder
  set cbtics scale 0 font small_font textcolor rgb ink noenhanced ("1/4 or less" -2, "1/2" -1, "1" 0, "2" 1, "4 or more" 2)
  set label 1 ARG7 at screen 0.545, screen 53.0 / canvas_height left font small_font textcolor rgb ink noenhanced
} else {
  unset colorbox
}

gap = 0.015
line = 0.26
plot ARG3 index 0 using 1:(-9):x2tic(2) with points pointtype -1 notitle, \
     ARG3 index 1 using (-9):1:ytic(2) with points pointtype -1 notitle, \
     for [i = 1:led > 0] ARG3 index led using 1:2:($1 - 0.5 + gap):($1 + 0.5 - gap):($2 - 0.5 + gap):($2 + 0.5 - gap):3 \
       with boxxyerror fillstyle solid 1.0 noborder linecolor palette notitle, \
     for [i = 1:others > 0] ARG3 index others using 1:2:($1 - 0.5 + gap):($1 + 0.5 - gap):($2 - 0.5 + gap):($2 + 0.5 - gap) \
       with boxxyerror fillstyle solid 1.0 border linecolor rgb "#d0d0d0" fillcolor rgb "#ffffff" notitle, \
     for [block = 2:1 + (led > 0) + (others > 0)] ARG3 index block using 1:($2 + line):4 \
       with labels center font small_font textcolor rgb ink noenhanced notitle, \
     for [block = 2:1 + (led > 0) + (others > 0)] ARG3 index block using 1:2:5 \
       with labels center font small_font textcolor rgb "#444444" noenhanced notitle, \
     for [block = 2:1 + (led > 0) + (others > 0)] ARG3 index block using 1:($2 - line):6 \
       with labels center font small_font textcolor rgb "#444444" noenhanced notitle
