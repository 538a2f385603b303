/* The functions that fill designs, one for each kind; for design.c. */
#ifndef SIM_STUDY_DESIGN_MAKE_H
#define SIM_STUDY_DESIGN_MAKE_H

#include "sim/study/design/design.h"

/* Set `values`. */
void make_grid(Design *design);
void make_one_at_a_time(Design *design);

/* Set `units`. */
void make_latin_hypercube(Design *design);
void make_sobol(Design *design);
void make_morris(Design *design);
void make_saltelli(Design *design);

/* The number of levels of an axis; 0 for a range. */
int32_t design_axis_levels(const Design *design, int32_t axis);

#endif
