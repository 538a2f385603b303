#include "tests/support/swarm_scenario.h"

#include <string.h>

#include "sim/base/name_table.h"
#include "sim/cloud/policy/policy.h"
#include "sim/engine/rng.h"

static const struct {
    const char *name;
    bool is_built;
} feature_rows[] = {
#define X(name, text, is_built) {text, is_built},
    SWARM_FEATURES(X)
#undef X
};
_Static_assert(SWARM_FEATURE_COUNT <= 32, "a bit for each");

const char *swarm_feature_name(SwarmFeature feature)
{
    return feature_rows[feature].name;
}

uint32_t swarm_features_built(void)
{
    uint32_t features = 0;
    for (int i = 0; i < SWARM_FEATURE_COUNT; i++)
        features |= (uint32_t)feature_rows[i].is_built << i;
    return features;
}

enum { CLUSTERS_MAX = 3, JOBS_MAX = 8, NODES_MAX = 5 };

/* --- Dice and JSON --- */

typedef struct {
    uint64_t seed, entity, draw;
} Dice;

typedef struct {
    Arena *arena;
    uint64_t seed;
    uint32_t features;
    Json *root;
    Json *commands;
    int32_t cluster_count;
    int most_nodes[CLUSTERS_MAX]; /* that each cluster may have at some time */
    int gpus[CLUSTERS_MAX];       /* of each node */
    int kinds[CLUSTERS_MAX];      /* of nodes; 0: one, which the config states */
    int32_t queue_count;          /* of the crowd */
    int32_t job_count;
    int32_t server_count; /* file servers */
} Maker;

static Dice dice_of(const Maker *maker, const char *part)
{
    return (Dice){.seed = maker->seed, .entity = name_hash(part)};
}

/* 0 to sides - 1. Never two rolls in one argument list: C leaves their order open. */
static int roll(Dice *dice, int sides)
{
    return (int)(rng_word(dice->seed, RNG_IDENTITY, dice->entity, dice->draw++) >> 33) % sides;
}

static bool happens(Dice *dice, int percent)
{
    return roll(dice, 100) < percent;
}

#define PICK(dice, list) (list)[roll((dice), (int)(sizeof(list) / sizeof(list)[0]))]

static bool has(const Maker *maker, SwarmFeature feature)
{
    return maker->features >> feature & 1;
}

static void set_text(Maker *maker, Json *object, const char *key, const char *text)
{
    json_put_text(maker->arena, object, key, text);
}

static void set_integer(Maker *maker, Json *object, const char *key, int64_t value)
{
    json_put_integer(maker->arena, object, key, value);
}

static void set_boolean(Maker *maker, Json *object, const char *key, bool value)
{
    json_put_boolean(maker->arena, object, key, value);
}

static Json *set_object(Maker *maker, Json *object, const char *key)
{
    return json_put_object(maker->arena, object, key);
}

static Json *set_array(Maker *maker, Json *object, const char *key)
{
    return json_put_array(maker->arena, object, key);
}

static Json *add_object(Maker *maker, Json *array)
{
    return json_add(array, json_object(maker->arena));
}

#define FORMAT(maker, ...) arena_printf((maker)->arena, __VA_ARGS__)

static const char *seconds(Maker *maker, int s)
{
    return FORMAT(maker, "%ds", s);
}

/* --- Names --- */

static const char *const shares[] = {"acc/data", "acc/results"};
static const char *const scripts[] = {"train-a.py", "train-b.py", "train-c.py", "other.py",
                                      "fails.py"};

static const char *cluster_name(Maker *maker, int c)
{
    return FORMAT(maker, "c%d", c + 1);
}

static const char *job_name(Maker *maker, int j)
{
    return FORMAT(maker, "j%d", j + 1);
}

static bool has_gpu(const Maker *maker, int c)
{
    Dice dice = dice_of(maker, arena_printf(maker->arena, "machine of %d", c));
    return !happens(&dice, 25);
}

/* --- Moments --- */

static const char *random_condition(Maker *maker, Dice *dice)
{
    static const char *const signs[] = {"<", "<=", "==", "!=", ">=", ">"};
    static const char *const of_cluster[] = {"nodes",   "idle",     "running", "preparing",
                                             "leaving", "unusable", "target",  "queued_jobs"};
    static const char *const of_job[] = {"queued", "running",  "succeeded",
                                         "failed", "attempts", "epochs"};
    const char *subject;
    if (maker->job_count > 0 && happens(dice, 40)) {
        const char *name = job_name(maker, roll(dice, maker->job_count));
        subject = FORMAT(maker, "job %s %s", name, PICK(dice, of_job));
    } else if (happens(dice, 10)) {
        subject = "share acc/results transfers";
    } else {
        const char *name = cluster_name(maker, roll(dice, maker->cluster_count));
        subject = FORMAT(maker, "cluster %s %s", name, PICK(dice, of_cluster));
    }
    const char *sign = PICK(dice, signs);
    const char *condition = FORMAT(maker, "%s %s %d", subject, sign, roll(dice, 4));
    return happens(dice, 50) ? condition : FORMAT(maker, "%s for %ds", condition, roll(dice, 600));
}

static const char *random_moment(Maker *maker, Dice *dice)
{
    static const char *const of_cluster[] = {"steady", "ready", "empty", "deleted"};
    static const char *const of_job[] = {"started", "training", "completed"};
    const char *moment;
    if (maker->job_count > 0 && happens(dice, 60)) {
        const char *name = job_name(maker, roll(dice, maker->job_count));
        const char *state = PICK(dice, of_job);
        if (has(maker, SWARM_MOMENTS) && happens(dice, 40)) {
            static const char *const later[] = {"submitted", "requeued 1",   "requeued 2",
                                                "epoch 2",   "checkpoint 1", "step 7"};
            state = PICK(dice, later);
        }
        moment = FORMAT(maker, "job %s %s", name, state);
    } else {
        const char *name = cluster_name(maker, roll(dice, maker->cluster_count));
        moment = FORMAT(maker, "cluster %s %s", name, PICK(dice, of_cluster));
    }
    return happens(dice, 50) ? moment : FORMAT(maker, "%s + %ds", moment, roll(dice, 900));
}

/* At a time (often a round one, so that several commands take effect at once) or after something.
 */
static void set_time(Maker *maker, Json *object, Dice *dice, int latest_s)
{
    if (happens(dice, 30))
        set_text(maker, object, "after", random_moment(maker, dice));
    else if (happens(dice, 30))
        set_text(maker, object, "at", seconds(maker, roll(dice, latest_s / 300 + 1) * 300));
    else
        set_text(maker, object, "at", seconds(maker, roll(dice, latest_s)));
}

static Json *add_command(Maker *maker, const char *action, const char *name)
{
    Json *command = add_object(maker, maker->commands);
    set_text(maker, command, "do", action);
    set_text(maker, command, "name", name);
    return command;
}

/* --- The catalogue: the real one, with durations that meet often and room for many nodes --- */

static Json *set_value(Maker *maker, Json *object, const char *key, Json *value)
{
    Json *entry = set_object(maker, object, key);
    json_set(maker->arena, entry, "value", value);
    set_text(maker, entry, "source", "swarm");
    return entry;
}

static void set_quota(Maker *maker, Json *quotas, const char *family, int vcpus)
{
    Json *quota = set_object(maker, quotas, family);
    set_value(maker, quota, "dedicated_vcpus", json_integer(maker->arena, vcpus));
    set_value(maker, quota, "low_priority_vcpus", json_integer(maker->arena, vcpus));
}

static void make_quotas(Maker *maker, Json *catalog)
{
    Dice dice = dice_of(maker, "quotas");
    Json *quotas = set_object(maker, catalog, "quotas");
    bool is_tight = has(maker, SWARM_QUOTAS) && happens(&dice, 40);
    set_quota(maker, quotas, "total", is_tight ? 12 + roll(&dice, 60) : 600);
    set_quota(maker, quotas, "NC", is_tight ? 6 + roll(&dice, 36) : 600);
    set_quota(maker, quotas, "D", is_tight ? 2 + roll(&dice, 8) : 600);
}

/* A few seconds or minutes: a constant, or between two. */
static Json *random_durations(Maker *maker, Dice *dice)
{
    int low = roll(dice, 12) * 10;
    if (happens(dice, 50))
        return json_string(maker->arena, seconds(maker, low));
    Json *object = json_object(maker->arena);
    int middle = low + roll(dice, 60);
    set_text(maker, object, "min", seconds(maker, low));
    set_text(maker, object, "median", seconds(maker, middle));
    set_text(maker, object, "max", seconds(maker, middle + roll(dice, 120)));
    return object;
}

