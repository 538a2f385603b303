/* One world: a region of the service with its clusters, jobs, shares and the time in it.
 *
 * Two drivers: world_run (offline: as fast as it goes) and world_advance (emulator: as far as a
 * clock says). Every request to the world is a Command, and every answer is a TraceRecord; the
 * other functions here only read. */
#ifndef SIM_CLOUD_WORLD_H
#define SIM_CLOUD_WORLD_H

#include "sim/cloud/job/attempt.h"
#include "sim/cloud/job/progress.h"
#include "sim/cloud/job/real.h"
#include "sim/cloud/job/script.h"
#include "sim/cloud/storage/file_server.h"

typedef struct World World;

/* Borrows `scenario`; owns nothing outside `run`. The scenario's own commands are waiting for their
 * triggers. */
World *world_create(Arena *run, const Scenario *scenario, TraceSink sink);

/* Runs every event up to the scenario's `until_ns`, or until no event is left, then bills the nodes
 * still held and emits TRACE_RUN_ENDED. The time is then `until_ns`; or that of the last event, if
 * no event was left and the scenario is not of a session. After this the world is only read. */
void world_run(World *world);
/* Runs the events of the next instant, for a caller that acts between instants. False: no event is
 * left to run; world_run then ends the run. */
bool world_run_instant(World *world);
/* Runs every event at or before `until_ns`; the world's time is then `until_ns`. */
void world_advance(World *world, int64_t until_ns);
/* The time of the next event; INT64_MAX: there is none. */
int64_t world_next_event_ns(const World *world);
/* Moments are reported to the listener from now on: those in `moments`, a bit for each (1 <<
 * Moment).
 */
void world_listen(World *world, uint32_t moments, MomentListener listener);
/* Checks every invariant (sim/cloud/check.h) after every event, from now on. */
void world_check_always(World *world);

/* Applies a command in a separate instant: runs every event before `at_ns`, which is after now and
 * has no event, then applies the command as if it were the last command of the scenario. Its
 * immediate consequences have happened too when this returns. If the service would refuse the
 * command this returns false with a status: the world is then unchanged, no record is emitted, and
 * the time is that before `at_ns`. The command lives as long as the world. */
MUST_CHECK bool world_apply_at(World *world, const Command *command, int64_t at_ns, Status *status);

/* --- Looking --- */

/* The row of the cluster, job or share (`made_by` creates it) that a name means: "gpu", or in full
 * "workspace/gpu", "workspace/experiment/train", "account/share". If several have the name: the
 * newest that is not being deleted, or the newest where all are; ID_NONE: there was none. */
uint32_t world_subject(const World *world, CommandKind made_by, const char *name);
CommandKind quantity_made_by(Quantity quantity); /* the kind of its subject */
/* The present value of a quantity. A subject that does not exist yet counts 0. */
int64_t world_quantity(const World *world, Quantity quantity, const char *subject);
bool world_condition_holds(const World *world, const Condition *condition);
/* The same for the subject in that row, even if its name means another one by now. */
bool world_condition_holds_of(const World *world, const Condition *condition, uint32_t row);
/* Cores that clusters hold or ask for, by family (FAMILY_OF_ALL: all), as usages shows them. */
int64_t world_vcpus_used(const World *world, const char *family, bool is_low_priority);
/* The present state of the quota at `index` in Scenario.quotas. */
const CoreQuota *world_quota(const World *world, int32_t index);

/* Whether the command, by its index in Scenario.commands, waits for a moment that has not come. */
bool world_is_awaiting(const World *world, int32_t command);
/* Whether it was applied, or refused. */
bool world_has_applied(const World *world, int32_t command);

int64_t world_now_ns(const World *world);
int64_t world_events(const World *world); /* run so far */
const Scenario *world_scenario(const World *world);
/* Simulated time on the calendar, rounded down to milliseconds. */
int64_t world_unix_ms(const World *world, int64_t at_ns);

uint32_t world_cluster_count(const World *world);  /* deleted ones included */
int64_t world_living_clusters(const World *world); /* those that are not deleted */
uint32_t world_node_count(const World *world);     /* released ones included */
uint32_t world_job_count(const World *world);
uint32_t world_share_count(const World *world);
const Cluster *world_cluster(const World *world, ClusterId cluster);
const Node *world_node(const World *world, NodeId node);
const Job *world_job(const World *world, JobId job);
const Share *world_share(const World *world, ShareId share);
/* All that there ever were, in the order of their creation. */
uint32_t world_resource_count(const World *world);
WorldResource world_resource(const World *world, uint32_t index);
uint32_t world_file_server_count(const World *world); /* deleted ones included */
const FileServer *world_file_server(const World *world, uint32_t index);
/* A node of `cluster` that was allocated then and is given back now. */
Bill world_node_bill(const World *world, ClusterId cluster, int64_t allocated_ns);
/* Until it was given back, else as if that were now. */
Bill world_file_server_bill(const World *world, const FileServer *server);
/* It was deleted: clients that have mounted it hang. */
bool world_share_is_gone(const World *world, ShareId share);
/* How many jobs wait in the cluster's queue. */
int32_t world_queue_length(const World *world, ClusterId cluster);
/* From its creation to its deletion, or as if that were now. */
int64_t world_share_existed_ns(const World *world, ShareId share);
/* A file on a share, by its number (TraceRecord.file). */
const StoredFile *world_file(const World *world, uint32_t file);
/* The share called "account/share" or "fileserver/…"; ID_NONE when there was never one. */
ShareId world_find_share(const World *world, const char *name);

#endif
