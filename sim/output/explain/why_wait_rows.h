/* Adds records to the reasons for which the job of a story waits (why_wait.h). */
#ifndef SIM_OUTPUT_WHY_WAIT_ROWS_H
#define SIM_OUTPUT_WHY_WAIT_ROWS_H

#include "sim/output/explain/why_view.h"

/* The job enters the queue. */
void why_wait_begins(Why *why, Story *story, int64_t at_ns);
/* Adds the row if the job waits and the row is of its cluster. */
void why_add_wait_row(Why *why, Story *story, const TraceRow *row);

#endif
