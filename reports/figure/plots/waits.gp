# Shares of jobs that waited at most this long. The axis has steps of unequal times: tic_name[], tics. $waits: step, per cent, a block for
# each class. target: the place of the target on the axis.
set xrange [0:tics-1]
unset xtics
set xtics () scale 0.5
do for [i=1:tics] { set xtics add (tic_name[i] i-1) }
set xlabel x_label offset 0,0.7
set yrange [0:100]
set ytics 20
set format y '%g %%'
set lmargin at screen left(plot_left)
set grid ytics
set arrow 1 from first target, graph 0 to first target, graph 1 nohead linewidth 1 dashtype 3 linecolor rgb '#808080'
plot for [i=1:kinds] $waits index (i-1) using 1:2 with steps linewidth (i == 1 ? 2.4 : 1.7) dashtype i linecolor rgb kind_rgb[i]
