/* One world, many listeners: the TraceSink that names what each record concerns and tells every
 * listener, in the order in which they joined.
 *
 *     TraceFan *fan = trace_fan_create(run);
 *     trace_fan_join(fan, metrics_listener(metrics));
 *     World *world = world_create(run, scenario, trace_fan_sink(fan));
 *     trace_fan_watch(fan, world);
 *     world_run(world);
 */
#ifndef SIM_OUTPUT_TRACE_FAN_H
#define SIM_OUTPUT_TRACE_FAN_H

#include "sim/base/arena.h"
#include "sim/cloud/world.h"
#include "sim/output/trace/row.h"

typedef struct TraceFan TraceFan;

TraceFan *trace_fan_create(Arena *run);
/* All listeners join before the sink is taken: it asks for the highest level among them. */
void trace_fan_join(TraceFan *fan, TraceListener listener);
TraceSink trace_fan_sink(TraceFan *fan);
/* The world that was created with the sink; it is only asked for names. Before the world runs. */
void trace_fan_watch(TraceFan *fan, const World *world);

#endif
