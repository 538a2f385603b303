# Cells of a validation: the error of each prediction, in per cent, over the step that was measured, in ms. $cells: measured, error,
# its least, its most, colour, mark. `worst`: the error that is allowed, in per cent.
set logscale x 10
set xrange [x_begin:x_end]
set yrange [-y_end:y_end]
set xlabel 'measured step, ms' offset 0,0.7
set format y '%+g %%'
set xtics (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)
set lmargin at screen left(64)
set object kinds+1 rectangle from graph 0, first -worst to graph 1, first worst behind fillcolor rgb '#228833' fillstyle transparent solid 0.12 noborder
set arrow 1 from graph 0, first 0 to graph 1, first 0 nohead linewidth 1 linecolor rgb '#808080'
plot $cells using 1:3:(0):($4-$3):5 with vectors nohead linewidth 1 linecolor rgb variable, \
     $cells using 1:2:6:5 with labels textcolor rgb variable