static void make_service(Maker *maker, Json *catalog)
{
    static const char *const keys[] = {"cluster_record",
                                       "allocation_create",
                                       "allocation_empty",
                                       "allocation_resize",
                                       "allocation_autoscale",
                                       "node_preparation",
                                       "release",
                                       "leaving_delay",
                                       "cluster_delete",
                                       "cluster_delete_empty",
                                       "job_record",
                                       "job_start",
                                       "job_terminate",
                                       "job_delete",
                                       "job_mount",
                                       "container_start",
                                       "host_overhead",
                                       "host_overhead_prepared",
                                       "failure_detection",
                                       "node_reboot",
                                       "file_server_create",
                                       "file_server_delete",
                                       "workspace_delete",
                                       "experiment_delete",
                                       "workspace_delete_clusters",
                                       "job_terminate_queued",
                                       "job_delete_running",
                                       "job_delete_gone"};
    Dice dice = dice_of(maker, "service");
    Json *service = set_object(maker, catalog, "service");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (happens(&dice, 35))
            set_value(maker, service, keys[i], random_durations(maker, &dice));
    if (happens(&dice, 30))
        set_value(maker, service, "attempts", json_integer(maker->arena, 1 + roll(&dice, 4)));
    if (happens(&dice, 30))
        set_value(maker, service, "preemption_fails_jobs", json_boolean(maker->arena, true));
    if (happens(&dice, 30))
        set_value(maker, service, "low_priority_run", json_string(maker->arena, "30m"));
    if (happens(&dice, 30))
        set_value(maker, service, "autoscale_period", json_string(maker->arena, "200s"));
    if (happens(&dice, 30))
        set_value(maker, service, "autoscale_look_back", json_string(maker->arena, "300s"));
}

static Json *random_distribution(Maker *maker, Dice *dice, int mean_s)
{
    Json *object = json_object(maker->arena);
    int kind = roll(dice, 4);
    if (kind == 0)
        return json_string(maker->arena, seconds(maker, mean_s));
    if (kind == 1) {
        set_text(maker, object, "exponential", seconds(maker, mean_s));
        return object;
    }
    Json *inner = set_object(maker, object, kind == 2 ? "weibull" : "lognormal");
    set_text(maker, inner, kind == 2 ? "scale" : "median", seconds(maker, mean_s));
    json_put_decimal(maker->arena, inner, kind == 2 ? "shape" : "sigma",
                     kind == 2 ? "0.75" : "1.5");
    return object;
}

static void make_failure_model(Maker *maker, Json *models, const char *name, int mean_s)
{
    static const char *const recoveries[] = {"stays", "reboot", "replace"};
    Dice dice = dice_of(maker, name);
    Json *model = set_object(maker, models, name);
    set_value(maker, model, "between", random_distribution(maker, &dice, mean_s));
    set_value(maker, model, "repair", random_distribution(maker, &dice, 600));
    set_value(maker, model, "recovery", json_string(maker->arena, PICK(&dice, recoveries)));
    set_value(maker, model, "reason", json_string(maker->arena, "bad luck"));
}

static void make_catalog(Maker *maker)
{
    Json *list = set_array(maker, maker->root, "catalog");
    json_add(list, json_string(maker->arena, "scenarios/catalog/azure-2018.json"));
    Json *catalog = add_object(maker, list);
    set_integer(maker, catalog, "catalog", 1);
    Json *source = set_object(maker, set_object(maker, catalog, "sources"), "swarm");
    set_text(maker, source, "title", "drawn at random");
    set_text(maker, source, "date", "now");
    make_quotas(maker, catalog);
    make_service(maker, catalog);
    if (!has(maker, SWARM_FAILURES))
        return;
    Json *models = set_object(maker, catalog, "failure_models");
    make_failure_model(maker, models, "frail", 3600);
    make_failure_model(maker, models, "wanted", 5400);
}

/* --- What is there at the start --- */

static void make_head(Maker *maker)
{
    static const char *const fidelities[] = {"step", "epoch", "job"};
    Dice dice = dice_of(maker, "head");
    set_integer(maker, maker->root, "trainyard", 1);
    set_text(maker, maker->root, "description", "Drawn at random: does it hold together?");
    set_integer(maker, maker->root, "seed", 1 + roll(&dice, 1000000));
    set_text(maker, maker->root, "fidelity", PICK(&dice, fidelities));
    set_text(maker, maker->root, "until", FORMAT(maker, "%dm", 60 + roll(&dice, 480)));
    if (happens(&dice, 30))
        set_text(maker, maker->root, "start", "2018-12-31T23:30:00Z");
    if (happens(&dice, 20))
        set_text(maker, maker->root, "region", "northeurope");
    if (happens(&dice, 20))
        set_text(maker, maker->root, "subscription", "11111111-2222-3333-4444-555555555555");
    if (happens(&dice, 30)) {
        set_text(maker, maker->root, "resource_group", "group-1");
        set_text(maker, maker->root, "workspace", "work");
        set_text(maker, maker->root, "experiment", "first");
    }
}

/* Members that change the inputs of a run: parameters, the measured part, quotas, assumed values.
 */
static void make_inputs(Maker *maker)
{
    Dice dice = dice_of(maker, "inputs");
    if (happens(&dice, 20)) {
        const Json *until = json_member(maker->root, "until");
        Json *length =
            set_object(maker, set_object(maker, maker->root, "parameters"), "run_length");
        set_text(maker, length, "value", until->text);
        set_text(maker, length, "type", "duration");
        set_text(maker, maker->root, "until", "${run_length}");
    }
    if (happens(&dice, 20)) {
        Json *measure = set_object(maker, maker->root, "measure");
        set_text(maker, measure, "from", FORMAT(maker, "%dm", roll(&dice, 30)));
        set_text(maker, measure, "until", FORMAT(maker, "%dm", 30 + roll(&dice, 90)));
        if (happens(&dice, 20))
            set_boolean(maker, measure, "steady", true);
    }
    if (happens(&dice, 10))
        set_text(maker, maker->root, "wait_target", FORMAT(maker, "%dm", 1 + roll(&dice, 60)));
    if (happens(&dice, 10))
        set_text(maker, maker->root, "quotas", "unlimited");
    if (happens(&dice, 10))
        set_text(maker, set_object(maker, maker->root, "assume"),
                 "vm_sizes/Standard_NC6/dedicated_price_per_hour", "0.80USD");
}

static void make_policy(Maker *maker)
{
    static const char *const policies[] = {
#define X(name, function, text, sight, first, victim, what) text,
        POLICIES(X)
#undef X
    };
    Dice dice = dice_of(maker, "policy");
    if (has(maker, SWARM_POLICIES) && happens(&dice, 60))
        set_text(maker, maker->root, "policy", PICK(&dice, policies));
    if (has(maker, SWARM_POLICIES) && happens(&dice, 20))
        set_text(maker, maker->root, "fair_share_half_life",
                 FORMAT(maker, "%dm", 1 + roll(&dice, 200)));
    if (has(maker, SWARM_POLICIES) && happens(&dice, 20))
        set_integer(maker, maker->root, "queue_limit", roll(&dice, 6));
    if (has(maker, SWARM_POLICIES) && happens(&dice, 40)) {
        static const char *const costs[] = {"0s", "1s", "45s", "10m"};
        Json *cost = set_object(maker, maker->root, "preemption_cost");
        set_text(maker, cost, "one_gpu", PICK(&dice, costs));
        set_text(maker, cost, "to_8_gpus", PICK(&dice, costs));
        set_text(maker, cost, "more_gpus", PICK(&dice, costs));
    }
}

static void make_placement(Maker *maker)
{
    static const char *const placements[] = {
#define X(name, function, text, what) text,
        PLACEMENTS(X)
#undef X
    };
    Dice dice = dice_of(maker, "placement");
    if (!has(maker, SWARM_GPUS))
        return;
    set_text(maker, maker->root, "placement", PICK(&dice, placements));
    if (happens(&dice, 40))
        set_text(maker, maker->root, "wide_jobs", happens(&dice, 50) ? "refuse" : "wait");
}

static void make_storage(Maker *maker)
{
    static const char *const tiers[] = {"standard", "standard-large", "premium"};
    Dice dice = dice_of(maker, "storage");
    Json *account = add_object(maker, set_array(maker, maker->root, "storage"));
    set_text(maker, account, "account", "acc");
    Json *list = set_array(maker, account, "shares");
    for (int s = 0; s < 2; s++) {
        Json *share = add_object(maker, list);
        set_text(maker, share, "name", shares[s] + strlen("acc/"));
        set_text(maker, share, "tier", PICK(&dice, tiers));
    }
    Json *files = set_object(maker, list->first, "files");
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++)
        set_text(maker, set_object(maker, files, scripts[i]), "bytes", "4kB");
    Json *blobs = add_object(maker, list);
    set_text(maker, blobs, "name", "blobs");
    set_text(maker, blobs, "kind", "blob");
}

/* --- Programs --- */

/* So many epochs, or a number of steps, or a time. */
static void set_every(Maker *maker, Json *checkpoint, int32_t epochs)
{
    Dice dice = dice_of(maker, "distances of checkpoints");
    switch (roll(&dice, 3)) {
    case 0:
        set_integer(maker, checkpoint, "every", epochs);
        break;
    case 1:
        set_text(maker, checkpoint, "every", FORMAT(maker, "%d steps", 1 + roll(&dice, 60)));
        break;
    default:
        set_text(maker, checkpoint, "every", FORMAT(maker, "%dms", 100 + roll(&dice, 9000)));
    }
}

static void make_checkpoint(Maker *maker, Dice *dice, Json *program)
{
    Json *checkpoint = set_object(maker, program, "checkpoint");
    bool is_on_share = happens(dice, 70);
    set_text(maker, checkpoint, "path",
             is_on_share ? "$AZ_BATCHAI_JOB_MOUNT_ROOT/results/ckpt-{epoch}.h5"
                         : "./ckpt-{epoch}.h5");
    set_text(maker, checkpoint, "bytes", FORMAT(maker, "%dMB", 1 + roll(dice, 400)));
    set_every(maker, checkpoint, 1 + roll(dice, 3));
    if (!happens(dice, 60))
        return;
    set_boolean(maker, checkpoint, "resume", true);
    if (is_on_share && happens(dice, 90))
        set_boolean(maker, checkpoint, "on_notice", true);
}

