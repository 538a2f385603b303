# What all plots share: size, typeface, thin axes, faint lines across, and the legend in its place above the plot.
# Margins are in pixels, because gnuplot guesses the width of letters.
under = exists("tic_lines") && tic_lines > 1
foot = under || (exists("x_label_lines") && x_label_lines > 1) ? 64 : 50
x_label_up = under ? -0.2 : 0.7
height = key_height + 10 + body + foot
set encoding utf8
set terminal svg size width,height font 'sans-serif,12' noenhanced
set border 3 linewidth 0.7
set tics nomirror out scale 0.5
set xtics offset 0,0.2
set grid ytics linetype 1 linewidth 1 linecolor rgb '#c0808080'
set style fill solid noborder
unset key
left(pixels) = pixels / real(width)
up(pixels) = 1 - pixels / real(height)
set tmargin at screen up(key_height + 10)
set bmargin at screen up(key_height + 10 + body)
set rmargin at screen 1 - left(12)
do for [i=1:kinds] {
    set object i rectangle from screen left(kind_x[i]), up(kind_y[i] + 5.5) to screen left(kind_x[i] + 11), up(kind_y[i] - 5.5) \
        fillcolor rgb kind_rgb[i] fillstyle solid noborder
    set label i kind_name[i] at screen left(kind_x[i] + 16), up(kind_y[i])
}
# Names of rows, left of the plot's area: row_label[], and row_under[] with the second lines or ''.
if (exists("row_label")) { do for [i=1:rows] {
    set label kinds+2*i-1 row_label[i] at graph 0, first i right offset -0.8,(row_under[i] eq '' ? 0 : 0.37)
    if (row_under[i] ne '') { set label kinds+2*i row_under[i] at graph 0, first i right offset -0.8,-0.37 }
} }
# "12,500", "1.5 M": a number of an axis. `eval x_numbers` and `eval y_numbers` label the axes from x_begin to x_end by x_step, likewise y: whole
# steps, without labels that the edge would cut.
is_whole(v) = abs(v - floor(v + 0.5)) < 1e-9 * v
grouped(v) = v < 0 ? '-'.grouped(-v) : v > 999999.5 ? sprintf('%.12g M', v / 1e6) : v < 999.5 || !is_whole(v) ? sprintf('%.12g', v) \
    : sprintf('%.0f,%03.0f', floor(v / 1000), v - 1000 * floor(v / 1000))
cut_off(v) = (v - x_begin) / real(x_end - x_begin) * (width - plot_left - 12) + 3.9 * strlen(grouped(v)) > width - plot_left
x_numbers = "set xtics (); do for [i=ceil(x_begin/x_step-1e-9):floor(x_end/x_step+1e-9)] { if (!cut_off(i*x_step)) { set xtics add (grouped(i*x_step) i*x_step) } }"
y_numbers = "set ytics (); do for [i=ceil(y_begin/y_step-1e-9):floor(y_end/y_step+1e-9)] { set ytics add (grouped(i*y_step) i*y_step) }"
