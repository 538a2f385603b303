/* The state of a rank. Private to tools/trainyard/mpi. */
#ifndef TOOLS_TRAINYARD_MPI_RANKS_STATE_H
#define TOOLS_TRAINYARD_MPI_RANKS_STATE_H

#include "sim/study/journal/journal_text.h"
#include "tools/trainyard/mpi/messages.h"
#include "tools/trainyard/mpi/ranks.h"

struct Ranks {
    int32_t own, count;
    const JournalIdentity *identity;
    Crc32c crc;
    int32_t present; /* on rank 0: other ranks that have not left */
    /* Ranks that run units: */
    Text records; /* the header, and the runs that were not sent yet */
    size_t header_length;
    bool has_joined;
    UnitMessage done;  /* units whose end was not sent yet */
    UnitMessage grant; /* the last answer of rank 0 */
    int32_t next_granted;
    int64_t reported_ns; /* the last message */
    int64_t ask_ns;      /* rank 0 is not asked earlier */
};

/* How long the units of one grant should take. Rank 0 then has a millisecond for each request. */
int64_t ranks_grant_ns(const Ranks *ranks);

#endif
