# What all plots share: size, typeface, thin axes, faint lines across, and the legend in its place above the plot.
# Margins are in pixels, because gnuplot guesses the width of letters.
foot = 50
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
