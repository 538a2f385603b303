/* How ranks that talk by TCP come together: rank 0 listens, the others connect and say who they
 * are, and when all are there each gets a welcome. Who has nothing to do with the run is sent away
 * without disturbing it. */
#ifndef TRAINER_TCP_JOIN_H
#define TRAINER_TCP_JOIN_H

#include "trainer/comm/rank_place.h"

/* Fills descriptors[ranks]: on rank 0 the connection of every other rank, elsewhere that of rank 0;
 * -1 for all others. `*local_cores` becomes the number of cores that the ranks of this machine may
 * use together. STATUS_MACHINE when it takes longer than place->timeout_ns, naming the ranks that
 * have not come; no descriptor is open then. */
MUST_CHECK bool tcp_join(const RankPlace *place, Arena *arena, int *descriptors,
                         int32_t *local_cores, Status *status);

#endif
