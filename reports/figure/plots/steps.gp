# Steps in the order in which they came: a band from the shortest to the longest of each few, their median, and what was predicted of
# the same, in ms. $steps: step, shortest, median, longest, predicted. `warmup`: so many steps do not count.
set xrange [0:steps]
set yrange [0:y_end]
set xlabel 'step' offset 0,0.7
set format y '%g ms'
set lmargin at screen left(64)
if (warmup > 0) { set arrow 1 from first warmup, graph 0 to first warmup, graph 1 nohead dashtype 3 linecolor rgb '#808080' }
plot $steps using 1:2:4 with filledcurves linecolor rgb kind_rgb[2] fillstyle transparent solid 0.3 noborder, \
     $steps using 1:3 with lines linewidth 1.3 linecolor rgb kind_rgb[2], \
     $steps using 1:5 with lines linewidth 1.8 linecolor rgb kind_rgb[1]
