/* What a rank is told of itself in the environment by who started it, where ranks talk by TCP:
 * `trainyard ranks`, or a script of one's own.
 *
 *     TRAINYARD_RANK          0 to ranks - 1
 *     TRAINYARD_RANKS         how many there are
 *     TRAINYARD_LOCAL_RANK    its place among the ranks of its machine
 *     TRAINYARD_LOCAL_RANKS   how many are on its machine
 *     TRAINYARD_LOCAL_GPUS    optional: how many of the machine's GPUs they share
 *     TRAINYARD_MEET          where they meet: "host:port" of rank 0, or "file:PATH" on a disk that
 *                             all see, in which rank 0 writes its address
 *     TRAINYARD_RUN           a word that no other run has: who comes with another is sent away
 *     TRAINYARD_MEET_TIMEOUT  optional: how long they wait for each other at the start (60s) */
#ifndef TRAINER_RANK_PLACE_H
#define TRAINER_RANK_PLACE_H

#include "sim/base/status.h"

enum { RANKS_MAX = 1024, RUN_WORD_MAX = 63 };

typedef struct {
    int32_t rank, ranks, local_rank, local_ranks;
    int32_t local_gpus;  /* 0: not said */
    const char *meeting; /* borrowed from the environment, as is */
    const char *run;
    int64_t timeout_ns;
} RankPlace;

/* True when the environment says that this process is one of several, or says so wrongly. */
bool rank_place_is_told(void);
/* STATUS_BAD_INPUT, naming the variable, when one is missing or makes no sense. */
MUST_CHECK bool rank_place_read(RankPlace *place, Status *status);
/* Into the environment of this process, for the program that it is about to become. */
void rank_place_write(const RankPlace *place);

/* TRAINYARD_LOCAL_GPUS alone; 0: not said. */
int32_t rank_place_local_gpus(void);

#endif
