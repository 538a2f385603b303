/* The inside of the world, for the files of sim/core that change it. Everyone else includes world.h
 * and looks. */
#ifndef SIM_CORE_WORLD_PARTS_H
#define SIM_CORE_WORLD_PARTS_H

#include "sim/base/name_table.h"
#include "sim/cloud/world.h"
#include "sim/engine/event.h"
#include "sim/engine/event_queue.h"
#include "sim/engine/rng.h"

/* A table that grows; rows keep their addresses, so that pointers to them stay good. */
typedef struct {
    void **rows;
    uint32_t count;
    uint32_t capacity;
} RowTable;

uint32_t row_table_add(Arena *arena, RowTable *table, void *row); /* its index */
void *row_table_at(const RowTable *table, uint32_t index);

/* A resource group, workspace, experiment or storage account: a name that others need to exist. */
typedef struct {
    CommandKind made_by;
    ResourcePath path;
    uint64_t address; /* of its random draws */
    int64_t created_ns;
    ProvisioningState provisioning; /* succeeded, deleting or deleted */
    int64_t provisioning_since_ns;
    int64_t contents; /* resources, clusters, jobs and file servers that lie directly in it */
    bool is_due;      /* being deleted, it goes with the last of these */
    /* Of an experiment, under a policy that asks: node time used by its jobs up to `used_until_ns`,
     * and the nodes that they hold since then. */
    int64_t used_node_us;
    int64_t nodes_held;
    int64_t used_until_ns;
} Resource;

typedef struct {
    Share *share;
    uint32_t generation; /* grows when the share's next end moves */
    int64_t gone_ns;     /* meaningful once it is gone */
    bool is_gone;        /* for ever; who uses it still finds it, and hangs */
    /* Faults that overlap, each by its speed, in rows that are used again; -1: a free row. */
    int64_t *fault_ppm;
    uint32_t fault_count, fault_capacity;
} ShareRow;

typedef enum {
    TRANSFER_FOR_DATA,
    TRANSFER_FOR_CHECKPOINT,
    TRANSFER_FOR_MODEL,
    TRANSFER_FOR_RESUME, /* reads the last checkpoint */
} TransferPurpose;

/* A job's bytes on their way to or from a share. */
typedef struct {
    ShareId share;
    JobId job;    /* ID_NONE: the row is free */
    int32_t node; /* index among the job's nodes */
    TransferPurpose purpose;
    TransferKind kind;
    bool has_joined; /* latency paid, sharing now */
    uint32_t generation;
    int64_t bytes;
    int64_t begin_ns;
    uint32_t ticket;      /* on the share, once joined */
    uint32_t next_of_job; /* neighbours among those of its job; ID_NONE at the ends */
    uint32_t previous_of_job;
    uint32_t next_free; /* of a free row; ID_NONE: the last */
} Transfer;

/* How far a command of the scenario has come. */
typedef struct {
    bool is_waiting;       /* its moment has not come */
    bool is_applied;       /* or was refused */
    int32_t listens_after; /* index of the command that must be applied first; -1: none */
    int32_t next;          /* index of the next with a trigger on the same subject; -1: none */
    uint32_t condition_generation; /* grows when its condition begins or stops to hold */
    bool holds;                    /* its condition, at the end of the last instant */
} CommandProgress;

/* How far a workload of the scenario has come. */
typedef struct {
    uint64_t address; /* of its random draws */
    int64_t peak_ppm; /* factor on its rate in its busiest hour */
    int64_t mean_gap_ns;
    int64_t candidates;   /* drawn so far: arrivals, and those not kept */
    int64_t candidate_ns; /* the last of them */
    int64_t jobs;         /* come so far */
    uint64_t known_above; /* 1 + World.names_lost when all above its jobs was there */
} WorkloadProgress;

/* What is left to do at this instant in one phase: first in, first out. */
typedef struct {
    Event *items;
    int32_t begin, end, capacity;
} DueEvents;

