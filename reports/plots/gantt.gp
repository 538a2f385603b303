# Jobs and nodes as bars. $bars: begin and end in seconds, row (1 on top), colour. $epochs: seconds, row. row_label[].
set xrange [0:x_end]
set xtics x_step
set xlabel x_label offset 0,0.4
set yrange [rows+0.6:0.4]
set grid noytics xtics linetype 1 linewidth 1 linecolor rgb '#c0808080'
set border 1
set ytics scale 0
set lmargin (narrow ? 14 : 24)
set key maxrows (narrow ? 6 : 2)
unset ytics
do for [i=1:rows] { set label i row_label[i] at graph 0, first i right offset -0.8,0 }
if (separator > 0) { set arrow 1 from graph 0, first separator to graph 1, first separator nohead linewidth 1 linecolor rgb '#80808080' }
plot for [i=1:kinds] NaN with boxes linecolor rgb kind_rgb[i] title kind_name[i], \
     $bars using ($1/unit_s):3:($1/unit_s):($2/unit_s):($3-0.38):($3+0.38):4 with boxxyerror \
         linecolor rgb variable notitle, \
     $epochs using ($1/unit_s):($2-0.38):(0):0.76 with vectors nohead linewidth 0.8 linecolor rgb '#ffffff' notitle
