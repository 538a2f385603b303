# Lines over a value, such as a queue over time. $curves: x, y, a block for each of `curves`; curve_rgb[], curve_dash[].
set xrange [x_begin:x_end]
set yrange [y_begin:y_end]
set xtics x_step
set xlabel x_label offset 0,0.7
set format y '%.12g'
set lmargin at screen left(plot_left)
plot for [i=1:curves] $curves index (i-1) using 1:2 with lines linewidth 1.6 dashtype curve_dash[i] linecolor rgb curve_rgb[i]
