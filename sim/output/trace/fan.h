/* One world, many listeners: a TraceSink that adds the names to each record and passes the row to
 * all listeners, in the order in which they joined.
 *
 *     TraceFan *fan = trace_fan_create(run);
 *     trace_fan_join(fan, metrics_listener(metrics));
 *     World *world = world_create(run, scenario, trace_fan_sink(fan));
 *     trace_fan_watch(fan, world);
 *     world_run(world); */
#ifndef SIM_OUTPUT_TRACE_FAN_H
#define SIM_OUTPUT_TRACE_FAN_H

#include "sim/base/arena.h"
#include "sim/cloud/world.h"
#include "sim/output/trace/row.h"

typedef struct TraceFan TraceFan;

TraceFan *trace_fan_create(Arena *run);
/* All listeners must join before this call: the sink asks for the highest level among them. */
void trace_fan_join(TraceFan *fan, TraceListener listener);
TraceSink trace_fan_sink(TraceFan *fan);
/* Sets the world that was created with the sink, before it runs. The fan only asks it for names. */
void trace_fan_watch(TraceFan *fan, const World *world);
/* Forgets the names of jobs that the world has forgotten (world_forget_deleted). */
void trace_fan_forget(TraceFan *fan);

#endif
