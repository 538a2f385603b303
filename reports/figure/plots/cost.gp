# Dollars spent so far, stacked by cluster. $cost: seconds, first cluster, first two, ...
set xrange [0:x_end]
set xtics x_step
set xlabel x_label offset 0,0.7
set yrange [0:*]
set format y '%.12g'
set lmargin at screen left(plot_left)
plot for [i=kinds:1:-1] $cost using ($1/unit_s):(column(i+1)) with filledcurves y1=0 linecolor rgb kind_rgb[i]