static void make_training(Maker *maker, Dice *dice, Json *program)
{
    static const char *const frameworks[] = {"keras-2.2-tf-1.8", "keras-2.2-tf-1.8-augmented",
                                             "tf-1.8"};
    static const char *const models[] = {"keras_cifar10_cnn", "keras_mnist_cnn"};
    const char *model = PICK(dice, models);
    set_text(maker, program, "model", model);
    set_text(maker, program, "data_set", strcmp(model, models[0]) == 0 ? "cifar10" : "mnist");
    set_text(maker, program, "framework", PICK(dice, frameworks));
    set_text(maker, program, "exchange",
             happens(dice, 50) ? "horovod-0.13-mpi" : "horovod-0.13.2-mpi");
    set_text(maker, program, "learning", model);
    if (happens(dice, 60))
        set_text(maker, program, "jitter", "shared-cluster");
    else
        set_text(maker, program, "precision", "fp32"); // no other is known of the catalogue's GPUs
    set_integer(maker, program, "batch_per_rank", 16 << roll(dice, 4));
    if (happens(dice, 30))
        set_text(maker, program, "epochs", "ceil(6/ranks)");
    else
        set_integer(maker, program, "epochs", 1 + roll(dice, 20));
    set_integer(maker, program, "steps_per_epoch", 1 + roll(dice, 40));
    if (happens(dice, 60))
        set_integer(maker, program, "evaluate_samples", roll(dice, 2) * 1000);
    if (happens(dice, 40))
        set_boolean(maker, program, "evaluates_at_end", happens(dice, 50));
    if (happens(dice, 50)) {
        Json *data = set_object(maker, program, "data");
        set_text(maker, data, "path", "$AZ_BATCHAI_JOB_MOUNT_ROOT/data/set");
        set_text(maker, data, "bytes", FORMAT(maker, "%dMB", 10 + roll(dice, 2000)));
    }
    if (happens(dice, 70))
        make_checkpoint(maker, dice, program);
    if (happens(dice, 60)) {
        Json *save = set_object(maker, program, "save");
        set_text(maker, save, "path", "$AZ_BATCHAI_JOB_MOUNT_ROOT/results/models/model.h5");
        set_text(maker, save, "bytes", "5MB");
    }
    if (happens(dice, 40))
        set_text(maker, program, "output", "keras");
}

/* Checkpoints of a program that only takes time. */
static void make_work_checkpoint(Maker *maker, Json *program)
{
    Dice dice = dice_of(maker, "work checkpoints");
    if (!happens(&dice, 60))
        return;
    Json *checkpoint = set_object(maker, program, "checkpoint");
    const bool is_on_notice = happens(&dice, 60);
    if (!is_on_notice || happens(&dice, 70))
        set_text(maker, checkpoint, "every", seconds(maker, 1 + roll(&dice, 300)));
    set_text(maker, checkpoint, "takes", seconds(maker, roll(&dice, 3) * 7));
    if (happens(&dice, 50))
        set_text(maker, checkpoint, "restart", seconds(maker, roll(&dice, 60)));
    if (is_on_notice)
        set_boolean(maker, checkpoint, "on_notice", true);
    if (happens(&dice, 30))
        set_text(maker, checkpoint, "jobs", FORMAT(maker, "%d%%", roll(&dice, 101)));
}

static void make_programs(Maker *maker)
{
    Dice dice = dice_of(maker, "programs");
    Json *list = set_array(maker, maker->root, "programs");
    for (int p = 0; p < 3; p++) {
        Json *program = add_object(maker, list);
        set_text(maker, program, "match", FORMAT(maker, "*train-%c*", 'a' + p));
        if (happens(&dice, 30))
            set_text(maker, program, "name", FORMAT(maker, "training %c", 'a' + p));
        make_training(maker, &dice, program);
    }
    Json *failing = add_object(maker, list);
    set_text(maker, failing, "match", "*fails*");
    set_text(maker, failing, "duration", seconds(maker, 1 + roll(&dice, 1200)));
    set_integer(maker, failing, "exit_code", 1 + roll(&dice, 255));
    bool is_other = happens(&dice, 30);
    Json *rest =
        is_other ? set_object(maker, maker->root, "other_programs") : add_object(maker, list);
    if (!is_other)
        set_text(maker, rest, "match", "*python*");
    if (has(maker, SWARM_DISTRIBUTIONS) && happens(&dice, 50))
        json_set(maker->arena, rest, "duration", random_distribution(maker, &dice, 900));
    else
        set_text(maker, rest, "duration", seconds(maker, roll(&dice, 40) * 60));
    if (!is_other)
        make_work_checkpoint(maker, rest);
}

static void make_preparations(Maker *maker)
{
    Dice dice = dice_of(maker, "preparations");
    Json *list = set_array(maker, maker->root, "preparations");
    for (int p = 0; p < 2; p++) {
        Json *preparation = add_object(maker, list);
        set_text(maker, preparation, "match", p == 0 ? "*bad*" : "*good*");
        set_text(maker, preparation, "duration", seconds(maker, roll(&dice, 90)));
        if (p == 0)
            set_integer(maker, preparation, "exit_code", 1 + roll(&dice, 255));
    }
    if (!has(maker, SWARM_SETUPS))
        return;
    Json *setups = set_array(maker, maker->root, "setups");
    for (int s = 0; s < 2; s++) {
        Json *setup = add_object(maker, setups);
        set_text(maker, setup, "match", s == 0 ? "*bad*" : "*good*");
        set_text(maker, setup, "duration", seconds(maker, roll(&dice, 90)));
        if (s == 0)
            set_integer(maker, setup, "exit_code", 1 + roll(&dice, 255));
    }
}

/* --- Clusters --- */

/* Names of the default containers are set or defaulted in make_head. */
static const char *default_name(const Maker *maker, const char *key, const char *fallback)
{
    const Json *member = json_member(maker->root, key);
    return member != NULL ? member->text : fallback;
}

static void add_share_mount(Maker *maker, Json *mounts, const char *share, const char *path)
{
    Json *list = json_member(mounts, "azureFileShares");
    Json *mount = add_object(maker, list ? list : set_array(maker, mounts, "azureFileShares"));
    set_text(
        maker, mount, "azureFileUrl",
        FORMAT(maker, "https://<AZURE_BATCHAI_STORAGE_ACCOUNT>.file.core.windows.net/%s", share));
    set_text(maker, mount, "relativeMountPath", path);
}

static void add_blob_mount(Maker *maker, Json *mounts, const char *path)
{
    Json *mount = add_object(maker, set_array(maker, mounts, "azureBlobFileSystems"));
    set_text(maker, mount, "accountName", "<AZURE_BATCHAI_STORAGE_ACCOUNT>");
    set_text(maker, mount, "containerName", "blobs");
    set_text(maker, mount, "relativeMountPath", path);
}

static void add_server_mount(Maker *maker, Dice *dice, Json *mounts, const char *path)
{
    if (maker->server_count == 0 || !happens(dice, 50))
        return;
    Json *mount = add_object(maker, set_array(maker, mounts, "fileServers"));
    set_text(maker, set_object(maker, mount, "fileServer"), "id",
             FORMAT(maker,
                    "/subscriptions/s/resourceGroups/%s/providers/Microsoft.BatchAI/workspaces/%s/"
                    "fileservers/nfs%d",
                    default_name(maker, "resource_group", "batchai"),
                    default_name(maker, "workspace", "workspace"),
                    1 + roll(dice, maker->server_count)));
    set_text(maker, mount, "relativeMountPath", path);
}

static void make_scale(Maker *maker, Dice *dice, Json *properties, int most)
{
    static const char *const options[] = {"requeue", "terminate", "waitforjobcompletion"};
    Json *scale = set_object(maker, properties, "scaleSettings");
    if (has(maker, SWARM_AUTOSCALE) && happens(dice, 40)) {
        Json *automatic = set_object(maker, scale, "autoScale");
        int least = roll(dice, most + 1);
        set_integer(maker, automatic, "minimumNodeCount", least);
        set_integer(maker, automatic, "maximumNodeCount", most);
        if (happens(dice, 50))
            set_integer(maker, automatic, "initialNodeCount", least + roll(dice, most - least + 1));
        return;
    }
    Json *manual = set_object(maker, scale, "manual");
    set_integer(maker, manual, "targetNodeCount", roll(dice, most + 1));
    if (happens(dice, 50))
        set_text(maker, manual, "nodeDeallocationOption", PICK(dice, options));
}

static void make_node_setup(Maker *maker, Dice *dice, Json *properties)
{
    Json *setup = set_object(maker, properties, "nodeSetup");
    Json *mounts = set_object(maker, setup, "mountVolumes");
    add_share_mount(maker, mounts, "data", "shared");
    if (happens(dice, 40))
        add_blob_mount(maker, mounts, "blobs");
    add_server_mount(maker, dice, mounts, "nfs");
    if (!has(maker, SWARM_SETUPS))
        return;
    Json *task = set_object(maker, setup, "setupTask");
    set_text(maker, task, "commandLine", happens(dice, 15) ? "bad.sh" : "good.sh");
    set_text(maker, task, "stdOutErrPathPrefix", "$AZ_BATCHAI_MOUNT_ROOT/shared/setup");
}

