# Quantiles of distributions over those of a log, in seconds. $points: log, distribution, a block for each kind; curve_rgb[]. x_label.
set logscale xy 10
set xrange [x_begin:x_end]
set yrange [x_begin:x_end]
set xlabel x_label offset 0,0.7
set xtics ('1 s' 1, '1 min' 60, '1 h' 3600, '1 d' 86400, '30 d' 2592000)
set ytics ('1 s' 1, '1 min' 60, '1 h' 3600, '1 d' 86400, '30 d' 2592000)
set lmargin at screen left(56)
plot x with lines linewidth 1 dashtype 2 linecolor rgb '#808080', \
     for [i=1:curves] $points index (i-1) using 1:2 with lines linewidth 1.8 linecolor rgb curve_rgb[i]
