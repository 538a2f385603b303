# Rows: $bars: row, from, to, place below the row, colour, half of the height; $spans: row, low, high; $marks: row, value, mark,
# colour. row_label[]. zero: the value of the upright line.
set xrange [x_begin:x_end]
set xtics x_step
set xlabel x_label offset 0,0.7
set format x '%.12g'
set yrange [rows+0.5:0.5]
unset ytics
set grid noytics xtics
set border 1
set lmargin at screen left(plot_left)
do for [i=1:rows] { set label kinds+i row_label[i] at graph 0, first i right offset -0.8,0 }
set arrow 1 from first zero, graph 0 to first zero, graph 1 nohead linewidth 1 linecolor rgb '#808080'
plot $bars using 2:1:2:3:($1+$4-$6):($1+$4+$6):5 with boxxyerror linecolor rgb variable, \
     $spans using 2:1:($3-$2):(0) with vectors nohead linewidth 1.4 linecolor rgb '#808080', \
     $marks using 2:1:3:4 with labels textcolor rgb variable font ',12'