/* Perhaps one of the kinds scales automatically, and one has a price. */
static void scale_a_kind(Maker *maker, const char *cluster, const Json *kinds)
{
    Dice dice = dice_of(maker, FORMAT(maker, "scaling kind of %s", cluster));
    const bool scales = has(maker, SWARM_AUTOSCALE) && happens(&dice, 50);
    Json *kind = json_item(kinds, roll(&dice, kinds->count));
    const int nodes = (int)json_member(kind, "nodes")->integer;
    if (scales) {
        set_integer(maker, kind, "minimum", roll(&dice, nodes + 1));
        set_integer(maker, kind, "maximum", nodes + roll(&dice, 5));
    }
    if (happens(&dice, 30))
        set_text(maker, json_item(kinds, roll(&dice, kinds->count)), "price_per_hour", "0.37USD");
}

static bool has_scaling_kind(const Json *create)
{
    const Json *kinds = json_member(create, "node_kinds");
    bool has_one = false;
    for (int k = 0; kinds != NULL && k < kinds->count; k++)
        has_one |= json_member(json_item(kinds, k), "maximum") != NULL;
    return has_one;
}

/* A few kinds of nodes instead of those that the config states; returns how many. Their names are
 * "kind-0", "kind-1", ... */
static int make_kinds(Maker *maker, Dice *dice, Json *create, const char *first, int most)
{
    static const char *const sizes[] = {"STANDARD_NC6", "Standard_NC12", "Standard_NC24",
                                        "Standard_NC6s_v2"};
    const int count = 1 + roll(dice, 3);
    Json *list = set_array(maker, create, "node_kinds");
    for (int k = 0; k < count; k++) {
        Json *kind = add_object(maker, list);
        set_text(maker, kind, "vm_size", k == 0 ? first : PICK(dice, sizes));
        set_text(maker, kind, "name", FORMAT(maker, "kind-%d", k));
        set_integer(maker, kind, "nodes", k == 0 ? roll(dice, most + 1) : roll(dice, 4));
        if (happens(dice, 30))
            set_text(maker, kind, "priority", happens(dice, 50) ? "lowpriority" : "dedicated");
        if (happens(dice, 40))
            set_integer(maker, kind, "speed", 1 + roll(dice, 4));
    }
    scale_a_kind(maker, json_member(create, "name")->text, list);
    return count;
}

static void name_kind(Maker *maker, Dice *dice, Json *command, int kinds)
{
    if (kinds > 0)
        set_text(maker, command, "node_kind", FORMAT(maker, "kind-%d", roll(dice, kinds)));
}

/* At some time it has as many nodes as its jobs may ask for, or they would be refused. */
static void make_growth(Maker *maker, Dice *dice, int c)
{
    Json *command = add_command(maker, "cluster.resize", cluster_name(maker, c));
    set_text(maker, command, "at", seconds(maker, 300 + roll(dice, 3600)));
    set_integer(maker, command, "target", maker->most_nodes[c]);
    if (maker->kinds[c] > 0)
        set_text(maker, command, "node_kind", "kind-0");
}

static void make_cluster(Maker *maker, int c)
{
    Dice dice = dice_of(maker, FORMAT(maker, "cluster %d", c));
    Json *command = add_command(maker, "cluster.create", cluster_name(maker, c));
    set_text(maker, command, "at", seconds(maker, roll(&dice, 5) * 60));
    Json *properties = set_object(maker, set_object(maker, command, "config"), "properties");
    const bool is_larger = has_gpu(maker, c) && !happens(&dice, 70);
    Dice gpus_dice = dice_of(maker, FORMAT(maker, "GPUs of %d", c));
    const bool is_largest = has_gpu(maker, c) && has(maker, SWARM_GPUS) && happens(&gpus_dice, 60);
    const char *size = is_largest          ? "Standard_NC24"
                       : is_larger         ? "Standard_NC12"
                       : has_gpu(maker, c) ? "STANDARD_NC6"
                                           : "Standard_D1";
    Dice kinds_dice = dice_of(maker, FORMAT(maker, "kinds of %d", c));
    const bool has_kinds = has(maker, SWARM_KINDS) && happens(&kinds_dice, 35);
    Json *alike = has_kinds ? json_object(maker->arena) : properties; // nodes of one kind
    set_text(maker, alike, "vmSize", size);
    maker->gpus[c] = is_largest ? 4 : is_larger ? 2 : has_gpu(maker, c);
    if (happens(&dice, 50))
        set_text(maker, properties, "vmPriority", happens(&dice, 70) ? "lowpriority" : "dedicated");
    maker->most_nodes[c] = 1 + roll(&dice, NODES_MAX);
    make_scale(maker, &dice, alike, maker->most_nodes[c]);
    if (has_kinds)
        maker->kinds[c] = make_kinds(maker, &kinds_dice, command, size, maker->most_nodes[c]);
    if (happens(&dice, 50)) {
        Json *user = set_object(maker, properties, "userAccountSettings");
        set_text(maker, user, "adminUserName", "someone");
        set_text(maker, user, "adminUserPassword", "not a secret");
    }
    if (happens(&dice, 50))
        make_node_setup(maker, &dice, properties);
    make_growth(maker, &dice, c);
}

/* --- Jobs --- */

/* Uses only files of this job: the result of jobs that write at the same instant would depend on
 * their order. */
static const char *simple_commands(const Maker *maker, Dice *dice)
{
    int begin_min = roll(dice, 120);
    int end = 1 + roll(dice, 9);
    return FORMAT(maker,
                  "echo begin; sleep %dm; echo $? >> $AZ_BATCHAI_STDOUTERR_DIR/own.txt && "
                  "cat $AZ_BATCHAI_STDOUTERR_DIR/own.txt; sleep %d; exit %d",
                  begin_min, end, roll(dice, 3));
}

static void make_toolkit(Maker *maker, Dice *dice, Json *properties, int nodes, bool can_train)
{
    const char *script = scripts[can_train ? roll(dice, 5) : 3 + roll(dice, 2)];
    int kind = roll(dice, 4);
    if (kind == 0) {
        Json *custom = set_object(maker, properties, "customToolkitSettings");
        set_text(maker, custom, "commandLine",
                 happens(dice, 60) ? simple_commands(maker, dice)
                                   : FORMAT(maker, "python %s", script));
        return;
    }
    if (kind == 1) {
        Json *mpi = set_object(maker, properties, "customMpiSettings");
        set_text(maker, mpi, "commandLine", FORMAT(maker, "python %s --mpi", script));
        if (happens(dice, 40))
            set_integer(maker, mpi, "processCount", nodes * (1 + roll(dice, 2)));
        return;
    }
    Json *settings =
        set_object(maker, properties, kind == 2 ? "horovodSettings" : "chainerSettings");
    set_text(maker, settings, "pythonScriptFilePath",
             FORMAT(maker, "$AZ_BATCHAI_JOB_MOUNT_ROOT/data/%s", script));
    if (happens(dice, 50))
        set_text(maker, settings, "commandLineArgs", "--fast");
    if (happens(dice, 40))
        set_integer(maker, settings, "processCount", nodes * (1 + roll(dice, 2)));
}

static void make_folders(Maker *maker, Dice *dice, Json *properties)
{
    if (happens(dice, 30)) {
        Json *input = add_object(maker, set_array(maker, properties, "inputDirectories"));
        set_text(maker, input, "id", "SET");
        set_text(maker, input, "path", "$AZ_BATCHAI_JOB_MOUNT_ROOT/data/set");
    }
    if (happens(dice, 30)) {
        Json *output = add_object(maker, set_array(maker, properties, "outputDirectories"));
        set_text(maker, output, "id", "MODEL");
        set_text(maker, output, "pathPrefix", "$AZ_BATCHAI_JOB_MOUNT_ROOT/results");
        if (happens(dice, 50))
            set_text(maker, output, "pathSuffix", "models");
    }
    if (happens(dice, 30)) {
        Json *variable = add_object(maker, set_array(maker, properties, "environmentVariables"));
        set_text(maker, variable, "name", "LEVEL");
        set_text(maker, variable, "value", "11");
        Json *secret = add_object(maker, set_array(maker, properties, "secrets"));
        set_text(maker, secret, "name", "TOKEN");
        set_text(maker, secret, "value", "not a secret");
    }
}

static bool runs_simple_commands(const Json *properties)
{
    const Json *custom = json_member(properties, "customToolkitSettings");
    return custom != NULL && strncmp(json_member(custom, "commandLine")->text, "echo", 4) == 0;
}

/* Lets the job ask for GPUs of shared nodes. Its training has a rank on each of them, as many on
 * each node. */
