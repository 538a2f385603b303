# Points by two values, with intervals. $points: x, its low, its high, y, its low, its high, colour, mark; $names: x and y of the left end of a
# name, the name; $lines: from a point to its name if that is away from it: x, y, and the way. y_limit: a line across, if has_limit; band_low,
# band_high: values of x that count as equal, if has_band.
set xrange [x_begin:x_end]
set yrange [y_begin:y_end]
if (x_is_log) {
    set logscale x 10
    set xtics ()
    unset mxtics
    decade = (width - plot_left - 12) / log10(x_end / real(x_begin))
    digits = decade >= 155 ? "1 2 5" : decade >= 100 ? "1 3" : "1"
    do for [power=-6:12] { do for [digit in digits] {
        at = digit * 10.0**power
        if (at >= x_begin && at <= x_end) { set xtics add (grouped(at) at) }
    } }
} else { eval x_numbers }
eval y_numbers
set xlabel x_label offset 0,0.7
set grid xtics ytics linetype 1 linewidth 1 linecolor rgb '#c0808080'
set lmargin at screen left(plot_left)
if (has_band) {
    set object kinds+1 rectangle from first band_low, graph 0 to first band_high, graph 1 behind fillcolor rgb '#d8808080' fillstyle solid noborder
}
if (has_limit) {
    set arrow 1 from graph 0, first y_limit to graph 1, first y_limit nohead linewidth 1.4 dashtype 2 linecolor rgb '#808080'
    set label kinds+1 limit_name at graph 1, first y_limit right offset 0,-0.7 font ',10.5'
}
plot $lines using 1:2:3:4 with vectors nohead linewidth 0.8 linecolor rgb '#808080', \
     $points using 2:4:($3-$2):(0):7 with vectors nohead linewidth 1.2 linecolor rgb variable, \
     $points using 1:5:(0):($6-$5):7 with vectors nohead linewidth 1.2 linecolor rgb variable, \
     $points using 1:4:8:7 with labels textcolor rgb variable font dot_font, \
     $names using 1:2:3 with labels left font ',10.5'