/* Random words drawn so far. Their sum does not hang on the order in which they were drawn: nothing
 * else may, since every word has an address. */
typedef struct {
    int64_t count;
    uint64_t sum;
} DrawCount;

struct World {
    Arena *arena;
    const Scenario *scenario;
    CoreQuota *quotas;     /* [scenario->quota_count] as they are now */
    CoreQuota *quota_tops; /* the most of each that can be held: what is held stays */
    TraceSink sink;
    EventQueue *events;
    int64_t now_ns;
    int64_t events_run;
    int64_t looked_events,
        looked_next_ns;    /* when stale events were looked for, and from where on */
    const char *given_up;  /* why a run without a set end stops before all is over; or NULL */
    bool is_out_of_time;   /* something was to happen beyond the 292 years of an int64 */
    int32_t asked_count;   /* commands applied beside the scenario's */
    const Command *untold; /* one under way that nothing was told of yet; NULL: none */
    bool checks_always;
    bool is_in_instant;         /* something happened at `now_ns`, and its end was not said yet */
    DueEvents due[PHASE_COUNT]; /* taken out of the queue: all at `due_ns` */
    int32_t due_count;
    int64_t due_ns;
    uint64_t shuffles; /* draws taken from Scenario.shuffle_seed */
    DrawCount *draws;  /* counted also by whoever only looks */

    uint32_t network_generation; /* grows when the next end of an exchange on a wire moves */
    struct Network *network;     /* network.c; NULL until the first exchange on a shared wire */
    NameTable *names;            /* resource_key -> row, of what exists */
    NameTable *former_names; /* resource_key -> how many clusters or jobs of that name are gone */
    char *key;               /* room for resource_key */
    size_t key_capacity;
    uint64_t key_hash;   /* of the key in it */
    uint64_t names_lost; /* grows when something goes, or a resource takes nothing any more */

    RowTable resources;    /* Resource */
    RowTable clusters;     /* Cluster */
    RowTable nodes;        /* Node */
    RowTable jobs;         /* Job */
    RowTable shares;       /* ShareRow */
    RowTable transfers;    /* Transfer; rows are used again */
    RowTable file_servers; /* FileServer */
    FileSet *files;        /* on shares, and on nodes where scripts run */
    uint32_t first_free_transfer;
    int32_t living_clusters; /* not deleted yet */

    int64_t region_up_ns;     /* no node can be allocated before */
    uint64_t *group_failures; /* [group of Failures]: so far */

    int32_t *awaited_conditions; /* commands whose condition has not held yet, by index */
    int32_t awaited_condition_count;
    NameTable *subjects;    /* subject_key of what was asked about -> world_subject */
    uint32_t clusters_seen; /* rows that `subjects` knows of */
    uint32_t jobs_seen;

    CommandProgress *progress;      /* [command] */
    bool is_listened[MOMENT_COUNT]; /* whether any command ever waits for such a moment */
    WorkloadProgress *workloads;    /* [Scenario.workloads] */
    NameTable *listeners;           /* listener_key -> the first command with a trigger on it */
};

/* --- Rows and names (world_names.c) --- */

Cluster *world_cluster_row(World *world, ClusterId id);
Node *world_node_row(World *world, NodeId id);
Job *world_job_row(World *world, JobId id);
ShareRow *world_share_row(World *world, ShareId id);
/* A new share of that name; the row of a former one is found no more. */
ShareId world_add_share(World *world, const char *name, const ShareTier *tier);
/* Whether there is a share of that name that can be mounted: world_find_share finds one that is
 * gone too, for those who have mounted it. */
bool world_share_exists(const World *world, const char *name);
/* It is gone: transfers under way hang for ever, none can mount it. */
void world_lose_share(World *world, ShareId share);

/* The key of a thing in World.names, by the kind of command that creates it. Lives until the next
 * key is asked for. */