static void ask_for_gpus(Maker *maker, Json *request, Json *config, int cluster)
{
    static const char *const toolkits[] = {"customMpiSettings", "horovodSettings",
                                           "chainerSettings"};
    Dice dice = dice_of(maker, FORMAT(maker, "request %s", json_member(request, "name")->text));
    Json *properties = json_member(config, "properties");
    const int each = maker->gpus[cluster], nodes = maker->most_nodes[cluster];
    const bool is_simple = runs_simple_commands(properties);
    if (!has(maker, SWARM_GPUS) || !happens(&dice, 60))
        return;
    for (size_t t = 0; t < sizeof toolkits / sizeof toolkits[0]; t++) {
        const Json *toolkit = json_member(properties, toolkits[t]);
        if (toolkit != NULL && json_member(toolkit, "processCount") != NULL)
            return; // as many processes as nodes, or twice as many
    }
    if (each > 0 && happens(&dice, 30)) {
        set_integer(maker, request, "gpus_per_node", is_simple ? 1 + roll(&dice, each) : 1);
        return;
    }
    int gpus = is_simple ? roll(&dice, each + 1) : each > 0 ? 1 + roll(&dice, each) : 0;
    if (is_simple && happens(&dice, 20))
        gpus = roll(&dice, nodes * each + 1);
    if (is_simple && happens(&dice, 3))
        gpus = nodes * each + 1; // more than the cluster has
    set_integer(maker, request, "gpus", gpus);
}

static Json *random_job(Maker *maker, Dice *dice, int cluster)
{
    static const char *const priorities[] = {"low", "normal", "high"};
    static const char *const images[] = {"ubuntu", "tensorflow/tensorflow:1.8.0-gpu",
                                         "tensorflow/tensorflow:1.8.0"};
    Json *config = json_object(maker->arena);
    Json *properties = set_object(maker, config, "properties");
    int nodes = 1 + roll(dice, maker->most_nodes[cluster]);
    set_integer(maker, properties, "nodeCount", nodes);
    if (happens(dice, 50))
        set_text(maker, properties, "schedulingPriority", PICK(dice, priorities));
    make_toolkit(maker, dice, properties, nodes, has_gpu(maker, cluster));
    Json *mounts = set_object(maker, properties, "mountVolumes");
    add_share_mount(maker, mounts, "data", "data");
    add_share_mount(maker, mounts, "results", "results");
    if (happens(dice, 20))
        add_blob_mount(maker, mounts, "blobs");
    add_server_mount(maker, dice, mounts, "nfs");
    set_text(maker, properties, "stdOutErrPathPrefix", "$AZ_BATCHAI_JOB_MOUNT_ROOT/results/logs");
    if (happens(dice, 40)) {
        Json *container = set_object(maker, properties, "containerSettings");
        set_text(maker, set_object(maker, container, "imageSourceRegistry"), "image",
                 PICK(dice, images));
    }
    if (happens(dice, 40))
        set_text(maker, set_object(maker, properties, "jobPreparation"), "commandLine",
                 happens(dice, 30)   ? "echo ready; sleep 7; cat none || touch /tmp/ready"
                 : happens(dice, 25) ? "bad.sh"
                                     : "good.sh");
    make_folders(maker, dice, properties);
    if (happens(dice, 20))
        set_text(maker, set_object(maker, properties, "constraints"), "maxWallClockTime", "PT7M");
    return config;
}

static void make_job_changes(Maker *maker, Dice *dice, const char *name, const char *experiment)
{
    static const char *const actions[] = {"job.terminate", "job.terminate", "job.delete",
                                          "job.show", "job.files"};
    int count = roll(dice, 3);
    for (int i = 0; i < count; i++) {
        Json *command = add_command(maker, PICK(dice, actions), name);
        set_time(maker, command, dice, 4500);
        if (experiment != NULL)
            set_text(maker, command, "experiment", experiment);
    }
}

/* Reports about a job that ran outside the simulation, mostly while it runs, about its preparation
 * or its command. A job without reports ends with its maxWallClockTime. */
static void make_real(Maker *maker, Json *command, Json *properties, const char *experiment)
{
    const char *name = json_member(command, "name")->text;
    Dice dice = dice_of(maker, FORMAT(maker, "real %s", name));
    if (json_member(properties, "customToolkitSettings") == NULL || !happens(&dice, 30))
        return;
    set_text(maker, command, "execution", happens(&dice, 90) ? "real" : "emulated");
    set_text(maker, set_object(maker, properties, "constraints"), "maxWallClockTime", "PT20M");
    for (int i = 0; i < 3; i++) {
        Json *ran = add_command(maker, "job.ran", name);
        set_text(maker, ran, "after", FORMAT(maker, "job %s started + %ds", name, 60 + 90 * i));
        set_text(maker, ran, "took", seconds(maker, roll(&dice, 300)));
        if (i == 0)
            set_integer(maker, ran, "node", 1);
        if (i == 0 || happens(&dice, 80))
            set_integer(maker, ran, "exit_code", i == 0 ? 0 : roll(&dice, 3));
        if (happens(&dice, 20))
            set_text(maker, ran, "reason", "The machine was needed");
        if (happens(&dice, 20)) {
            set_integer(maker, ran, "epochs", roll(&dice, 2)); // every program trains for one
            set_integer(maker, ran, "steps", roll(&dice, 40));
            json_put_decimal(maker->arena, ran, "val_accuracy", "0.715");
            json_put_decimal(maker->arena, ran, "val_loss", "0.812345");
        }
        if (experiment != NULL)
            set_text(maker, ran, "experiment", experiment);
    }
    Json *reached = add_command(maker, "job.reached", name);
    set_text(maker, reached, "after",
             FORMAT(maker, "job %s started + %ds", name, 60 + roll(&dice, 120)));
    set_text(maker, reached, "took", seconds(maker, roll(&dice, 300)));
    set_integer(maker, reached, "step", 1 + roll(&dice, 40));
    if (experiment != NULL)
        set_text(maker, reached, "experiment", experiment);
}

static void make_job(Maker *maker, int j)
{
    Dice dice = dice_of(maker, FORMAT(maker, "job %d", j));
    int cluster = roll(&dice, maker->cluster_count);
    const char *name = job_name(maker, j);
    Json *command = add_command(maker, "job.create", name);
    set_text(maker, command, "cluster", cluster_name(maker, cluster));
    set_text(maker, command, "at", seconds(maker, 300 + roll(&dice, 8) * 150));
    const char *experiment = happens(&dice, 20) ? "second" : NULL;
    if (experiment != NULL)
        set_text(maker, command, "experiment", experiment);
    if (happens(&dice, 30))
        set_text(maker, command, "expected", seconds(maker, 60 + roll(&dice, 3000)));
    Json *config = random_job(maker, &dice, cluster);
    json_set(maker->arena, command, "config", config);
    ask_for_gpus(maker, command, config, cluster);
    Dice kinds_dice = dice_of(maker, FORMAT(maker, "kinds of job %d", j));
    if (happens(&kinds_dice, 30))
        name_kind(maker, &kinds_dice, command, maker->kinds[cluster]);
    make_real(maker, command, json_member(config, "properties"), experiment);
    make_job_changes(maker, &dice, name, experiment);
}

/* Gives the cluster queues; returns how many. */
static int make_queues(Maker *maker, Dice *dice, Json *create, int gpus)
{
    if (!has(maker, SWARM_QUEUES) || !happens(dice, 50))
        return 0;
    const int count = 1 + roll(dice, 3);
    Dice reclaim_dice = dice_of(maker, "reclaim");
    Json *list = set_array(maker, create, "queues");
    for (int q = 0; q < count; q++) {
        Json *queue = add_object(maker, list);
        const int guaranteed = roll(dice, gpus / count + 1);
        set_text(maker, queue, "name", FORMAT(maker, "queue-%d", q));
        if (happens(dice, 80))
            set_integer(maker, queue, "gpus", guaranteed);
        if (happens(dice, 50))
            set_integer(maker, queue, "gpus_max", guaranteed + roll(dice, gpus));
        const bool has_guarantee = json_member(queue, "gpus") != NULL && guaranteed > 0;
        if (happens(&reclaim_dice, 70) && has_guarantee)
            set_text(maker, queue, "reclaim_after", seconds(maker, 30 * roll(&reclaim_dice, 4)));
        if (happens(&reclaim_dice, 15))
            set_boolean(maker, queue, "protected", true);
        Dice grace_dice = dice_of(maker, FORMAT(maker, "grace of queue %d", q));
        if (happens(&grace_dice, 40))
            set_text(maker, queue, "grace_period", seconds(maker, 15 * roll(&grace_dice, 8)));
    }
    return count;
}

/* Plans maintenance of a cluster that does not scale automatically, perhaps of one of its kinds. */
static void make_maintenance(Maker *maker, Json *create, const Json *scale)
{
    Dice dice = dice_of(maker, "maintenance");
    if (json_member(scale, "autoScale") != NULL || has_scaling_kind(create) || !happens(&dice, 40))
        return;
    Json *list = set_array(maker, create, "maintenance");
    for (int i = 1 + roll(&dice, 2); i > 0; i--) {
        Json *maintenance = add_object(maker, list);
        const int takes_s = 60 + roll(&dice, 600);
        set_text(maker, maintenance, "at", seconds(maker, roll(&dice, 3000)));
        set_text(maker, maintenance, "duration", seconds(maker, takes_s));
        if (happens(&dice, 40))
            set_integer(maker, maintenance, "nodes_at_once", 1 + roll(&dice, 3));
        const Json *kinds = json_member(create, "node_kinds");
        if (kinds != NULL && kinds->count > 0 && happens(&dice, 60)) {
            const Json *kind = json_item(kinds, roll(&dice, kinds->count));
            const Json *name = json_member(kind, "name");
            if (name != NULL)
                set_text(maker, maintenance, "node_kind", name->text);
        }
    }
}

