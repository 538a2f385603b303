# Shares of runs or jobs with at most a value, as steps. $curves: value, per cent, a block for each of `curves`; curve_rgb[], curve_width[].
# marks: upright lines at mark_at[] with mark_name[]; y_limit: a line across, if has_limit.
set xrange [x_begin:x_end]
set yrange [0:100]
set ytics 20
if (x_is_log) { set logscale x 10 } else { eval x_numbers }
if (tics > 0) {
    set xtics () scale 0.5
    last = -100.0
    do for [i=1:tics] {
        part = x_is_log ? log10(tic_at[i] / real(x_begin)) / log10(x_end / real(x_begin)) : (tic_at[i] - x_begin) / real(x_end - x_begin)
        at = part * (width - plot_left - 12)
        if (at >= 0 && at - last >= 48) {
            set xtics add (tic_name[i] tic_at[i])
            last = at
        }
    }
}
set xlabel x_label offset 0,0.7
set format y '%g %%'
set grid xtics ytics linetype 1 linewidth 1 linecolor rgb '#c0808080'
set lmargin at screen left(plot_left)
if (has_limit) {
    set arrow 1 from graph 0, first y_limit to graph 1, first y_limit nohead linewidth 1.4 dashtype 2 linecolor rgb '#808080'
}
do for [i=1:marks] {
    set arrow i+1 from first mark_at[i], graph 0 to first mark_at[i], graph 1 nohead linewidth 1.4 dashtype 3 linecolor rgb '#808080'
    set label kinds+i mark_name[i] at first mark_at[i], graph 0 right offset -0.6,0.8 font ',10.5'
}
plot for [i=1:curves] $curves index (i-1) using 1:2 with steps linewidth curve_width[i] linecolor rgb curve_rgb[i]
