/* The free GPUs of clusters whose nodes jobs share, as records show them: a fold. */
#ifndef SIM_OUTPUT_GPU_ROOMS_H
#define SIM_OUTPUT_GPU_ROOMS_H

#include "sim/cloud/spec/request.h"
#include "sim/output/trace/row.h"

typedef struct GpuRooms GpuRooms;

GpuRooms *gpu_rooms_create(Arena *arena);
void gpu_rooms_add_row(GpuRooms *rooms, const TraceRow *row);
/* The room of a cluster, with those of further kinds of nodes: of the sets of places only the counts
 * are right, which is enough for request_fits and room_slots. `gpus_per_node` is 0 until a job has
 * been placed there, if all nodes are of one kind. Valid until the next call. */
Room gpu_rooms_of(const GpuRooms *rooms, uint32_t cluster);

#endif
