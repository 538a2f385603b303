/* Scenarios made by hand and at random, and a listener that remembers, for the tests of the core.
 */
#ifndef TESTS_SUPPORT_WORLDS_H
#define TESTS_SUPPORT_WORLDS_H

#include "sim/cloud/world.h"

/* A quantile table of one value. */
Quantiles constant(Arena *arena, int64_t value);

/* Round numbers for examples on paper: everything takes whole seconds and never varies. Record 1 s,
 * allocation 100 s (empty 2 s, resize 70 s), preparation 130 s, leaving after 3 s, release 240 s,
 * delete 300 s (empty 30 s), job start 2 s, terminate 5 s, job delete 4 s, mount 15 s, container 10
 * s, host overhead 1 s, pulls at 100 MB/s with unpacking at 100 MB/s, billing by the full minute,
 * 100 nodes a cluster, 20 clusters; autoscale every 600 s, allocation retried
 * after 120 s, a silent node noticed after 60 s, reboot 90 s, notice 30 s, file servers 240 s and
 * 400 s. */
ServiceModel plain_service(Arena *arena);

/* A service that takes no time, as scenarios/catalog/ideal.json; up to 1,000,000 nodes a cluster.
 */
ServiceModel ideal_service(Arena *arena);
/* A VM size of so many GPUs, one core and one cent an hour each. */
const VmSize *vm_size_of_gpus(Arena *arena, int32_t gpus);

/* "Standard_NC6": 6 cores, one GPU, 0.90 USD an hour, 0.18 low priority. */
const VmSize *plain_vm_size(void);
const ShareTier *plain_tier(void);

/* A program of fixed duration and exit code; a training program of 4 epochs of 10 steps of
 * batch 32. */
const Program *plain_fixed_program(Arena *arena, int64_t duration_ns, int32_t exit_code);
const Program *plain_training_program(Arena *arena);
/* The plain training with steps of exactly one second, without exchange and jitter, that resumes
 * from checkpoints on share "a/s" and does not evaluate at its end. */
Program *steady_training_program(Arena *arena);

const ClusterSpec *plain_cluster(Arena *arena, int32_t nodes);
/* On the host, no preparation, no mounts, one process per node, a week at most. */
JobSpec *plain_job(Arena *arena, int32_t nodes, const Program *program);
/* A plain job of `run_s` seconds that asks for GPUs, or with REQUEST_NODES for whole nodes. */
JobSpec *gpu_job(Arena *arena, RequestKind kind, int32_t nodes, int32_t gpus, int64_t run_s);

/* Commands in a growing list, at "g/w/e" throughout. */
typedef struct {
    Arena *arena;
    Command *items;
    int32_t count;
    int32_t capacity;
} CommandList;

/* Begins with group g, workspace w, experiment e, account a and share "a/s", all at time 0. */
CommandList commands_begin(Arena *arena);
Command *commands_add(CommandList *list, CommandKind kind, const char *name, int64_t at_ns);
void commands_create_cluster(CommandList *list, const char *name, int64_t at_ns,
                             const ClusterSpec *spec);
void commands_create_job(CommandList *list, const char *name, int64_t at_ns, const char *cluster,
                         const JobSpec *spec);
void commands_resize(CommandList *list, const char *name, int64_t at_ns, int32_t nodes);
Scenario *scenario_of(const CommandList *list, uint64_t seed);

/* A valid scenario drawn from `seed`: clusters, some of which scale automatically or run into
 * quotas, jobs of all kinds, resizes, terminations and deletions that overlap; some commands of it
 * are refused. */
Scenario *random_scenario(Arena *arena, uint64_t seed);

/* Gives all nodes of a scenario links of this rate. */
void narrow_links(Arena *arena, Scenario *scenario, int64_t bytes_per_s);

/* A random scenario with failures at any moment: faults on request (also on
 * conditions), random failures, groups, networks, policies, clusters of two kinds of nodes, of
 * which one may scale. Which of them is said by the table in worlds.c. */
Scenario *rough_scenario(Arena *arena, uint64_t seed);

/* Remembers every record. `name`s stay good as long as the world. */
typedef struct {
    Arena *arena;
    TraceRecord *items;
    int32_t count;
    int32_t capacity;
} Recording;

Recording recording_create(Arena *arena);
TraceSink recording_sink(Recording *recording, TraceLevel level);
/* A world of an ideal service, checked after every event. */
World *ideal_world(const CommandList *list, PolicyKind policy, PlacementKind placement,
                   Recording *recording);
/* The n-th record (from 0) of `kind` whose name is `name` (NULL: any), or NULL. */
const TraceRecord *recording_find(const Recording *recording, TraceKind kind, const char *name,
                                  int32_t n);
int32_t recording_count(const Recording *recording, TraceKind kind, const char *name);
/* The sum of the parts of a TRACE_JOB_ATTEMPT's node time, each checked to be at least 0. */
int64_t attempt_parts_ns(const TraceRecord *attempt);
/* The n-th such record, from 0, and the n-th attempt of a job with whole nodes, whose parts add up
 * to its time. The test fails if it is missing. */
const TraceRecord *recording_get(const Recording *recording, TraceKind kind, int32_t n);
const TraceRecord *recording_attempt(const Recording *recording, int32_t n);
/* A hash of all bytes that a trace would show. */
uint64_t recording_hash(const Recording *recording);

#endif
