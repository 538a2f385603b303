# Slots of clusters as rows of bars. $bars: begin and end in seconds, row (1 on top), colour. row_step: rows from one number to the next.
set xrange [0:x_end]
set xtics x_step
set xlabel x_label offset 0,0.7
set yrange [rows+0.5:0.5]
set ytics 1,row_step scale 0
set format y '%g'
set grid noytics xtics
set border 1
set lmargin at screen left(plot_left)
plot $bars using ($1/unit_s):3:($1/unit_s):($2/unit_s):($3-row_half):($3+row_half):4 with boxxyerror linecolor rgb variable
