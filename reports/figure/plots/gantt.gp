# Jobs and nodes as bars. $bars: begin and end in seconds, row (1 on top), colour. $epochs: seconds, row. row_label[].
set xrange [0:x_end]
set xtics x_step
set xlabel x_label offset 0,0.7
set yrange [rows+0.5:0.5]
unset ytics
set grid noytics xtics
set border 1
set lmargin at screen left(plot_left)
if (separator > 0) {
    set arrow 1 from graph 0, first separator to graph 1, first separator nohead linewidth 1 linecolor rgb '#80808080'
}
plot $bars using ($1/unit_s):3:($1/unit_s):($2/unit_s):($3-0.38):($3+0.38):4 with boxxyerror linecolor rgb variable, \
     $epochs using ($1/unit_s):($2+0.02):(0):(0.36) with vectors nohead linewidth 0.8 linecolor rgb '#ffffff'
