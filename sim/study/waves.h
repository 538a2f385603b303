/* Which runs a study needs: each point has waves of replications, and only at the end of a wave it
 * is decided whether the point is finished.
 *
 * The sizes of waves follow from the study alone: `at_least`, then half as many again, up to
 * `at_most`: 20, 30, 45, 67, ... A decision depends only on the results of the point's own
 * replications 0 to n - 1. Hence the runs of a study, and its results, depend neither on the
 * number of threads nor on the order in which runs finish. */
#ifndef SIM_STUDY_WAVES_H
#define SIM_STUDY_WAVES_H

#include "sim/study/journal/shard.h"
#include "sim/study/results.h"
#include "sim/study/units.h"

typedef struct Waves Waves;

/* The runs of one shard; 0 of 1: all. Results that are known already are not run again. A shard
 * that has parts of points, which others complete, ends after its own runs. */
Waves *waves_create(Arena *arena, const Study *study, const Results *results, Shard shard);

/* Units of at least 50 ms, as far as a wave has so many runs; points whose runs take longest come
 * first. The first units are a pilot: one run of each of some points, which measure how long runs
 * take. */
UnitSource waves_source(Waves *waves);
/* All units or, with `is_pilot`, only the pilot's, with their progress. With a stopping rule each
 * of the pilot's has some runs, which show how much the metrics vary (waves_forecast). */
StudyWork waves_work(Waves *waves, bool is_pilot);

/* The replications that a point will have by the rules, from those that are known: between at_least
 * and at_most. 0: fewer than 2 are known. */
int32_t waves_forecast(const Study *study, const Results *results, int32_t point);

/* How many replications of `point` its results are made of: all of its waves so far. Further runs
 * are not used. */
int32_t waves_used(const Waves *waves, int32_t point);
/* Decides about all points as far as the known results allow, also those of other shards, and
 * returns waves_used of each point. For the end. In `arena`. */
const int32_t *waves_all_used(Arena *arena, Waves *waves);
int32_t waves_decided_count(const Waves *waves);
/* The runs of this shard in the waves so far, and how many of them are done. */
int64_t waves_run_count(const Waves *waves);
int64_t waves_done_count(const Waves *waves);
bool waves_are_done(const Waves *waves); /* no run of this shard is left */
/* The runs of all shards in the waves so far that are not known. */
int64_t waves_missing_count(const Waves *waves);

/* The largest half-width of a rule at `point` as a part of its value or as an amount, over its
 * limit: at most 1 when the point is precise enough. 0 without rules. */
double waves_excess(const Study *study, const Results *results, int32_t point, int32_t n);

#endif
