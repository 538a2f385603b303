# Where training time goes, a bar for each job, or money, a bar for each cluster; in per cent. $parts: row, from, to, colour. $numbers: row, middle, text,
# colour. row_label[].
set xrange [0:100]
x_step = narrow ? 25 : 20
set xtics x_step format '%g %%'
set yrange [rows+0.5:0.5]
unset ytics
set grid noytics xtics
set border 1
set lmargin at screen left(plot_left)
set rmargin at screen 1 - left(20)
plot $parts using 2:1:2:3:($1-0.34):($1+0.34):4 with boxxyerror linecolor rgb variable, \
     $numbers using 2:1:3:4 with labels textcolor rgb variable
