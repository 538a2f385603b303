# A metric over the levels of a factor. $marks: x, mean, low, high, a block for each of `curves`; $bounds: x, mean, colour of values that
# are only lower bounds; $dots: x, value, mark. y_limit: a line across, if has_limit. tic_name[], tic_at[]: `tics` names of levels; 0: numbers.
set xrange [x_begin:x_end]
set yrange [y_begin:y_end]
if (x_is_log) { set logscale x 10 } else { eval x_numbers }
eval y_numbers
if (tics > 0) {
    set xtics () scale 0.5
    do for [i=1:tics] { set xtics add (tic_name[i] tic_at[i]) }
}
set xlabel x_label offset 0,x_label_up
if (has_limit) {
    set arrow 1 from graph 0, first y_limit to graph 1, first y_limit nohead linewidth 1.4 dashtype 2 linecolor rgb '#808080'
}
set lmargin at screen left(plot_left)
plot $dots using 1:2:3 with labels textcolor rgb dots_rgb font ',7', \
     for [i=1:curves] $marks index (i-1) using 1:2 with lines linewidth (has_lines ? 1.7 : 0.001) linecolor rgb curve_rgb[i], \
     for [i=1:curves] $marks index (i-1) using 1:2:3:4 with yerrorbars pointsize 0 linewidth 1.3 linecolor rgb curve_rgb[i], \
     for [i=1:curves] $marks index (i-1) using 1:2:5 with labels textcolor rgb curve_rgb[i] font ',11', \
     $bounds using 1:2:(0):(bound_length):3 with vectors head filled size screen 0.012,22 linewidth 1.3 linecolor rgb variable