const char *resource_key(World *world, CommandKind made_by, ResourcePath path);
/* The same by which conditions call it, in World.subjects: "workspace/experiment/name" without what
 * `path` has not, and without its group. */
const char *subject_key(World *world, CommandKind made_by, ResourcePath path);
Resource *world_find_resource(World *world, CommandKind made_by, ResourcePath path);
/* Its row; ID_NONE when there is none. */
uint32_t world_resource_index(World *world, CommandKind made_by, ResourcePath path);
Cluster *world_find_cluster(World *world, ResourcePath path);
Job *world_find_job(World *world, ResourcePath path);
/* What is called by that key is gone; the name can be used again. */
void world_forget(World *world, const char *key);
/* As the service compares names: without letter case. NULL is the same as NULL only. */
bool same_name(const char *a, const char *b);
bool begins_with(const char *text, const char *start);

/* A stable address for the random draws of a new thing: a hash of its key, and of how often that
 * name was used before. */
uint64_t world_new_address(World *world, const char *key);
/* Of its identity's draws `draw` and the next: no draw of anybody's luck, and not counted as one.
 * In `arena`. */
const char *world_guid(const Scenario *scenario, uint64_t address, uint64_t draw, Arena *arena);

/* --- Commands (world_apply.c) --- */

/* Where a command stands in its file, for messages. */
Place command_place(const Command *command);
/* Fails with the service's words: "The specified cluster nc6 is not found". */
bool command_not_found(const Command *command, const char *what, const char *name, Status *status);

/* Applies a command of the scenario and tells of it. */
void world_command(World *world, int32_t index);
/* The account is gone, and so are its shares. */
void shares_delete_of(World *world, const char *account);

/* --- Resources (resource.c): groups, workspaces, experiments and storage accounts --- */

MUST_CHECK bool resource_create(World *world, const Command *command, Status *status);
/* With everything in it. */
MUST_CHECK bool resource_delete(World *world, const Command *command, CommandKind made_by,
                                Status *status);
/* Its own time is over; what lies in it may take longer. */
void resource_due(World *world, uint32_t resource);
/* Whether all that `command` creates something in is there, and is not being deleted. */
MUST_CHECK bool container_takes(World *world, const Command *command, Status *status);
/* Something of that path is there from now on, or is gone: what it lies in knows how much that is.
 */
void container_gains(World *world, ResourcePath path);
void container_loses(World *world, ResourcePath path);
/* "workspace w", say, is made or gone. */
void resource_tell(World *world, TraceKind kind, const char *what, const char *name);
void resources_check(const World *world);

/* --- Quotas (quota.c) --- */

/* Those of the scenario; once, before any event. */
void quotas_prepare(World *world);
/* Other cores from now on; what is held stays. False when no quota is on that family. */
bool quota_change(World *world, const char *family, bool is_low_priority, int32_t vcpus);

/* --- Moments (moment.c) --- */

/* Finds out who listens to what; once, before any event. */
void moments_prepare(World *world);
/* Something happened that commands may wait for; `subject` is the cluster's or job's name. */
void world_moment(World *world, Moment moment, const char *subject);
/* The same of a moment that has an ordinal. */
void world_moment_nth(World *world, Moment moment, const char *subject, int64_t ordinal);
/* The lowest ordinal from `from` on for which a command waits for a moment of that kind and
 * subject; INT64_MAX: none. */
int64_t world_next_awaited(World *world, Moment moment, const char *subject, int64_t from);

/* --- Time --- */

/* An event `delay_ns` >= 0 from now (INT64_MAX: never); beyond the 292 years of an int64 it never
 * comes, and a run that waited for it says so. */
void world_push(World *world, int64_t delay_ns, EventKind kind, uint32_t subject,
                uint32_t generation, uint32_t detail);
/* The random word at that address; counted, so that a run tells how many it took (TRACE_RUN_ENDED).
 */
