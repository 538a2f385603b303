# Points by two metrics, with intervals. $points: x, its low, its high, y, its low, its high, colour; $names: x, y, name.
set xrange [x_begin:x_end]
set yrange [y_begin:y_end]
set xlabel x_label offset 0,0.7
set format x '%.6g'
set format y '%.6g'
set grid xtics ytics linetype 1 linewidth 1 linecolor rgb '#c0808080'
set lmargin at screen left(plot_left)
plot $points using 1:4:($3-$2 > 0 ? $2 : $1):($3-$2 > 0 ? $3 : $1):($6-$5 > 0 ? $5 : $4):($6-$5 > 0 ? $6 : $4):7 with xyerrorbars pointtype 7 pointsize dot_size linewidth 1 linecolor rgb variable, \
     $names using 1:2:3 with labels left offset 0.5,0.55 font ',10.5'
