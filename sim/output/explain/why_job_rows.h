/* Adds records to the moments of a story (why_story.h). */
#ifndef SIM_OUTPUT_WHY_JOB_ROWS_H
#define SIM_OUTPUT_WHY_JOB_ROWS_H

#include "sim/output/explain/why_view.h"

/* Adds a row of the story's job. */
void why_add_job_row(Why *why, Story *story, const TraceRow *row);
/* Adds a row of a node, if the job has it, gets it or loses it. */
void why_add_node_row(Why *why, Story *story, const TraceRow *row);

#endif
