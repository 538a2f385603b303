# A table of two factors in colours. $cells: column, row, colour, text, ink. columns, rows; column_name[], row_label[]: names of levels.
set xrange [0.5:columns+0.5]
set yrange [0.5:rows+0.5]
set xtics () scale 0
do for [i=1:columns] { set xtics add (column_name[i] i) }
set xlabel x_label offset 0,x_label_up
unset ytics
unset grid
set border 0
set lmargin at screen left(plot_left)
plot $cells using 1:2:($1-0.49):($1+0.49):($2-0.47):($2+0.47):3 with boxxyerror linecolor rgb variable, \
     $cells using 1:2:4:5 with labels textcolor rgb variable font ',11'
