# Points by two metrics, with intervals. $points: x, its low, its high, y, its low, its high, colour, mark; $names: x, y, name.
set xrange [x_begin:x_end]
set yrange [y_begin:y_end]
set xtics x_step
set xlabel x_label offset 0,0.7
set format x '%.6g'
set format y '%.6g'
set grid xtics ytics linetype 1 linewidth 1 linecolor rgb '#c0808080'
set lmargin at screen left(plot_left)
plot $points using 2:4:($3-$2):(0):7 with vectors nohead linewidth 1.2 linecolor rgb variable, \
     $points using 1:5:(0):($6-$5):7 with vectors nohead linewidth 1.2 linecolor rgb variable, \
     $points using 1:4:8:7 with labels textcolor rgb variable font dot_font, \
     $names using 1:2:3 with labels left offset 0.7,0.6 font ',10.5'
