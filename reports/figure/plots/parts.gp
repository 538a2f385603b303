# Parts of a step, each with a bar for what was predicted and one for what was measured, in ms. $bars: y, value, colour. $spans: y,
# low, high. $numbers: y, value, text. row_label[].
set xrange [0:x_end]
set xlabel 'ms' offset 0,0.7
set yrange [rows+0.5:0.5]
unset ytics
set grid noytics xtics
set border 1
set lmargin at screen left(narrow ? 86 : 100)
set rmargin at screen 1 - left(20)
plot $bars using 2:1:(0):2:($1-0.17):($1+0.17):3 with boxxyerror linecolor rgb variable, \
     $spans using 2:1:($3-$2):(0) with vectors nohead linewidth 1.2 linecolor rgb '#808080', \
     $numbers using 2:1:3 with labels left offset 0.8,0