/* Gives the queue a guarantee that it reclaims. */
static void make_claimant(Maker *maker, Dice *dice, Json *queue, int gpus)
{
    const int guaranteed = 1 + roll(dice, gpus);
    set_integer(maker, queue, "gpus", guaranteed);
    set_text(maker, queue, "reclaim_after", seconds(maker, 30 * roll(dice, 4)));
    if (json_member(queue, "gpus_max") != NULL)
        set_integer(maker, queue, "gpus_max", guaranteed + roll(dice, gpus));
}

/* Makes the job one of those of one queue that fill the cluster before the others come. */
static void make_tide(Maker *maker, Dice *dice, Json *command, int each, const char *queue)
{
    Json *toolkit = json_member(json_member(json_member(command, "config"), "properties"),
                                "customToolkitSettings");
    set_text(maker, command, "queue", queue);
    set_text(maker, command, "at", seconds(maker, roll(dice, 400)));
    if (json_member(command, "gpus") != NULL)
        set_integer(maker, command, "gpus", 1 + roll(dice, each));
    set_text(maker, toolkit, "commandLine",
             FORMAT(maker, "echo begin; sleep %d", 1500 + roll(dice, 3000)));
}

/* A cluster, and many small jobs that ask for its GPUs within minutes, so that they share nodes. */
static void make_crowd(Maker *maker)
{
    Dice dice = dice_of(maker, "crowd");
    if (!has(maker, SWARM_GPUS) || !happens(&dice, 75))
        return;
    const int each = happens(&dice, 60) ? 4 : 2, nodes = 1 + roll(&dice, NODES_MAX);
    Json *create = add_command(maker, "cluster.create", "crowd");
    Json *cluster = set_object(maker, set_object(maker, create, "config"), "properties");
    const char *size = each == 4 ? "Standard_NC24" : "Standard_NC12";
    Dice kinds_dice = dice_of(maker, "kinds of the crowd");
    const bool has_kinds = has(maker, SWARM_KINDS) && happens(&kinds_dice, 60);
    Json *alike = has_kinds ? json_object(maker->arena) : cluster; // nodes of one kind
    set_text(maker, alike, "vmSize", size);
    if (happens(&dice, 30))
        make_scale(maker, &dice, alike, nodes);
    else
        set_integer(maker, set_object(maker, set_object(maker, alike, "scaleSettings"), "manual"),
                    "targetNodeCount", nodes);
    Dice queue_dice = dice_of(maker, "queues"), core_dice = dice_of(maker, "cores");
    const int kinds = has_kinds ? make_kinds(maker, &kinds_dice, create, size, nodes) : 0;
    const int queues = maker->queue_count = make_queues(maker, &queue_dice, create, nodes * each);
    make_maintenance(maker, create, json_member(cluster, "scaleSettings"));
    Dice expected_dice = dice_of(maker, "expected by the crowd");
    const int count = 6 + roll(&dice, 10), begin_s = 300 + roll(&dice, 1200);
    Dice tide_dice = dice_of(maker, "tide");
    const bool has_tide = queues > 1 && happens(&tide_dice, 70);
    if (has_tide)
        make_claimant(maker, &tide_dice, json_item(json_member(create, "queues"), 0), nodes * each);
    for (int j = 0; j < count; j++) {
        Json *command = add_command(maker, "job.create", FORMAT(maker, "crowd%d", j + 1));
        set_text(maker, command, "cluster", "crowd");
        const int at_s = begin_s + roll(&dice, 120);
        set_text(maker, command, "at", seconds(maker, at_s));
        if (happens(&expected_dice, 60))
            set_text(maker, command, "expected", seconds(maker, 30 + roll(&expected_dice, 1500)));
        if (queues > 0) {
            // Jobs that come later find GPUs that other queues have borrowed.
            set_text(maker, command, "queue", FORMAT(maker, "queue-%d", roll(&queue_dice, queues)));
            set_text(maker, command, "at", seconds(maker, at_s + roll(&queue_dice, 1200)));
        }
        const bool is_wide = happens(&dice, 10);
        if (happens(&dice, 15))
            set_integer(maker, command, "gpus_per_node", 1 + roll(&dice, each));
        else
            set_integer(maker, command, "gpus",
                        is_wide ? roll(&dice, nodes * each + 1) : roll(&dice, each));
        if (happens(&kinds_dice, 30))
            name_kind(maker, &kinds_dice, command, kinds);
        if (has(maker, SWARM_CORES) && happens(&core_dice, 40))
            set_integer(maker, command, "cpus", roll(&core_dice, 13));
        if (has(maker, SWARM_CORES) && happens(&core_dice, 30))
            set_text(maker, command, "memory", FORMAT(maker, "%dGiB", roll(&core_dice, 113)));
        Json *properties = set_object(maker, set_object(maker, command, "config"), "properties");
        set_integer(maker, properties, "nodeCount", is_wide ? nodes : 1);
        set_text(maker, set_object(maker, properties, "customToolkitSettings"), "commandLine",
                 FORMAT(maker, "echo begin; sleep %d", 60 + roll(&dice, 900)));
        if (has_tide && 2 * j < count)
            make_tide(maker, &tide_dice, command, each, FORMAT(maker, "queue-%d", queues - 1));
        add_share_mount(maker, set_object(maker, properties, "mountVolumes"), "results", "results");
        set_text(maker, properties, "stdOutErrPathPrefix",
                 "$AZ_BATCHAI_JOB_MOUNT_ROOT/results/logs");
    }
    for (int r = 0; kinds > 0 && r < 3; r++) {
        Json *resize = add_command(maker, "cluster.resize", "crowd");
        set_text(maker, resize, "at", seconds(maker, begin_s + roll(&kinds_dice, 1800)));
        set_integer(maker, resize, "target", roll(&kinds_dice, NODES_MAX));
        name_kind(maker, &kinds_dice, resize, kinds);
        if (happens(&kinds_dice, 50))
            set_text(maker, resize, "deallocation",
                     happens(&kinds_dice, 50) ? "waitforjobcompletion" : "terminate");
    }
}

/* --- What the users do besides --- */

static void make_resizes(Maker *maker)
{
    static const char *const options[] = {"requeue", "terminate", "waitforjobcompletion"};
    Dice dice = dice_of(maker, "resizes");
    int count = roll(&dice, 6);
    for (int i = 0; i < count; i++) {
        const int cluster = roll(&dice, maker->cluster_count);
        const char *name = cluster_name(maker, cluster);
        const bool may_scale = happens(&dice, 40) && maker->kinds[cluster] == 0;
        const bool is_automatic = has(maker, SWARM_AUTOSCALE) && may_scale;
        Json *command =
            add_command(maker, is_automatic ? "cluster.autoscale" : "cluster.resize", name);
        set_time(maker, command, &dice, 7200);
        if (is_automatic) {
            int least = roll(&dice, 3);
            set_integer(maker, command, "minimum", least);
            set_integer(maker, command, "maximum", least + roll(&dice, 5));
            continue;
        }
        set_integer(maker, command, "target", roll(&dice, 7));
        Dice kinds_dice = dice_of(maker, FORMAT(maker, "kind of resize %d", i));
        name_kind(maker, &kinds_dice, command, maker->kinds[cluster]);
        if (happens(&dice, 60))
            set_text(maker, command, "deallocation", PICK(&dice, options));
    }
}

static void make_shows(Maker *maker)
{
    Dice dice = dice_of(maker, "shows");
    int count = roll(&dice, 3);
    for (int i = 0; i < count; i++) {
        Json *command = add_command(maker, "cluster.show",
                                    cluster_name(maker, roll(&dice, maker->cluster_count)));
        set_time(maker, command, &dice, 7200);
        if (happens(&dice, 40))
            set_text(maker, command, "query", "nodeStateCounts");
    }
    if (has(maker, SWARM_USAGES) && happens(&dice, 30))
        set_time(maker, add_command(maker, "usages.show", "all"), &dice, 7200);
}

/* A container that no command creates is made at the start. */
static void make_containers(Maker *maker)
{
    Dice dice = dice_of(maker, "containers");
    if (happens(&dice, 30))
        add_command(maker, "group.create", default_name(maker, "resource_group", "batchai"));
    if (happens(&dice, 30))
        add_command(maker, "workspace.create", default_name(maker, "workspace", "workspace"));
    if (happens(&dice, 30))
        add_command(maker, "experiment.create", default_name(maker, "experiment", "experiment"));
    add_command(maker, "experiment.create", "second");
}

static void make_deletions(Maker *maker)
{
    Dice dice = dice_of(maker, "deletions");
    if (happens(&dice, 30)) {
        const char *name = cluster_name(maker, roll(&dice, maker->cluster_count));
        set_time(maker, add_command(maker, "cluster.delete", name), &dice, 7200);
    }
    if (happens(&dice, 8))
        set_time(maker, add_command(maker, "experiment.delete", "second"), &dice, 7200);
    if (happens(&dice, 6))
        set_time(
            maker,
            add_command(maker, "workspace.delete", default_name(maker, "workspace", "workspace")),
            &dice, 7200);
    if (happens(&dice, 4))
        set_time(
            maker,
            add_command(maker, "group.delete", default_name(maker, "resource_group", "batchai")),
            &dice, 7200);
}

