# Where training time goes, a bar for each job, in per cent. $parts: row, from, to, colour. $numbers: row, middle, text, colour.
set xrange [0:100]
set xtics (narrow ? 25 : 20) format '%g %%'
set yrange [rows+0.6:0.4]
set border 1
unset ytics
set grid noytics xtics linetype 1 linewidth 1 linecolor rgb '#c0808080'
set lmargin (narrow ? 12 : 15)
set bmargin 2
do for [i=1:rows] { set label i row_label[i] at graph 0, first i right offset -0.8,0 }
plot for [i=1:kinds] NaN with boxes linecolor rgb kind_rgb[i] title kind_name[i], \
     $parts using 2:1:2:3:($1-0.32):($1+0.32):4 with boxxyerror linecolor rgb variable notitle, \
     $numbers using 2:1:3:4 with labels textcolor rgb variable notitle
