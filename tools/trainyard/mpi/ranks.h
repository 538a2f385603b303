/* A sweep on the ranks of Open MPI. Rank 0 has the study's waves, its journal and its tables. It
 * hands out units and collects their records; it runs nothing itself and sleeps while it waits. The
 * other ranks run units with the threads of sim/study/runner.h.
 *
 *     rank N -> 0   records: a journal with the runs since the last message
 *     rank N -> 0   request: the units that are done, and that more are wanted, or a farewell
 *     rank 0 -> N   grant: an answer and some units
 *
 * No result depends on which rank ran it, because a record contains no rank and rank 0 decides
 * about waves from the records alone. Each message has the identity of the study, so that ranks
 * with another study, scenario or version are noticed. There are no collective operations between
 * the start and the end. If a rank or its machine dies, Open MPI ends the whole job; the journal of
 * rank 0 keeps the runs that had arrived, and the same command continues from there.
 *
 * One process has one Ranks. Any thread may call the source and the sink, one at a time. */
#ifndef TOOLS_TRAINYARD_MPI_RANKS_H
#define TOOLS_TRAINYARD_MPI_RANKS_H

#include "sim/study/runner.h"

typedef struct Ranks Ranks;

/* Starts MPI. STATUS_MACHINE when that fails, or when Open MPI finds only this process although a
 * launcher started several. */
Ranks *ranks_start(Arena *arena, Status *status);
int32_t ranks_own(const Ranks *ranks);
int32_t ranks_count(const Ranks *ranks);

/* All ranks call it. Returns the lowest rank that is wrong, or the number of ranks. */
int32_t ranks_first_wrong(const Ranks *ranks, bool is_right);

/* On rank 0, instead of runner_run: serves the other ranks until the study is finished, or until
 * SIGINT or SIGTERM, the time limit or a failure. Then it stops the others, and waits for
 * the records of their finished runs. `ranks` is a Ranks. */
RunnerEnd ranks_serve(void *ranks, const RunnerPlan *plan, int *signal, Problems *problems);

/* On rank 0, after the sweep: answers ranks that still ask; there are no units for them. */
void ranks_dismiss(Ranks *ranks);

/* On the other ranks: units come from rank 0, and records go there. `identity` is borrowed. */
void ranks_join(Ranks *ranks, const JournalIdentity *identity);
UnitSource ranks_source(Ranks *ranks);
RunSink ranks_sink(Ranks *ranks);
/* Sends what is left and says that this rank ends. Another exit code than 0 makes rank 0 stop the
 * others and report a failure of this kind. */
void ranks_leave(Ranks *ranks, int exit_code);

/* Ends MPI once all ranks have called it. */
void ranks_finish(Ranks *ranks);

#endif
