/* Whether a job waited, ran or had ended when its log was taken, by the word that the log has for
 * its state. */
#ifndef SIM_STUDY_IMPORT_JOB_STAGE_H
#define SIM_STUDY_IMPORT_JOB_STAGE_H

#include "sim/scenario/joblist/cells.h"

typedef enum {
    STAGE_UNKNOWN, /* another word, or none: the times of the job say it */
    STAGE_WAITS,
    STAGE_RUNS,
    STAGE_ENDED
} ImportStage;

/* The stage of a state in the words of Slurm, Kubernetes, PAI and similar logs; letter case does
 * not count. */
ImportStage import_stage(Cell state);

#endif
