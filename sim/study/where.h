/* Conditions on the points of a study: "nodes * gpus <= 64". Both sides are formulas
 * (sim/schema/expression.h) over factors whose levels are numbers. */
#ifndef SIM_STUDY_WHERE_H
#define SIM_STUDY_WHERE_H

#include "sim/study/factor.h"

typedef struct Where Where;

/* Reads "where" (`node`; NULL: every point is kept), one condition or a list. NULL with problems.
 */
const Where *where_read(Arena *arena, const Json *node, int32_t factor_count,
                        const Factor *const *factors, Problems *problems);

/* Whether the point with these levels, one for each factor, is kept: all conditions hold. False
 * with a status if a condition has no value there (a division by zero). */
bool where_keeps(const Where *where, const int32_t *levels, bool *is_kept, Status *status);

#endif
