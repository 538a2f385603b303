# Seconds per epoch by part, stacked. $epochs: epoch, seconds in the first part, in the first two, ...
set xrange [0.4:epochs+0.6]
set xtics x_step scale 0
set xlabel 'epoch' offset 0,0.7
set yrange [0:*]
set format y '%g s'
set lmargin at screen left(plot_left)
set boxwidth (epochs > 60 ? 1 : 0.8)
plot for [i=kinds:1:-1] $epochs using 1:(column(i+1)) with boxes linecolor rgb kind_rgb[i]