uint64_t world_word(const World *world, RngStream stream, uint64_t entity, uint64_t draw);
/* A draw from `quantiles` by address; a constant takes no word. */
int64_t world_draw(const World *world, Quantiles quantiles, RngStream stream, uint64_t entity,
                   uint64_t draw);
/* The same from a distribution of any kind. */
int64_t world_sample(const World *world, Distribution distribution, RngStream stream,
                     uint64_t entity, uint64_t draw);
const ServiceModel *world_service(const World *world);

/* --- Telling --- */

bool world_tells(const World *world, TraceKind kind);
/* A record of `kind` at this instant, concerning nothing. */
TraceRecord world_record(const World *world, TraceKind kind);
TraceRecord cluster_record(const World *world, TraceKind kind, const Cluster *cluster);
TraceRecord node_record(const World *world, TraceKind kind, const Node *node);
TraceRecord job_record(const World *world, TraceKind kind, const Job *job);
/* Listeners look at the world too: change it first, then tell. */
void world_tell(World *world, const TraceRecord *record);
/* Tells of a state that begins, called `name`; the span is that of the state before it, which began
 * at `*since_ns`. */
void world_tell_change(World *world, TraceRecord record, const char *name, int64_t *since_ns);

/* --- Transfers (transfer.c) --- */

void transfer_start(World *world, Job *job, int32_t node, TransferPurpose purpose, ShareId share,
                    int64_t bytes);
void transfer_joins(World *world, uint32_t transfer);
void share_end_came(World *world, ShareId share);
/* A share is slower from now on, 0: out; for `duration_ns`, INT64_MAX: for ever. The slowest of the
 * faults that overlap counts; none makes a share faster than its tier. */
void share_slows(World *world, ShareId share, int64_t speed_ppm, int64_t duration_ns);
void share_restored(World *world, ShareId share, uint32_t fault);
/* Takes back everything under way for a job. */
void transfers_cancel(World *world, Job *job);

/* A file is on a share from now on, in the place of another of its name; told with `record`, which
 * says whose it is, its bytes and its path. `upload` is the command that puts it there; NULL: a job
 * does. */
void world_write_file(World *world, TraceRecord record, ShareId share, const Command *upload);

/* --- Training (train_job.c): the events of a job that trains --- */

void train_job_resumed(World *world, Job *job);
void train_job_step(World *world, Job *job);
void train_job_epoch(World *world, Job *job);
void train_job_whole(World *world, Job *job);
void train_job_evaluated(World *world, Job *job);
void train_job_checkpointed(World *world, Job *job);
void train_job_saved(World *world, Job *job);
void train_job_scored(World *world, Job *job);
/* The step's own work is done on the slowest rank: its bytes go on a shared wire. */
void train_job_exchanges(World *world, Job *job);
/* Job fidelity: an epoch (from 1) begins, or its checkpoint is written, for which somebody waits;
 * the epoch times 2, + 1 for the checkpoint. */
void train_job_moment(World *world, Job *job, uint32_t epoch_and_kind);
/* A step's exchange, shared with others on a wire, is over (network.c). */
void train_job_exchanged(World *world, Job *job);

/* --- Mishaps (mishap.c): what goes wrong by itself --- */

/* Pushes the first failure of each group. */
void mishaps_prepare(World *world);
/* A node is there, or there again after repair: its next failure is pushed, and the end of a
 * low-priority node's lifetime when it is new; whether it is a lemon is decided then too. */
void mishap_node_begins(World *world, Node *node);
void mishap_node_fails(World *world, Node *node);
void mishap_node_lifetime(World *world, Node *node);
void mishap_group_fails(World *world, uint32_t group);
void mishap_region_up(World *world);
/* No node can be allocated or repaired. */
bool mishap_region_is_out(const World *world);
/* When it is up again; now, unless it is out; INT64_MAX: never. */
int64_t mishap_region_up_ns(const World *world);
/* Whether a chance (one of Failures) strikes, at its address. */
bool mishap_strikes(const World *world, int64_t chance_ppm, RngStream stream, uint64_t entity,
                    uint64_t draw);
