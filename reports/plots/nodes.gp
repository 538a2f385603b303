# Nodes of one cluster by state, stacked. $states: seconds, nodes in the first state, in the first two, ...
set xrange [0:x_end]
set xtics x_step
set xlabel x_label offset 0,0.4
set yrange [0:y_end]
set ytics y_step
set lmargin 5.5
plot for [i=1:kinds] NaN with boxes linecolor rgb kind_rgb[i] title kind_name[i], \
     for [i=kinds:1:-1] $states using ($1/unit_s):(column(i+1)) with filledcurves y1=0 \
         linecolor rgb kind_rgb[i] notitle
