/* A world: one region of the service with its clusters, jobs and shares, and its simulated time.
 *
 * Two drivers: world_run (a simulation, as fast as possible) and world_advance (the emulator, up to
 * the time of a clock). Every request to the world is a Command, and every answer is a TraceRecord;
 * the other functions here only read. */
#ifndef SIM_CLOUD_WORLD_H
#define SIM_CLOUD_WORLD_H

#include "sim/cloud/job/attempt.h"
#include "sim/cloud/job/progress.h"
#include "sim/cloud/job/real.h"
#include "sim/cloud/job/script.h"
#include "sim/cloud/storage/file_server.h"

typedef struct World World;

/* Borrows `scenario`; owns nothing outside `run`. The commands of the scenario wait for their
 * triggers. */
World *world_create(Arena *run, const Scenario *scenario, TraceSink sink);

/* Runs every event up to the scenario's `until_ns`, or until no event is left. Then bills the nodes
 * still held and emits TRACE_RUN_ENDED. The time is then `until_ns`, or that of the last event if
 * no event was left and the scenario is not of a session. Afterwards the world may only be read. */
void world_run(World *world);
/* Runs the next `most` events of world_run, for a caller that may want to stop in between. False:
 * no event is left to run, and the caller ends the run with world_run. */
bool world_run_some(World *world, int64_t most);
/* Runs the events of the next instant, for a caller that acts between instants. False: no event is
 * left to run, and the caller ends the run with world_run. */
bool world_run_instant(World *world);
/* Runs every event at or before `until_ns`; the world's time is then `until_ns`. */
void world_advance(World *world, int64_t until_ns);
/* The time of the next event; INT64_MAX: there is none. */
int64_t world_next_event_ns(const World *world);
/* Reports the moments in `moments`, a bit for each (1 << Moment), to the listener from now on. */
void world_listen(World *world, uint32_t moments, MomentListener listener);
/* From now on jobs of lists are forgotten when they end, so that a run over a long list needs
 * little memory. A run with conditions keeps all. Before world_run. */
void world_forget_ended(World *world);
/* Forgets the rows of deleted resources and shares, of released nodes and of removed files.
 * Queries answer NULL for them, or "deleted". Rows stay while anything needs them: an event, a job
 * that was on the node or the cluster, a file or log that a job or a set-up task has left on a
 * share, a transfer or a name in a spec that means the share; and the rows of the last
 * WORLD_DELETED_KEPT resources, for clients that ask about their deletion. Nothing else changes: a
 * world that forgets emits the same records. Between instants. */
enum { WORLD_DELETED_KEPT = 512 };
void world_forget_deleted(World *world);
/* Checks every invariant (sim/cloud/check.h) after every event, from now on. */
void world_check_always(World *world);

/* Applies a command in a separate instant: runs every event before `at_ns`, then the command and
 * its immediate consequences. `at_ns` is after now, and no event is pending at it. The command is
 * numbered after those of the scenario, and must live as long as the world. If the service would
 * refuse it, this returns false with a status: the command changes nothing, no record is emitted
 * for it, and the time is `at_ns` - 1. */
MUST_CHECK bool world_apply_at(World *world, const Command *command, int64_t at_ns, Status *status);

/* --- Queries --- */

/* The row of the cluster, job or share (`made_by` creates it) called `name`: "gpu", or in full
 * "workspace/gpu", "workspace/experiment/train", "account/share". If several have the name: the
 * newest that is not being deleted, or the newest if all are. ID_NONE: none ever had the name. */
uint32_t world_subject(const World *world, CommandKind made_by, const char *name);
/* The present value of a quantity; 0 if the subject does not exist yet. */
int64_t world_quantity(const World *world, Quantity quantity, const char *subject);
bool world_condition_holds(const World *world, const Condition *condition);
/* The same for the subject in `row`, whether or not a newer subject has its name. */
bool world_condition_holds_of(const World *world, const Condition *condition, uint32_t row);
/* The cores of a family (FAMILY_OF_ALL: of all) that clusters hold or ask for, as in usages. */
int64_t world_vcpus_used(const World *world, const char *family, bool is_low_priority);
/* The present state of the quota at `index` in Scenario.quotas. */
const CoreQuota *world_quota(const World *world, int32_t index);
/* How many more nodes of the cluster's size, up to `nodes`, the quotas have room for. */
int32_t world_quota_room(const World *world, const ClusterKind *kind, int32_t nodes);

/* Whether the command, by its index in Scenario.commands, still waits for its moment or condition.
 */
bool world_is_awaiting(const World *world, int32_t command);
/* Whether it was applied, or refused. */
bool world_has_applied(const World *world, int32_t command);

int64_t world_now_ns(const World *world);
int64_t world_events(const World *world); /* run so far */
const Scenario *world_scenario(const World *world);
/* Simulated time on the calendar, rounded down to milliseconds. */
int64_t world_unix_ms(const World *world, int64_t at_ns);

/* Each of the counts includes deleted rows. The functions called "next" return the first index,
 * from the given one on, whose row is not forgotten, and the count if all of these rows are. */
uint32_t world_cluster_count(const World *world);
uint32_t world_next_cluster(const World *world, uint32_t cluster);
int64_t world_living_clusters(const World *world); /* those that are not deleted */
uint32_t world_node_count(const World *world);     /* released ones included */
uint32_t world_job_count(const World *world);
uint32_t world_share_count(const World *world);
uint32_t world_next_share(const World *world, uint32_t share);
const Cluster *world_cluster(const World *world, ClusterId cluster); /* NULL: it is forgotten */
const Node *world_node(const World *world, NodeId node);
const Job *world_job(const World *world, JobId job); /* NULL: it is forgotten */
ListedRow world_forgotten_job(const World *world, JobId job);
const Share *world_share(const World *world, ShareId share); /* NULL: it is forgotten */
/* Containers, deleted ones included, in the order of their creation. */
uint32_t world_resource_count(const World *world);
WorldResource world_resource(const World *world, uint32_t index);
uint32_t world_file_server_count(const World *world);
uint32_t world_next_file_server(const World *world, uint32_t index);
const FileServer *world_file_server(const World *world, uint32_t index); /* NULL: likewise */
/* The bill of a node of one kind of `cluster` that was allocated at `allocated_ns` and is released
 * now. */
Bill world_node_bill(const World *world, ClusterId cluster, int32_t kind, int64_t allocated_ns);
/* The bill of a file server up to its deletion or failure, or up to now while it exists. */
Bill world_file_server_bill(const World *world, const FileServer *server);
/* Whether the share was deleted; clients that have mounted it hang. */
bool world_share_is_gone(const World *world, ShareId share);
/* The policy that chooses the next jobs now. */
PolicyKind world_policy(const World *world);
/* How many jobs wait in the cluster's queue. */
int32_t world_queue_length(const World *world, ClusterId cluster);
/* The slots of a queue of the cluster (Job.queue); not set if the cluster has no queues. */
SlotLimit world_queue_limit(const World *world, ClusterId cluster, int32_t queue);
/* The slots of the jobs that have notice of being stopped for it (sim/cloud/job/notice.h). */
int64_t world_noticed_slots(const World *world, ClusterId cluster, int32_t queue);
/* The time from the share's creation to its deletion, or to now while it exists. */
int64_t world_share_existed_ns(const World *world, ShareId share);
/* A file on a share, by its number (TraceRecord.file). */
const StoredFile *world_file(const World *world, uint32_t file);
/* The share called "account/share" or "fileserver/…"; ID_NONE: there never was one. */
ShareId world_find_share(const World *world, const char *name);

#endif
