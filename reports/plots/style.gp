# What all plots share: size, typeface, thin axes, faint lines across, legend above.
set encoding utf8
set terminal svg size width,height font 'sans-serif,12' noenhanced
set border 3 linewidth 0.7
set tics nomirror out scale 0.5
set grid ytics linetype 1 linewidth 1 linecolor rgb '#c0808080'
set style fill solid noborder
set key above horizontal left Left reverse samplen 0.7 spacing 1.2 width 0
set rmargin narrow ? 1.5 : 2.5
set bmargin 3.4
