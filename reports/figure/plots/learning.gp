# A measure over epochs. $curves: epoch, value, a block for each curve; curve_rgb[], curve_dash[] (1: solid, 2: dashed).
set xrange [0:epochs*1.02]
set xtics x_step
set xlabel 'epoch' offset 0,0.7
if (y_end > 0) { set yrange [0:y_end] } else { set yrange [0:*] }
set format y y_format
set lmargin at screen left(plot_left)
set style circle radius graph 0.008
plot for [i=1:curves] $curves index (i-1) using 1:2 with lines linewidth 1.8 dashtype curve_dash[i] linecolor rgb curve_rgb[i], \
     for [i=1:curves] $curves index (i-1) using (has_points ? $1 : NaN):2 with circles linecolor rgb curve_rgb[i]
