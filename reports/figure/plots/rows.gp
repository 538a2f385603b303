# Rows: $bars: row, from, to, place below the row, colour, half of the height; $spans: row, low, high; $marks: row, value, mark,
# colour. row_label[]. zero: the value of the upright line.
set xrange [x_begin:x_end]
eval x_numbers
set xlabel x_label offset 0,0.7
set yrange [rows+0.5:0.5]
unset ytics
set grid noytics xtics
set border 1
set lmargin at screen left(plot_left)
set arrow 1 from first zero, graph 0 to first zero, graph 1 nohead linewidth 1 linecolor rgb '#808080'
plot $bars using 2:1:2:3:($1+$4-$6):($1+$4+$6):5 with boxxyerror linecolor rgb variable, \
     $spans using 2:1:($3-$2):(0) with vectors nohead linewidth 1.4 linecolor rgb '#808080', \
     $marks using 2:1:3:4 with labels textcolor rgb variable font ',12'
