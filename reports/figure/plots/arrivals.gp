# Arrivals by weekday and hour. $arrivals: hour, weekday (0 is at the top), jobs. most: the largest number. day_name[].
set xrange [-0.5:23.5]
set yrange [6.5:-0.5]
set xtics x_step
set xlabel 'hour of the day' offset 0,0.7
unset grid
unset colorbox
set ytics ()
do for [i=0:6] { set ytics add (day_name[i+1] i) }
set lmargin at screen left(56)
set palette defined (0 '#f7fbff', 0.25 '#c6dbef', 0.5 '#6baed6', 0.75 '#2171b5', 1 '#08306b')
set cbrange [0:most]
plot $arrivals using 1:2:(0.48):(0.47):3 with boxxyerror fillcolor palette