/* No node can be allocated for so long (INT64_MAX: ever); an outage within another ends with the
 * longer one. */
void mishap_region_goes_out(World *world, int64_t duration_ns);

typedef bool NodeTest(const World *world, const Node *node);
/* It is held and not on its way out: what befalls it still means something to somebody (node.c). */
bool node_is_in_service(const World *world, const Node *node);
/* It could fall silent: it is in service, answers, and is not unusable. */
bool node_works(const World *world, const Node *node);
/* The nodes that are held at the places of a group and count for what befalls it, in the order of
 * its members; in the world's arena, `*count` of them. */
NodeId *mishap_group_nodes(World *world, const NodeGroup *group, NodeTest *counts, int32_t *count);
/* The records of many nodes struck at once follow. */
void mishap_tell_struck(World *world, const char *name, int32_t nodes, TraceCause cause);

/* --- Faults (fault.c): what goes wrong on request --- */

/* A command of FAULT_KINDS. */
MUST_CHECK bool fault_apply(World *world, const Command *command, Status *status);

/* --- Conditions (condition.c) --- */

/* Finds out who waits; once, before any event. */
void conditions_prepare(World *world);
/* At the end of an instant: finds the commands whose condition begins or stops to hold. */
void conditions_look(World *world);
void condition_held(World *world, uint32_t command);
/* The cluster or job at `row` is being deleted: another of its name may be meant from now on. */
void conditions_lose(World *world, CommandKind made_by, ResourcePath path, uint32_t row);

/* --- Networks (network.c): exchanges of jobs that share a wire --- */

/* Whether the job's nodes lie in several racks. */
bool network_is_shared(const World *world, const Job *job);
void network_check(const World *world);
/* `bytes` begin to cross every wire on the job's way at its fair share, `most_bytes_per_s` at most;
 * the end is train_job_exchanged. */
void network_begin(World *world, Job *job, int64_t bytes, int64_t most_bytes_per_s);
void network_end_came(World *world);
/* Takes back what is under way for a job. */
void network_cancel(World *world, Job *job);
/* What a job whose exchange is shared would get if all jobs of its cluster that train now across
 * racks exchanged all the time: for fidelities that do not look at single steps. */
int64_t network_rate_bytes_per_s(const World *world, const Job *job);

/* What the service says of a blob container that cannot be mounted; `trouble` as in "doesn't
 * exist".
 */
const char *blob_mount_message(World *world, const char *share, const char *trouble);

/* --- File servers (file_server.c) --- */

MUST_CHECK bool file_server_create(World *world, const Command *command, Status *status);
MUST_CHECK bool file_server_delete(World *world, const Command *command, Status *status);
/* One that is inside a resource that goes; it goes with it. */
void file_server_goes(World *world, uint32_t file_server);
void file_server_event(World *world, uint32_t file_server);
bool file_server_is_stale(const World *world, uint32_t file_server, uint32_t generation);
void file_servers_bill(World *world);
void file_servers_check(const World *world);

/* --- Workloads (workload.c) --- */

void workloads_prepare(World *world);
void workload_arrives(World *world, uint32_t workload);

/* --- Scheduling (scheduler.c): which job is next says a policy (policy.h) --- */

void job_queue_add(World *world, Cluster *cluster, Job *job);
void job_queue_remove(Cluster *cluster, Job *job);
/* Asks for one scheduling pass at this instant, after everything else that happens now. */
void scheduler_wake(World *world, Cluster *cluster);
void scheduler_pass(World *world, Cluster *cluster);
/* A job that job_start started gives its nodes back, for whatever reason. */
void scheduler_attempt_ends(World *world, Cluster *cluster, const Job *job);
void scheduler_check(const World *world, const Cluster *cluster);

#endif
