# Cells of a validation: what was predicted over what was measured, a step in ms, with the spread of the measurement's rounds. $cells:
# measured, predicted, least, most, colour, mark. `worst`: the error that is allowed, as a share.
set logscale xy 10
set xrange [x_begin:x_end]
set yrange [x_begin:x_end]
set xlabel 'measured step, ms' offset 0,0.7
set format y '%g ms'
set xtics (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)
set ytics (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)
set lmargin at screen left(64)
set samples 2
plot '+' using 1:($1*(1-worst)):($1*(1+worst)) with filledcurves linecolor rgb '#228833' fillstyle transparent solid 0.12 noborder, \
     x with lines linewidth 1 linecolor rgb '#808080', \
     $cells using 3:2:($4-$3):(0):5 with vectors nohead linewidth 1 linecolor rgb variable, \
     $cells using 1:2:6:5 with labels textcolor rgb variable
