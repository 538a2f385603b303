/* Sensitivity: how much each axis of a design changes a metric. */
#ifndef SIM_STUDY_DESIGN_EFFECTS_H
#define SIM_STUDY_DESIGN_EFFECTS_H

#include "sim/study/design/design.h"

/* Elementary effects of one axis: the change of the metric for a whole way through the axis
 * (M. D. Morris, Technometrics 33, 1991; mean of sizes by F. Campolongo, J. Cariboni, A. Saltelli,
 * Environmental Modelling & Software 22, 2007). */
typedef struct {
    double mean; /* with its sign */
    double
        mean_size; /* of absolute values: how much the axis matters; 0 for one that does nothing */
    double deviation; /* of the effects: large for interactions and curvature */
} ElementaryEffects;

/* Sets effects[axis] from metric[point] of a MORRIS design. `deviation` needs 2 trajectories, and
 * is 0 with one. */
void effects_morris(const Design *design, const double *metric, ElementaryEffects *effects);

/* The change that one axis causes around the baseline: the rows of a tornado chart. */
typedef struct {
    double low, high; /* the smallest and largest metric over the axis' values, baseline included */
} Swing;

/* Sets swings[axis] from metric[point] of a ONE_AT_A_TIME design. */
void effects_one_at_a_time(const Design *design, const double *metric, Swing *swings);

/* Sobol' indices of one axis. Estimates may be a little below 0 or above 1. */
typedef struct {
    double first; /* the share of the metric's variance that the axis explains alone */
    double total; /* with all of its interactions */
} SobolIndices;

/* Sets indices[axis] from metric[point] of a SALTELLI design: first order by A. Saltelli et al.,
 * Computer Physics Communications 181, 2010, total by M. J. W. Jansen, 1999. All 0 for a constant
 * metric. */
void effects_saltelli(const Design *design, const double *metric, SobolIndices *indices);

#endif
