/* One world: a region of the service with its clusters, jobs, shares and the time in it.
 *
 * Two drivers: world_run (offline: as fast as it goes) and world_advance (emulator: as far as a
 * clock says). Whatever is asked of the world is a Command, whatever it answers is a TraceRecord;
 * everything else here only looks. */
#ifndef SIM_CORE_WORLD_H
#define SIM_CORE_WORLD_H

#include "sim/base/arena.h"
#include "sim/base/status.h"
#include "sim/cloud/cluster/cluster.h"
#include "sim/cloud/job/job.h"
#include "sim/cloud/record/ids.h"
#include "sim/cloud/record/trace_record.h"
#include "sim/cloud/spec/scenario.h"
#include "sim/cloud/storage/file_server.h"
#include "sim/cloud/storage/file_set.h"
#include "sim/cloud/storage/share.h"

typedef struct World World;

/* Borrows `scenario`; owns nothing outside `run`. The scenario's own commands are waiting for their
 * triggers. */
World *world_create(Arena *run, const Scenario *scenario, TraceSink sink);

/* Runs every event up to the scenario's `until_ns`, or until nothing is left to happen, then bills
 * the nodes still held and tells TRACE_RUN_ENDED. The time is then `until_ns`, or, where nothing
 * was left to happen and the scenario is of no session, that of the last event; the world is only
 * looked at from here on. */
void world_run(World *world);
/* The same an instant at a time, for who has something to do in between: runs what happens next,
 * all at one time. False when nothing is left to run: world_run then ends the run. */
bool world_run_instant(World *world);
/* Runs every event at or before `until_ns`; the world's time is then `until_ns`. */
void world_advance(World *world, int64_t until_ns);
/* When something happens next, for whoever sleeps until then; INT64_MAX: never. */
int64_t world_next_event_ns(const World *world);
/* Checks every invariant (sim/cloud/world_check.h) after every event, from now on. */
void world_check_always(World *world);

/* Applies a command now. False and a status when the service would refuse it; the world is then
 * unchanged. */
MUST_CHECK bool world_apply(World *world, const Command *command, Status *status);
/* The same in an instant of its own: runs every event before `at_ns`, at which there must be none,
 * then applies the command as a scenario would that has it, at that time, behind its last one; what
 * follows at once has happened too when this returns. Not refused it is told as the scenario's
 * would be; refused, nothing is told, and the time is that before `at_ns`. `at_ns` is above now;
 * the command lives as long as the world. */
MUST_CHECK bool world_apply_at(World *world, const Command *command, int64_t at_ns, Status *status);

/* --- Looking --- */

/* The row of the cluster, job or share (`made_by` creates it) that is meant by a name: "gpu", or in
 * full "workspace/gpu", "workspace/experiment/train", "account/share". Of several of one name the
 * newest that is not being deleted, or where all are the newest; ID_NONE: there was none. */
uint32_t world_subject(const World *world, CommandKind made_by, const char *name);
CommandKind quantity_made_by(Quantity quantity); /* what it is counted of */
/* What a condition counts, as of now. A subject that does not exist yet counts 0. */
int64_t world_quantity(const World *world, Quantity quantity, const char *subject);
bool world_condition_holds(const World *world, const Condition *condition);
/* The same of what has that row, whatever else comes to be called so. */
bool world_condition_holds_of(const World *world, const Condition *condition, uint32_t row);
/* Cores that clusters hold or ask for, by family (FAMILY_OF_ALL: all), as usages shows them. */
int64_t world_vcpus_used(const World *world, const char *family, bool is_low_priority);
/* Of Scenario.quotas the one at `index`, as it is now. */
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
/* A resource group, workspace, experiment or storage account. */
typedef struct {
    CommandKind made_by;
    ResourcePath path;
    int64_t created_ns;
    ProvisioningState provisioning; /* succeeded; deleting, until all that lies in it is gone;
                                       deleted */
    int64_t provisioning_since_ns;
} WorldResource;
/* All that there ever were, in the order of their creation. */
uint32_t world_resource_count(const World *world);
WorldResource world_resource(const World *world, uint32_t index);
uint32_t world_file_server_count(const World *world); /* deleted ones included */
const FileServer *world_file_server(const World *world, uint32_t index);
/* What a machine is billed for. */
typedef struct {
    int64_t billed_ns;
    int64_t micro_usd_per_hour;
} Bill;
/* A node of `cluster` that was allocated then and is given back now. */
Bill world_node_bill(const World *world, ClusterId cluster, int64_t allocated_ns);
/* Until it was given back, else as if that were now. */
Bill world_file_server_bill(const World *world, const FileServer *server);
/* It was deleted: who has mounted it hangs. */
bool world_share_is_gone(const World *world, ShareId share);
/* From its creation to its deletion, or as if that were now. */
int64_t world_share_existed_ns(const World *world, ShareId share);
/* A file on a share, by its number (TraceRecord.file). */
const StoredFile *world_file(const World *world, uint32_t file);
/* The share called "account/share" or "fileserver/…"; ID_NONE when there was never one. */
ShareId world_find_share(const World *world, const char *name);

#endif