static void make_late_share(Maker *maker)
{
    Dice dice = dice_of(maker, "late share");
    if (!happens(&dice, 50))
        return;
    add_command(maker, "storage.create", "more");
    set_text(maker, add_command(maker, "share.create", "more/late"), "tier", "standard");
    int count = 1 + roll(&dice, 2);
    for (int i = 0; i < count; i++) {
        Json *command = add_command(maker, "file.upload", i == 0 ? "acc/data" : "more/late");
        set_text(maker, command, "at", seconds(maker, roll(&dice, 3000)));
        set_text(maker, command, "file", FORMAT(maker, "set/part-%d.bin", i));
        set_text(maker, set_object(maker, command, "content"), "bytes",
                 FORMAT(maker, "%dMB", 1 + roll(&dice, 900)));
    }
    if (happens(&dice, 40)) {
        Json *command = add_command(maker, "file.delete", "acc/data");
        set_text(maker, command, "at", seconds(maker, roll(&dice, 6000)));
        set_text(maker, command, "file", "set/part-0.bin");
    }
    if (happens(&dice, 30))
        set_time(maker, add_command(maker, "share.delete", "more/late"), &dice, 7200);
    if (happens(&dice, 30))
        set_time(maker, add_command(maker, "storage.delete", "more"), &dice, 7200);
}

static void make_file_servers(Maker *maker)
{
    Dice dice = dice_of(maker, "file servers");
    if (!has(maker, SWARM_FILE_SERVERS) || !happens(&dice, 40))
        return;
    maker->server_count = 1 + roll(&dice, 2);
    for (int s = 0; s < maker->server_count; s++) {
        const char *name = FORMAT(maker, "nfs%d", s + 1);
        Json *command = add_command(maker, "fileserver.create", name);
        set_text(maker, command, "at", seconds(maker, roll(&dice, 4) * 60));
        set_text(maker, command, "vm_size", "Standard_D1");
        if (happens(&dice, 30))
            set_time(maker, add_command(maker, "fileserver.delete", name), &dice, 7200);
    }
}

/* --- What goes wrong --- */

static void make_groups(Maker *maker)
{
    if (!has(maker, SWARM_GROUPS))
        return;
    Dice dice = dice_of(maker, "groups");
    Json *list = set_array(maker, maker->root, "groups");
    Json *rack = add_object(maker, list);
    set_text(maker, rack, "name", "rack");
    set_text(maker, rack, "cluster", cluster_name(maker, roll(&dice, maker->cluster_count)));
    int first = 1 + roll(&dice, 2);
    set_text(maker, rack, "nodes", FORMAT(maker, "%d-%d", first, first + roll(&dice, 3)));
    Json *zone = add_object(maker, list);
    set_text(maker, zone, "name", "zone");
    Json *clusters = set_array(maker, zone, "clusters");
    for (int c = 0; c < maker->cluster_count; c++)
        json_add(clusters, json_string(maker->arena, cluster_name(maker, c)));
}

static void make_failures(Maker *maker)
{
    static const char *const chances[] = {"allocation", "preparation", "setup",
                                          "mount",      "container",   "file_server"};
    static const char *const scales[] = {"0", "0.5", "1", "2"};
    Dice dice = dice_of(maker, "failures");
    if (!has(maker, SWARM_FAILURES) || !happens(&dice, 60))
        return;
    Json *failures = set_object(maker, maker->root, "failures");
    if (happens(&dice, 40))
        set_text(maker, failures, "scale", PICK(&dice, scales));
    if (happens(&dice, 70))
        set_text(maker, failures, "nodes", "frail");
    if (happens(&dice, 70))
        set_text(maker, failures, "preemption", "wanted");
    for (size_t i = 0; i < sizeof chances / sizeof chances[0]; i++)
        if (happens(&dice, 25))
            set_text(maker, failures, chances[i], FORMAT(maker, "%d%%", 1 + roll(&dice, 40)));
    if (happens(&dice, 40)) {
        set_text(maker, failures, "slow_nodes", "30%");
        set_text(maker, failures, "slow_node_speed", "50%");
    }
    if (has(maker, SWARM_GROUPS) && happens(&dice, 50)) {
        Json *group = add_object(maker, set_array(maker, failures, "groups"));
        set_text(maker, group, "group", happens(&dice, 50) ? "rack" : "zone");
        set_text(maker, group, "model", "frail");
    }
    Dice health = dice_of(maker, "health");
    if (json_member(failures, "nodes") != NULL && happens(&health, 50)) {
        set_text(maker, failures, "detected", FORMAT(maker, "%d%%", roll(&health, 101)));
        set_text(maker, failures, "warning", seconds(maker, 1 + roll(&health, 1200)));
    }
    Dice crews = dice_of(maker, "crews");
    if (happens(&crews, 40))
        set_integer(maker, failures, "crews", 1 + roll(&crews, 2));
}

static void make_fault_time(Maker *maker, Dice *dice, Json *fault)
{
    if (has(maker, SWARM_MOMENTS) && maker->job_count > 0 && happens(dice, 25)) {
        const char *name = job_name(maker, roll(dice, maker->job_count));
        int epoch = 1 + roll(dice, 6);
        set_text(maker, fault, "after",
                 FORMAT(maker, "job %s epoch %d + %ds", name, epoch, roll(dice, 10)));
        return;
    }
    if (has(maker, SWARM_CONDITIONS) && happens(dice, 35))
        set_text(maker, fault, "when", random_condition(maker, dice));
    else
        set_time(maker, fault, dice, 6000);
}

/* The subject of a kind of fault, and the members that it may have. */
typedef struct {
    const char *subject; /* node: of a cluster or job */
    bool has_recovery, has_duration, has_reason, needs_speed;
} FaultShape;

static FaultShape fault_shape(CommandKind kind)
{
    switch ((int)kind) {
    case COMMAND_NODE_CRASH:
        return (FaultShape){"node", true, true, true, false};
    case COMMAND_NODE_PREEMPT:
    case COMMAND_NODE_REBOOT:
    case COMMAND_NODE_RESUME:
        return (FaultShape){"node", false, false, false, false};
    case COMMAND_NODE_SLOW:
        return (FaultShape){"node", false, false, false, true};
    case COMMAND_NODE_DRAIN:
        return (FaultShape){"node", false, true, true, false};
    case COMMAND_GROUP_CRASH:
        return (FaultShape){"group", true, true, true, false};
    case COMMAND_GROUP_PREEMPT:
        return (FaultShape){"group", false, false, false, false};
    case COMMAND_REGION_OUTAGE:
        return (FaultShape){"region", false, true, true, false};
    case COMMAND_PREPARATION_FAIL:
        return (FaultShape){"cluster", true, true, true, false};
    case COMMAND_SHARE_SLOW:
        return (FaultShape){"share", false, true, false, true};
    case COMMAND_QUOTA_CHANGE:
        return (FaultShape){"quota", false, false, false, false};
    case COMMAND_SEED_CHANGE:
    case COMMAND_POLICY_CHANGE:
        return (FaultShape){"world", false, false, false, false};
    case COMMAND_CONTAINER_FAIL:
    case COMMAND_JOB_EXIT:
        return (FaultShape){"job", false, false, false, false};
    default: // COMMAND_ALLOCATION_FAIL
        return (FaultShape){"cluster", false, false, false, false};
    }
}

static void make_subject(Maker *maker, Dice *dice, Json *fault, const char *subject)
{
    bool is_node = strcmp(subject, "node") == 0;
    if (strcmp(subject, "group") == 0)
        set_text(maker, fault, "group", happens(dice, 50) ? "rack" : "zone");
    else if (strcmp(subject, "share") == 0)
        set_text(maker, fault, "share", PICK(dice, shares));
    else if (strcmp(subject, "job") == 0 || (is_node && maker->job_count > 0 && happens(dice, 40)))
        set_text(maker, fault, "job", job_name(maker, roll(dice, maker->job_count)));
    else if (is_node || strcmp(subject, "cluster") == 0)
        set_text(maker, fault, "cluster", cluster_name(maker, roll(dice, maker->cluster_count)));
    if (is_node && happens(dice, 50))
        set_integer(maker, fault, "node", 1 + roll(dice, 3));
}

/* Any kind but a change of a queue, which make_queue_changes draws. */
static CommandKind draw_fault(Dice *dice)
{
    const int kind = COMMAND_NODE_CRASH + roll(dice, COMMAND_KIND_COUNT - COMMAND_NODE_CRASH - 1);
    return (CommandKind)(kind < COMMAND_QUEUE_CHANGE ? kind : kind + 1);
}

/* Queues of the crowd have other guarantees or limits; a value that the present other one forbids
 * is refused during the run. */
static void make_queue_changes(Maker *maker, Json *faults)
{
    Dice dice = dice_of(maker, "queue changes");
    const int count = maker->queue_count > 0 ? roll(&dice, 5) : 0;
    for (int i = 0; i < count; i++) {
        Json *fault = add_object(maker, faults);
        const int guaranteed = roll(&dice, 9);
        set_text(maker, fault, "do", command_name(COMMAND_QUEUE_CHANGE));
        make_fault_time(maker, &dice, fault);
        set_text(maker, fault, "cluster", "crowd");
        set_text(maker, fault, "queue", FORMAT(maker, "queue-%d", roll(&dice, maker->queue_count)));
        if (happens(&dice, 70))
            set_integer(maker, fault, "gpus", guaranteed);
        if (json_member(fault, "gpus") == NULL || happens(&dice, 50))
            set_integer(maker, fault, "gpus_max", guaranteed + roll(&dice, 9));
    }
}

