/* The terminal output during a run: for each cluster.show, job.show, job.files and usages.show of
 * the scenario the simulated time, the az command that would show it, and its table.
 *
 *     2018-07-18T17:49:42.1Z, after 4 min 42 s
 *     $ az batchai cluster show --name nc6cluster ... --output table
 *     Name        Resource Group    Workspace    VM Size       State      Idle ...
 *
 * At the end it prints the summary. */
#ifndef SIM_OUTPUT_NARRATOR_H
#define SIM_OUTPUT_NARRATOR_H

#include <stdio.h>

#include "sim/cloud/world.h"
#include "sim/json/json.h"
#include "sim/output/trace/row.h"

typedef struct Narrator Narrator;

/* `stream` is borrowed. */
Narrator *narrator_create(Arena *run, FILE *stream);
/* Sets the world that sends the rows, before it runs. */
void narrator_watch(Narrator *narrator, const World *world);
TraceListener narrator_listener(Narrator *narrator);
/* After the run: prints the summary as sim/output/summary/text.h does. */
void narrator_conclude(const Narrator *narrator, const Json *summary);

#endif