static void make_fault(Maker *maker, Dice *dice, Json *faults)
{
    static const char *const recoveries[] = {"stays", "reboot", "replace"};
    CommandKind kind = draw_fault(dice);
    FaultShape shape = fault_shape(kind);
    if ((strcmp(shape.subject, "group") == 0 && !has(maker, SWARM_GROUPS)) ||
        (strcmp(shape.subject, "job") == 0 && maker->job_count == 0))
        return;
    Json *fault = add_object(maker, faults);
    set_text(maker, fault, "do", command_name(kind));
    make_fault_time(maker, dice, fault);
    make_subject(maker, dice, fault, shape.subject);
    const char *recovery = shape.has_recovery && happens(dice, 70) ? PICK(dice, recoveries) : NULL;
    if (recovery != NULL)
        set_text(maker, fault, "recovery", recovery);
    // A node that stays broken has no time of repair.
    bool comes_back = !shape.has_recovery || (recovery != NULL && strcmp(recovery, "stays") != 0);
    if (shape.has_duration && comes_back && (shape.has_recovery || happens(dice, 80)))
        set_text(maker, fault, "duration", seconds(maker, 1 + roll(dice, 1200)));
    if (shape.has_reason && happens(dice, 30))
        set_text(maker, fault, "reason", "requested by the user");
    if (shape.needs_speed)
        set_text(maker, fault, "speed", FORMAT(maker, "%d%%", 20 * (1 + roll(dice, 5))));
    if (kind == COMMAND_SHARE_SLOW && happens(dice, 40))
        set_text(maker, fault, "speed", "0%");
    if (kind == COMMAND_ALLOCATION_FAIL)
        set_integer(maker, fault, "count", 1 + roll(dice, 3));
    if (kind == COMMAND_JOB_EXIT)
        set_integer(maker, fault, "exit_code", roll(dice, 256));
    if (kind == COMMAND_SEED_CHANGE)
        set_integer(maker, fault, "seed", roll(dice, 1000));
    if (kind == COMMAND_POLICY_CHANGE)
        set_text(maker, fault, "policy", policy_of((PolicyKind)roll(dice, POLICY_COUNT))->name);
    if (kind == COMMAND_QUOTA_CHANGE) {
        set_text(maker, fault, "family", happens(dice, 50) ? "total" : "NC");
        set_integer(maker, fault, "vcpus", roll(dice, 48));
        if (happens(dice, 50))
            set_text(maker, fault, "priority", "lowpriority");
    }
}

/* Each job loses a node soon after its first checkpoint, if it has one: by chance that is rare. */
static void make_losses(Maker *maker, Json *faults)
{
    Dice dice = dice_of(maker, "losses of saved work");
    if (!has(maker, SWARM_MOMENTS) || !happens(&dice, 50))
        return;
    for (int j = 0; j < maker->job_count; j++) {
        const char *name = job_name(maker, j);
        Json *fault = add_object(maker, faults);
        set_text(maker, fault, "do",
                 command_name(happens(&dice, 50) ? COMMAND_NODE_CRASH : COMMAND_NODE_PREEMPT));
        set_text(maker, fault, "after",
                 FORMAT(maker, "job %s saved 1 + %dms", name, roll(&dice, 3) * 500));
        set_text(maker, fault, "job", name);
    }
}

static void make_faults(Maker *maker)
{
    if (!has(maker, SWARM_FAULTS))
        return;
    Dice dice = dice_of(maker, "faults");
    Json *faults = set_array(maker, maker->root, "faults");
    int count = roll(&dice, 6);
    for (int i = 0; i < count; i++)
        make_fault(maker, &dice, faults);
    make_queue_changes(maker, faults);
    make_losses(maker, faults);
}

/* --- Load and wires --- */

static void make_workload(Maker *maker, Dice *dice, Json *list, int w)
{
    static const char *const arrivals[] = {"poisson", "diurnal", "bursts"};
    Json *workload = add_object(maker, list);
    int cluster = roll(dice, maker->cluster_count);
    const char *kind = PICK(dice, arrivals);
    set_text(maker, workload, "name", FORMAT(maker, "load%d", w + 1));
    set_text(maker, workload, "cluster", cluster_name(maker, cluster));
    Json *config = random_job(maker, dice, cluster);
    json_set(maker->arena, workload, "config", config);
    set_text(maker, workload, "arrivals", kind);
    Dice amount = dice_of(maker, FORMAT(maker, "amount of load %d", w));
    Dice days = dice_of(maker, FORMAT(maker, "weekdays of load %d", w));
    const bool has_weekdays = strcmp(kind, "diurnal") == 0 && happens(&days, 30);
    if (happens(&amount, 20)) {
        set_integer(maker, workload, "count", 1 + roll(&amount, 20));
        // At least a day of diurnal arrivals, or a week.
        set_text(maker, workload, "within",
                 FORMAT(maker, "%dh", (has_weekdays ? 168 : 24) + roll(&amount, 48)));
    } else {
        set_text(maker, workload, "rate", FORMAT(maker, "%d/h", 1 + roll(dice, 12)));
    }
    set_integer(maker, workload, "jobs", 1 + roll(dice, 12));
    if (happens(dice, 40))
        set_text(maker, workload, "begin", "10m");
    if (happens(dice, 40))
        set_text(maker, workload, "end", "3h");
    if (strcmp(kind, "diurnal") == 0) {
        Json *hours = set_array(maker, workload, "hours");
        for (int h = 0; h < 24; h++)
            json_add(hours, json_integer(maker->arena, 1 + roll(dice, 3)));
    }
    if (has_weekdays) {
        Json *weekdays = set_array(maker, workload, "weekdays");
        for (int d = 0; d < 7; d++)
            json_add(weekdays, json_integer(maker->arena, d == 2 ? 1 : roll(&days, 3)));
    }
    if (strcmp(kind, "bursts") == 0)
        set_integer(maker, workload, "burst", 1 + roll(dice, 4));
    // Other numbers of processes may not fit on other numbers of nodes.
    bool has_processes = json_find(config, "/properties/customToolkitSettings") == NULL;
    if (maker->most_nodes[cluster] > 1 && !has_processes) {
        Json *nodes = set_object(maker, workload, "nodes");
        set_text(maker, nodes, "1", "70%");
        set_text(maker, nodes, FORMAT(maker, "%d", maker->most_nodes[cluster]), "30%");
    }
    if (happens(dice, 30))
        set_text(maker, workload, "expected", "10m");
    const bool has_nodes = json_member(workload, "nodes") != NULL;
    if (has(maker, SWARM_GPUS) && !has_nodes &&
        runs_simple_commands(json_member(config, "properties"))) {
        Json *gpus = set_object(maker, workload, "gpus");
        set_text(maker, gpus, "1", "60%");
        set_text(maker, gpus, FORMAT(maker, "%d", 2 + roll(dice, 6)), "40%");
    }
}

static void make_workloads(Maker *maker)
{
    Dice dice = dice_of(maker, "workloads");
    if (!has(maker, SWARM_WORKLOADS) || !happens(&dice, 40))
        return;
    Json *list = set_array(maker, maker->root, "workloads");
    int count = 1 + roll(&dice, 2);
    for (int w = 0; w < count; w++)
        make_workload(maker, &dice, list, w);
}

static void make_network(Maker *maker)
{
    static const char *const rates[] = {"100Mbit/s", "1Gbit/s", "10Gbit/s"};
    Dice dice = dice_of(maker, "network");
    if (!has(maker, SWARM_NETWORK) || !happens(&dice, 40))
        return;
    Json *network = set_object(maker, maker->root, "network");
    set_integer(maker, network, "rack_nodes", 1 + roll(&dice, 3));
    set_text(maker, network, "rack_uplink_rate", PICK(&dice, rates));
}

Json *swarm_scenario(Arena *arena, uint64_t seed, uint32_t features)
{
    Maker maker = {.arena = arena, .seed = seed, .features = features, .root = json_object(arena)};
    Dice dice = dice_of(&maker, "counts");
    maker.cluster_count = 1 + roll(&dice, CLUSTERS_MAX);
    maker.commands = json_array(arena);
    make_head(&maker);
    make_inputs(&maker);
    make_policy(&maker);
    make_placement(&maker);
    make_catalog(&maker);
    make_storage(&maker);
    make_programs(&maker);
    make_preparations(&maker);
    make_containers(&maker);
    make_file_servers(&maker);
    for (int c = 0; c < maker.cluster_count; c++)
        make_cluster(&maker, c);
    int jobs = roll(&dice, JOBS_MAX + 1);
    for (int j = 0; j < jobs; j++) {
        maker.job_count = j + 1; // those that may be named
        make_job(&maker, j);
    }
    make_crowd(&maker);
    make_resizes(&maker);
    make_shows(&maker);
    make_late_share(&maker);
    make_deletions(&maker);
    make_groups(&maker);
    make_failures(&maker);
    make_faults(&maker);
    make_workloads(&maker);
    make_network(&maker);
    json_set(arena, maker.root, "commands", maker.commands);
    return maker.root;
}
