#include "tests/support/worlds.h"

#include <check.h>
#include <string.h>

#include "sim/base/name_table.h"
#include "sim/base/units.h"
#include "sim/engine/rng.h"

Quantiles constant(Arena *arena, int64_t value)
{
    QuantileKnot *knot = ARENA_NEW(arena, QuantileKnot);
    knot->value = value;
    return (Quantiles){.count = 1, .knots = knot};
}

static Quantiles seconds(Arena *arena, int64_t s)
{
    return constant(arena, s * NS_PER_S);
}

ServiceModel plain_service(Arena *arena)
{
    return (ServiceModel){.cluster_record_ns = seconds(arena, 1),
                          .allocation_create_ns = seconds(arena, 100),
                          .allocation_empty_ns = seconds(arena, 1),
                          .allocation_resize_ns = seconds(arena, 70),
                          .allocation_autoscale_ns = seconds(arena, 70),
                          .node_preparation_ns = seconds(arena, 130),
                          .release_ns = seconds(arena, 240),
                          .leaving_delay_ns = seconds(arena, 3),
                          .cluster_delete_ns = seconds(arena, 300),
                          .cluster_delete_empty_ns = seconds(arena, 30),
                          .workspace_delete_ns = seconds(arena, 3),
                          .workspace_delete_clusters_ns = seconds(arena, 3),
                          .experiment_delete_ns = seconds(arena, 1),
                          .job_record_ns = seconds(arena, 1),
                          .job_start_ns = seconds(arena, 2),
                          .job_terminate_ns = seconds(arena, 5),
                          .job_terminate_queued_ns = seconds(arena, 0),
                          .job_delete_ns = seconds(arena, 4),
                          .job_delete_running_ns = seconds(arena, 4),
                          .job_delete_gone_ns = seconds(arena, 4),
                          .job_mount_ns = seconds(arena, 15),
                          .container_start_ns = seconds(arena, 10),
                          .host_overhead_ns = seconds(arena, 1),
                          .host_overhead_prepared_ns = seconds(arena, 1),
                          .registry_bytes_per_s = 100000000,
                          .image_unpack_bytes_per_s = 100000000,
                          .internet_bytes_per_s = 10000000,
                          .local_disk_bytes_per_s = 100000000,
                          .billing_granularity_ns = NS_PER_MIN,
                          .nodes_per_cluster_max = 100,
                          .clusters_max = 20,
                          .default_max_wall_clock_ns = 7 * NS_PER_DAY,
                          .autoscale_period_ns = 600 * NS_PER_S,
                          .allocation_retry_ns = 120 * NS_PER_S,
                          .failure_detection_ns = seconds(arena, 60),
                          .node_reboot_ns = seconds(arena, 90),
                          .preemption_notice_ns = 30 * NS_PER_S,
                          .low_priority_run_max_ns = NS_PER_DAY,
                          .attempts_max = 1000000,
                          .file_server_create_ns = seconds(arena, 240),
                          .file_server_delete_ns = seconds(arena, 400)};
}

ServiceModel ideal_service(Arena *arena)
{
    ServiceModel service = plain_service(arena);
    const Quantiles none = constant(arena, 0);
    Quantiles *const times[] = {&service.cluster_record_ns,
                                &service.allocation_create_ns,
                                &service.allocation_empty_ns,
                                &service.allocation_resize_ns,
                                &service.allocation_autoscale_ns,
                                &service.node_preparation_ns,
                                &service.release_ns,
                                &service.leaving_delay_ns,
                                &service.cluster_delete_ns,
                                &service.cluster_delete_empty_ns,
                                &service.job_record_ns,
                                &service.job_start_ns,
                                &service.job_terminate_ns,
                                &service.job_delete_ns,
                                &service.job_delete_running_ns,
                                &service.job_delete_gone_ns,
                                &service.job_mount_ns,
                                &service.container_start_ns,
                                &service.host_overhead_ns,
                                &service.host_overhead_prepared_ns};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        *times[i] = none;
    service.billing_granularity_ns = 1;
    service.nodes_per_cluster_max = 1000000;
    service.default_max_wall_clock_ns = INT64_MAX;
    return service;
}

const VmSize *vm_size_of_gpus(Arena *arena, int32_t gpus)
{
    VmSize *size = ARENA_NEW(arena, VmSize);
    *size = *plain_vm_size();
    size->name = arena_printf(arena, "gpus-%d", (int)gpus);
    size->family = "gpus";
    size->vcpus = gpus;
    size->gpus = gpus;
    size->dedicated_micro_usd_per_hour = gpus * INT64_C(10000);
    size->low_priority_micro_usd_per_hour = gpus * INT64_C(2000);
    return size;
}

const VmSize *plain_vm_size(void)
{
    static const GpuModel gpu = {.name = "K80",
                                 .peak_flops = INT64_C(4370000000000),
                                 .efficiency_ppm = 280000,
                                 .memory_bytes = INT64_C(12) << 30,
                                 .host_link_bytes_per_s = INT64_C(10000000000)};
    static const VmSize size = {.name = "Standard_NC6",
                                .family = "NC",
                                .vcpus = 6,
                                .gpus = 1,
                                .gpu = &gpu,
                                .network_bytes_per_s = 125000000,
                                .network_latency_ns = 50000,
                                .dedicated_micro_usd_per_hour = 900000,
                                .low_priority_micro_usd_per_hour = 180000};
    return &size;
}

const ShareTier *plain_tier(void)
{
    static const ShareTier tier = {.name = "standard",
                                   .read_bytes_per_s = 100000000,
                                   .write_bytes_per_s = 100000000,
                                   .requests_per_s = 1000,
                                   .read_latency_ns = 10 * NS_PER_MS,
                                   .write_latency_ns = 10 * NS_PER_MS,
                                   .request_bytes = 1000000,
                                   .requests_in_flight = 8,
                                   .micro_usd_per_gib_month = 60000};
    return &tier;
}

const Program *plain_fixed_program(Arena *arena, int64_t duration_ns, int32_t exit_code)
{
    Program *program = ARENA_NEW(arena, Program);
    *program = (Program){.kind = PROGRAM_FIXED,
                         .name = "fixed",
                         .duration = {.quantiles = constant(arena, duration_ns)},
                         .exit_code = exit_code};
    return program;
}

const Program *plain_training_program(Arena *arena)
{
    static const NetworkModel network = {.name = "keras_cifar10_cnn",
                                         .parameters = 1250858,
                                         .gradient_bytes = 5003432,
                                         .forward_macs_per_sample = 20741120,
                                         .training_flops_per_sample = 122680000,
                                         .tensors = 12};
    static const DataSet data_set = {
        .name = "small", .train_samples = 320, .test_samples = 100, .download_bytes = 10000000};
    static const Framework framework = {.name = "keras",
                                        .start_ns = 10 * NS_PER_S,
                                        .step_overhead_ns = 9 * NS_PER_MS,
                                        .input_cpu_ns_per_sample = 600000,
                                        .input_parallelism_ppm = 1500000,
                                        .update_flops_per_parameter = 10};
    static const ExchangeMethod exchange = {.name = "horovod",
                                            .cycle_ns = 5 * NS_PER_MS,
                                            .fusion_bytes = INT64_C(64) << 20,
                                            .reduce_bytes_per_s = INT64_C(2000000000),
                                            .via_host = true,
                                            .network_efficiency_ppm = 950000,
                                            .copy_bytes_per_s = INT64_C(6000000000),
                                            .request_ns = 2000};
    static const LearningKnot knots[] = {
        {0, 100000}, {1000, 460000}, {25000, 750000}, {50000, 790000}};
    static const LearningCurve learning = {.name = "cifar10",
                                           .count = 4,
                                           .knots = knots,
                                           .loss_at_chance_micro = 2302585,
                                           .final_loss_micro = 0,
                                           .train_gap_ppm = 20000,
                                           .accuracy_loss_per_doubling_ppm = 10000,
                                           .noise_ppm = 8000};
    static const QuantileKnot jitter[] = {{0, 900000}, {500000, 1000000}, {1000000, 1100000}};
    Program *program = ARENA_NEW(arena, Program);
    *program = (Program){.kind = PROGRAM_TRAIN,
                         .name = "training",
                         .network = &network,
                         .data_set = &data_set,
                         .framework = &framework,
                         .exchange = &exchange,
                         .learning = &learning,
                         .step_jitter_ppm = {.count = 3, .knots = jitter},
                         .batch_per_rank = 32,
                         .epochs = 4,
                         .steps_per_epoch = 10,
                         .downloads_data = true,
                         .evaluate_samples = 100,
                         .evaluates_at_end = true,
                         .checkpoint_bytes = 10000000,
                         .checkpoint_every = 1,
                         .checkpoint_place = PLACE_LOCAL,
                         .checkpoint_path = "checkpoint-{epoch}.h5",
                         .model_bytes = 10000000,
                         .model_share = "a/s",
                         .model_path = "saved_models/model.h5",
                         .model_shown_path = "/mnt/s/saved_models/model.h5",
                         .is_keras = true};
    return program;
}

Program *steady_training_program(Arena *arena)
{
    static const QuantileKnot as_modelled = {0, PPM};
    static const NetworkModel network = {.name = "nothing"};
    static const Framework framework = {.name = "steady",
                                        .start_ns = 10 * NS_PER_S,
                                        .step_overhead_ns = NS_PER_S,
                                        .input_parallelism_ppm = PPM};
    Program *program = ARENA_NEW(arena, Program);
    *program = *plain_training_program(arena);
    program->network = &network;
    program->framework = &framework;
    program->step_jitter_ppm = (Quantiles){.count = 1, .knots = &as_modelled};
    program->evaluates_at_end = false;
    program->checkpoint_place = PLACE_SHARE;
    program->checkpoint_share = "a/s";
    program->resumes = true;
    return program;
}

const ClusterSpec *plain_cluster(Arena *arena, int32_t nodes)
{
    ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
    *spec = (ClusterSpec){.vm_size = plain_vm_size(), .target_nodes = nodes, .admin_user = "demo"};
    return spec;
}

JobSpec *plain_job(Arena *arena, int32_t nodes, const Program *program)
{
    JobSpec *spec = ARENA_NEW(arena, JobSpec);
    *spec = (JobSpec){.nodes = nodes,
                      .processes = nodes,
                      .priority = PRIORITY_NORMAL,
                      .tool = "custom",
                      .command = "train",
                      .std_out_err = {.share = "a/s", .directory = "out"},
                      .preparation_ns = constant(arena, 20 * NS_PER_S),
                      .max_wall_clock_ns = 7 * NS_PER_DAY,
                      .program = program};
    return spec;
}

JobSpec *gpu_job(Arena *arena, RequestKind kind, int32_t nodes, int32_t gpus, int64_t run_s)
{
    JobSpec *spec = plain_job(arena, nodes, plain_fixed_program(arena, run_s * NS_PER_S, 0));
    spec->asks_for = kind;
    spec->gpus = gpus;
    spec->expected_ns = run_s * NS_PER_S;
    return spec;
}

/* --- Commands --- */

Command *commands_add(CommandList *list, CommandKind kind, const char *name, int64_t at_ns)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 32;
        Command *items = ARENA_ARRAY(list->arena, Command, list->capacity);
        if (list->count)
            memcpy(items, list->items, (size_t)list->count * sizeof *items);
        list->items = items;
    }
    bool is_job = kind >= COMMAND_JOB_CREATE && kind <= COMMAND_JOB_FILES;
    bool is_storage = kind >= COMMAND_STORAGE_CREATE && kind <= COMMAND_FILE_DELETE;
    bool is_group = kind == COMMAND_GROUP_CREATE || kind == COMMAND_GROUP_DELETE;
    bool is_workspace = kind == COMMAND_WORKSPACE_CREATE || kind == COMMAND_WORKSPACE_DELETE;
    Command *command = &list->items[list->count++];
    *command = (Command){.kind = kind,
                         .trigger = {.moment = MOMENT_AT, .delay_ns = at_ns},
                         .path = {.group = is_storage || is_group ? NULL : "g",
                                  .workspace = is_storage || is_group || is_workspace ? NULL : "w",
                                  .experiment = is_job ? "e" : NULL,
                                  .name = name}};
    return command;
}

CommandList commands_begin(Arena *arena)
{
    CommandList list = {.arena = arena};
    commands_add(&list, COMMAND_GROUP_CREATE, "g", 0);
    commands_add(&list, COMMAND_WORKSPACE_CREATE, "w", 0);
    commands_add(&list, COMMAND_EXPERIMENT_CREATE, "e", 0);
    commands_add(&list, COMMAND_STORAGE_CREATE, "a", 0);
    commands_add(&list, COMMAND_SHARE_CREATE, "a/s", 0)->as.share_create.tier = plain_tier();
    return list;
}

void commands_create_cluster(CommandList *list, const char *name, int64_t at_ns,
                             const ClusterSpec *spec)
{
    commands_add(list, COMMAND_CLUSTER_CREATE, name, at_ns)->as.cluster_create = spec;
}

void commands_create_job(CommandList *list, const char *name, int64_t at_ns, const char *cluster,
                         const JobSpec *spec)
{
    Command *command = commands_add(list, COMMAND_JOB_CREATE, name, at_ns);
    command->as.job_create.cluster =
        (ResourcePath){.group = "g", .workspace = "w", .name = cluster};
    command->as.job_create.spec = spec;
}

void commands_resize(CommandList *list, const char *name, int64_t at_ns, int32_t nodes)
{
    commands_add(list, COMMAND_CLUSTER_RESIZE, name, at_ns)->as.cluster_resize.target_nodes = nodes;
}

Scenario *scenario_of(const CommandList *list, uint64_t seed)
{
    Scenario *scenario = ARENA_NEW(list->arena, Scenario);
    *scenario = (Scenario){.name = "test",
                           .description = "",
                           .seed = seed,
                           .start_unix_ms = INT64_C(1531935900000), // 2018-07-18T17:45:00Z
                           .region = "eastus",
                           .subscription = "00000000-0000-0000-0000-000000000000",
                           .until_ns = INT64_MAX,
                           .fidelity = FIDELITY_STEP,
                           .service = plain_service(list->arena),
                           .command_count = list->count,
                           .commands = list->items};
    return scenario;
}

/* --- At random --- */

typedef struct {
    uint64_t seed;
    uint64_t draw;
} Dice;

static int32_t roll(Dice *dice, int32_t sides)
{
    return (int32_t)(rng_word(dice->seed, RNG_IDENTITY, name_hash("random scenario"),
                              dice->draw++) >>
                     33) %
           sides;
}

static Quantiles varied(Arena *arena, Dice *dice, int64_t mean_ns)
{
    QuantileKnot *knots = ARENA_ARRAY(arena, QuantileKnot, 3);
    int64_t low = mean_ns * (50 + roll(dice, 50)) / 100;
    knots[0] = (QuantileKnot){0, low};
    knots[1] = (QuantileKnot){500000, mean_ns};
    knots[2] = (QuantileKnot){1000000, 2 * mean_ns - low};
    return (Quantiles){.count = 3, .knots = knots};
}

static const Program *random_program(Arena *arena, Dice *dice)
{
    if (roll(dice, 3) > 0) {
        int64_t duration_ns = (1 + roll(dice, 1200)) * NS_PER_S;
        int32_t exit_code = roll(dice, 4) == 0 ? 1 + roll(dice, 255) : 0;
        return plain_fixed_program(arena, duration_ns, exit_code);
    }
    Program *program = ARENA_NEW(arena, Program);
    *program = *plain_training_program(arena);
    program->epochs = 1 + roll(dice, 6);
    program->steps_per_epoch = 1 + roll(dice, 30);
    program->downloads_data = roll(dice, 2) == 0;
    if (!program->downloads_data) {
        program->data_share = "a/s";
        program->data_bytes = (1 + roll(dice, 50)) * INT64_C(10000000);
    }
    program->checkpoint_every = 1 + roll(dice, 3);
    program->checkpoint_place = roll(dice, 2) ? PLACE_LOCAL : PLACE_SHARE;
    program->checkpoint_share = "a/s";
    program->checkpoint_bytes = roll(dice, 4) * INT64_C(50000000);
    program->evaluates_at_end = roll(dice, 2) == 0;
    program->evaluate_samples = roll(dice, 2) * 100;
    program->resumes = roll(dice, 2) == 0;
    // As trainings of transformers have them.
    program->missing_steps = roll(dice, (int32_t)program->steps_per_epoch);
    program->checkpoint_files = roll(dice, 3);
    program->writes_behind = program->checkpoint_every == 1 && program->checkpoint_bytes > 0 &&
                             program->checkpoint_place == PLACE_SHARE && roll(dice, 2) == 0;
    program->checkpoint_blocks_ns = roll(dice, 3) * NS_PER_S;
    // These need no roll, which would change all others.
    if (program->missing_steps == 0 && program->epochs % 2 == 1)
        program->checkpoint_steps = 1 + program->steps_per_epoch * 2 / 3;
    program->saves_on_notice = program->resumes && program->checkpoint_place == PLACE_SHARE &&
                               program->checkpoint_bytes > 0 && program->epochs % 2 == 0;
    return program;
}

static const JobSpec *random_job(Arena *arena, Dice *dice)
{
    static const ContainerImage images[] = {{"ubuntu", 50000000},
                                            {"tensorflow", INT64_C(1300000000)}};
    static const char *const mounts[] = {"a/s"};
    static const char *const missing[] = {"a/nowhere"};
    int32_t nodes =
        1 + roll(dice, 5); // never two rolls in one argument list: C leaves their order open
    JobSpec *spec = plain_job(arena, nodes, random_program(arena, dice));
    spec->processes = spec->nodes * (1 + roll(dice, 2));
    spec->priority = (JobPriority)roll(dice, PRIORITY_COUNT);
    int32_t image = roll(dice, 3);
    spec->image = image < 2 ? &images[image] : NULL;
    spec->mount_count = roll(dice, 2);
    spec->mounts = roll(dice, 10) == 0 ? missing : mounts;
    spec->has_preparation = roll(dice, 2) == 0;
    spec->preparation_command = "make ready";
    spec->preparation_exit_code = roll(dice, 8) == 0 ? 100 : 0;
    spec->preparation_ns = varied(arena, dice, 20 * NS_PER_S);
    if (roll(dice, 10) == 0)
        spec->max_wall_clock_ns = 5 * NS_PER_MIN;
    return spec;
}

/* Some of the clusters scale automatically, from the start or from some command on. */
static void randomly_scale(CommandList *list, uint64_t seed)
{
    Dice dice = {.seed = seed + (UINT64_C(1) << 32)}; // its own: it moves no other roll
    int32_t count = list->count;
    for (int32_t i = 0; i < count; i++) {
        if (list->items[i].kind != COMMAND_CLUSTER_CREATE)
            continue;
        const char *name = list->items[i].path.name;
        ClusterSpec *spec = ARENA_NEW(list->arena, ClusterSpec);
        *spec = *list->items[i].as.cluster_create;
        spec->is_automatic = roll(&dice, 3) == 0;
        spec->minimum_nodes = roll(&dice, 3);
        spec->maximum_nodes = spec->minimum_nodes + roll(&dice, 5);
        list->items[i].as.cluster_create = spec;
        if (roll(&dice, 3) > 0)
            continue;
        Command *command =
            commands_add(list, COMMAND_CLUSTER_AUTOSCALE, name, roll(&dice, 4000) * NS_PER_S);
        command->as.cluster_autoscale.minimum_nodes = roll(&dice, 3);
        command->as.cluster_autoscale.maximum_nodes = roll(&dice, 5); // may be refused
    }
}

static void randomly_limit(Scenario *scenario, Arena *arena, uint64_t seed)
{
    Dice dice = {.seed = seed + (UINT64_C(2) << 32)};
    CoreQuota *quotas = ARENA_ARRAY(arena, CoreQuota, 2);
    quotas[0] = (CoreQuota){"NC", 6 * roll(&dice, 9), 6 * roll(&dice, 9)};
    quotas[1] = (CoreQuota){"total", 10 * roll(&dice, 9), 10 * roll(&dice, 9)};
    scenario->quotas = quotas;
    scenario->quota_count = roll(&dice, 3);
    scenario->service.autoscale_look_back_ns = roll(&dice, 3) * 100 * NS_PER_S;
}

Scenario *random_scenario(Arena *arena, uint64_t seed)
{
    static const char *const cluster_names[] = {"c1", "c2", "c3"};
    Dice dice = {.seed = seed};
    CommandList list = commands_begin(arena);
    int32_t clusters = 1 + roll(&dice, 3);
    for (int32_t c = 0; c < clusters; c++) {
        ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
        *spec = *plain_cluster(arena, roll(&dice, 6));
        spec->is_low_priority = roll(&dice, 2) == 0;
        commands_create_cluster(&list, cluster_names[c], roll(&dice, 300) * NS_PER_S, spec);
    }
    int32_t jobs = roll(&dice, 8);
    for (int32_t j = 0; j < jobs; j++) {
        const char *name = arena_printf(arena, "j%d", (int)j);
        int64_t at_ns = roll(&dice, 1500) * NS_PER_S;
        const char *cluster = cluster_names[roll(&dice, clusters)];
        commands_create_job(&list, name, at_ns, cluster, random_job(arena, &dice));
        if (roll(&dice, 4) == 0)
            commands_add(&list, COMMAND_JOB_TERMINATE, name, at_ns + roll(&dice, 900) * NS_PER_S);
        if (roll(&dice, 6) == 0)
            commands_add(&list, COMMAND_JOB_DELETE, name, at_ns + roll(&dice, 1800) * NS_PER_S);
    }
    int32_t resizes = roll(&dice, 6);
    for (int32_t r = 0; r < resizes; r++) {
        const char *cluster = cluster_names[roll(&dice, clusters)];
        int64_t at_ns = roll(&dice, 3600) * NS_PER_S;
        commands_resize(&list, cluster, at_ns, roll(&dice, 7));
        list.items[list.count - 1].as.cluster_resize.deallocation =
            (DeallocationOption)roll(&dice, 3);
    }
    if (roll(&dice, 3) == 0) {
        const char *cluster = cluster_names[roll(&dice, clusters)];
        commands_add(&list, COMMAND_CLUSTER_DELETE, cluster, roll(&dice, 4000) * NS_PER_S);
    }
    if (roll(&dice, 6) == 0)
        commands_add(&list, COMMAND_WORKSPACE_DELETE, "w", roll(&dice, 4000) * NS_PER_S);
    randomly_scale(&list, seed);
    Scenario *scenario = scenario_of(&list, seed);
    randomly_limit(scenario, arena, seed);
    scenario->fidelity = (Fidelity)roll(&dice, 3);
    scenario->service.allocation_create_ns = varied(arena, &dice, 135 * NS_PER_S);
    scenario->service.node_preparation_ns = varied(arena, &dice, 135 * NS_PER_S);
    scenario->service.release_ns = varied(arena, &dice, 270 * NS_PER_S);
    scenario->service.job_start_ns = varied(arena, &dice, 2 * NS_PER_S);
    scenario->service.job_terminate_ns = varied(arena, &dice, 5 * NS_PER_S);
    scenario->service.job_terminate_queued_ns = scenario->service.job_start_ns;
    if (roll(&dice, 5) == 0)
        scenario->until_ns = roll(&dice, 4000) * NS_PER_S;
    return scenario;
}

/* --- What goes wrong at random --- */

/* Turned off here, a part is in none of the rough scenarios. */
static const struct {
    bool faults, conditions, failures, groups, policies, network, workloads, queues, kinds,
        maintenance;
} rough = {
    .faults = true,
    .conditions = true,
    .failures = true,
    .groups = true,
    .policies = true,
    .network = true,
    .workloads = true,
    .queues = true,
    .kinds = true,
    .maintenance = true,
};

static const NodeGroup *random_group(Arena *arena, Dice *dice)
{
    static const char *const clusters[] = {"c1", "c2", "c3"};
    NodeGroup *group = ARENA_NEW(arena, NodeGroup);
    GroupMember *members = ARENA_ARRAY(arena, GroupMember, 2);
    for (int32_t m = 0; m < 2; m++) {
        members[m].cluster = clusters[roll(dice, 3)];
        members[m].first = 1 + roll(dice, 3);
        members[m].last = members[m].first + roll(dice, 3);
    }
    *group = (NodeGroup){.name = "rack", .member_count = 1 + roll(dice, 2), .members = members};
    return group;
}

static FailureModel *random_failure_model(Arena *arena, Dice *dice, const char *name)
{
    FailureModel *model = ARENA_NEW(arena, FailureModel);
    int64_t mean_ns = (300 + roll(dice, 7200)) * NS_PER_S;
    *model = (FailureModel){
        .name = name,
        .between = {.quantiles = varied(arena, dice, mean_ns)},
        .repair = {.quantiles = varied(arena, dice, (10 + roll(dice, 900)) * NS_PER_S)},
        .reason = "bad luck"};
    model->recovery = (NodeRecovery)roll(dice, RECOVERY_COUNT);
    return model;
}

static int64_t random_chance(Dice *dice)
{
    return roll(dice, 3) == 0 ? roll(dice, 400000) : 0;
}

static void add_failures(Arena *arena, Dice *dice, Scenario *scenario)
{
    Failures *failures = &scenario->failures;
    failures->rate_ppm = PPM;
    if (roll(dice, 2) == 0)
        failures->nodes = random_failure_model(arena, dice, "frail");
    if (roll(dice, 2) == 0)
        failures->preemption = random_failure_model(arena, dice, "wanted");
    if (rough.groups && roll(dice, 3) == 0) {
        const NodeGroup **groups = ARENA_ARRAY(arena, const NodeGroup *, 1);
        const FailureModel **models = ARENA_ARRAY(arena, const FailureModel *, 1);
        groups[0] = random_group(arena, dice);
        models[0] = random_failure_model(arena, dice, "rack");
        failures->group_count = 1;
        failures->groups = groups;
        failures->group_models = models;
    }
    int64_t *const chances[] = {&failures->allocation_ppm, &failures->preparation_ppm,
                                &failures->setup_ppm,      &failures->mount_ppm,
                                &failures->container_ppm,  &failures->slow_node_ppm};
    for (size_t i = 0; i < sizeof chances / sizeof chances[0]; i++)
        *chances[i] = random_chance(dice);
    failures->slow_node_speed_ppm = 100000 + roll(dice, 900000);
}

static const Condition *random_condition(Arena *arena, Dice *dice)
{
    static const char *const subjects[][2] = {{"c1", "c2"}, {"j0", "j1"}, {"a/s", "a/s"}};
    Condition *condition = ARENA_NEW(arena, Condition);
    condition->quantity = (Quantity)roll(dice, QUANTITY_COUNT);
    int kind = condition->quantity == QUANTITY_SHARE_TRANSFERS ? 2
               : condition->quantity >= QUANTITY_JOB_IS_QUEUED ? 1
                                                               : 0;
    condition->subject = subjects[kind][roll(dice, 2)];
    condition->comparator = (Comparator)roll(dice, COMPARATOR_COUNT);
    condition->value = roll(dice, 4);
    condition->for_ns = roll(dice, 2) * roll(dice, 600) * NS_PER_S;
    return condition;
}

static ResourcePath random_path(Dice *dice, bool is_of_job)
{
    static const char *const clusters[] = {"c1", "c2", "c3"};
    static const char *const jobs[] = {"j0", "j1", "j2", "j3", "j4"};
    if (is_of_job)
        return (ResourcePath){
            .group = "g", .workspace = "w", .experiment = "e", .name = jobs[roll(dice, 5)]};
    return (ResourcePath){.group = "g", .workspace = "w", .name = clusters[roll(dice, 3)]};
}

static void add_fault(CommandList *list, Dice *dice)
{
    static const CommandKind kinds[] = {
#define X(name, text, what) COMMAND_##name,
        FAULT_KINDS(X)
#undef X
    };
    CommandKind kind = kinds[roll(dice, (int32_t)(sizeof kinds / sizeof kinds[0]))];
    bool is_of_node = kind == COMMAND_NODE_CRASH || kind == COMMAND_NODE_PREEMPT ||
                      kind == COMMAND_NODE_REBOOT || kind == COMMAND_NODE_SLOW ||
                      kind == COMMAND_NODE_DRAIN || kind == COMMAND_NODE_RESUME;
    bool is_of_job = is_of_node && roll(dice, 3) == 0;
    Command *fault = commands_add(list, kind, "fault", roll(dice, 5000) * NS_PER_S);
    fault->path = kind == COMMAND_SHARE_SLOW
                      ? (ResourcePath){.name = "a/s"}
                      : random_path(dice, is_of_job || kind == COMMAND_CONTAINER_FAIL ||
                                              kind == COMMAND_JOB_EXIT);
    fault->as.fault.is_of_job = is_of_job;
    fault->as.fault.node = is_of_node ? roll(dice, 4) : 0;
    if (kind == COMMAND_GROUP_CRASH || kind == COMMAND_GROUP_PREEMPT)
        fault->as.fault.group = random_group(list->arena, dice);
    fault->as.fault.recovery = (NodeRecovery)roll(dice, RECOVERY_COUNT);
    fault->as.fault.duration_ns = roll(dice, 5) == 0 && kind != COMMAND_REGION_OUTAGE
                                      ? INT64_MAX
                                      : (1 + roll(dice, 1200)) * NS_PER_S;
    fault->as.fault.speed_ppm =
        kind == COMMAND_SHARE_SLOW ? roll(dice, 4) * 250000 : 100000 + roll(dice, 900000);
    fault->as.fault.count = 1 + roll(dice, 3);
    fault->as.fault.exit_code = roll(dice, 256);
    if (kind == COMMAND_QUOTA_CHANGE)
        fault->path = (ResourcePath){.name = FAMILY_OF_ALL};
    if (kind == COMMAND_QUEUE_CHANGE) {
        static const char *const queues[] = {"q0", "q1", "q2"};
        fault->as.fault.queue = queues[roll(dice, 3)];
        fault->as.fault.gpus = roll(dice, 5) - 1;
        fault->as.fault.gpus_max = roll(dice, 8) - 1;
    }
    if (kind == COMMAND_SEED_CHANGE || kind == COMMAND_POLICY_CHANGE)
        fault->path = (ResourcePath){.name = "another"};
    fault->as.fault.seed = (uint64_t)roll(dice, 1000);
    fault->as.fault.policy = roll(dice, POLICY_COUNT);
    fault->as.fault.vcpus = roll(dice, 48);
    fault->as.fault.is_low_priority = roll(dice, 2) == 0;
    if (rough.conditions && roll(dice, 3) == 0)
        fault->trigger =
            (Trigger){.moment = MOMENT_CONDITION, .condition = random_condition(list->arena, dice)};
}

static void add_workload(Arena *arena, Dice *dice, Scenario *scenario)
{
    Workload *workload = ARENA_NEW(arena, Workload);
    const JobSpec **specs = ARENA_ARRAY(arena, const JobSpec *, 2);
    int64_t *chances = ARENA_ARRAY(arena, int64_t, 2);
    for (int32_t i = 0; i < 2; i++)
        specs[i] = random_job(arena, dice);
    chances[0] = roll(dice, 1000001);
    chances[1] = PPM - chances[0];
    *workload = (Workload){.name = "load",
                           .path = {.group = "g", .workspace = "w", .experiment = "e"},
                           .cluster = {.group = "g", .workspace = "w", .name = "c1"},
                           .begin_ns = roll(dice, 1200) * NS_PER_S,
                           .end_ns = INT64_MAX,
                           .spec_count = 2,
                           .specs = specs,
                           .probability_ppm = chances};
    workload->jobs_max = 1 + roll(dice, 10);
    workload->arrivals = (ArrivalKind)roll(dice, ARRIVALS_COUNT);
    workload->rate = (ArrivalRate){(50 + roll(dice, 500)) * PPM, NS_PER_DAY};
    workload->burst_jobs = 1 + roll(dice, 3);
    int64_t *factors = ARENA_ARRAY(arena, int64_t, HOURS_A_WEEK);
    for (int32_t h = 0; h < HOURS_A_DAY; h++)
        factors[h] = (1 + roll(dice, 3)) * FACTOR_ONE;
    const bool is_weekly = workload->begin_ns % (4 * NS_PER_S) == 0; // a quarter of the worlds
    for (int32_t h = HOURS_A_DAY; h < HOURS_A_WEEK; h++)
        factors[h] = is_weekly ? (h / HOURS_A_DAY + h) % 4 * FACTOR_ONE : factors[h - HOURS_A_DAY];
    workload->factors = workload->arrivals == ARRIVALS_DIURNAL ? factors : NULL;
    scenario->workload_count = 1;
    scenario->workloads = workload;
}

/* One of the queues below, one that no cluster has, or none. */
static const JobSpec *with_queue(Arena *arena, Dice *dice, const JobSpec *spec)
{
    static const char *const queues[] = {"q0", "q1", "q2", "q0", "q1", "nowhere", NULL};
    JobSpec *own = ARENA_NEW(arena, JobSpec);
    *own = *spec;
    own->queue = queues[roll(dice, (int32_t)(sizeof queues / sizeof queues[0]))];
    return own;
}

/* Some of the clusters have queues, and all jobs state one. */
static void add_queues(Arena *arena, Dice *dice, const CommandList *list, Scenario *scenario)
{
    static const char *const names[] = {"q0", "q1", "q2"};
    for (int32_t i = 0; i < list->count; i++) {
        Command *command = &list->items[i];
        if (command->kind == COMMAND_JOB_CREATE)
            command->as.job_create.spec = with_queue(arena, dice, command->as.job_create.spec);
        if (command->kind != COMMAND_CLUSTER_CREATE || roll(dice, 4) == 0)
            continue;
        ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
        QueueSpec *queues = ARENA_ARRAY(arena, QueueSpec, 3);
        *spec = *command->as.cluster_create;
        spec->queues = queues;
        spec->queue_count = 1 + roll(dice, 3);
        for (int32_t q = 0; q < 3; q++) {
            queues[q] = (QueueSpec){.name = names[q], .guaranteed = roll(dice, 4)};
            queues[q].most = roll(dice, 2) == 0 ? INT64_MAX : queues[q].guaranteed + roll(dice, 4);
            queues[q].reclaims = roll(dice, 2) == 0;
            queues[q].reclaim_after_ns = roll(dice, 3) * 2 * NS_PER_MIN;
            queues[q].is_protected = roll(dice, 8) == 0;
            queues[q].grace_ns = roll(dice, 4) * NS_PER_MIN;
        }
        command->as.cluster_create = spec;
    }
    for (int32_t w = 0; w < scenario->workload_count; w++) {
        const Workload *workload = &scenario->workloads[w];
        const JobSpec **specs = ARENA_ARRAY(arena, const JobSpec *, workload->spec_count);
        for (int32_t s = 0; s < workload->spec_count; s++)
            specs[s] = with_queue(arena, dice, workload->specs[s]);
        Workload *own = ARENA_NEW(arena, Workload);
        *own = *workload;
        own->specs = specs;
        scenario->workloads = own; // there is one at most
    }
}

/* A job that allows some kinds of nodes, or all. */
static const JobSpec *with_kinds(Arena *arena, Dice *dice, const JobSpec *spec)
{
    JobSpec *own = ARENA_NEW(arena, JobSpec);
    const int32_t kinds = roll(dice, 6);
    *own = *spec;
    own->kinds = kinds < 4 ? (KindSet)kinds : 0;
    return own;
}

/* Some of the clusters have nodes of a second kind, which may be the one that scales; resizes name
 * a kind, or none and are refused. */
static void add_kinds(Arena *arena, Dice *dice, const CommandList *list)
{
    static const char *const names[] = {"small", "large"};
    for (int32_t i = 0; i < list->count; i++) {
        Command *command = &list->items[i];
        if (command->kind == COMMAND_JOB_CREATE)
            command->as.job_create.spec = with_kinds(arena, dice, command->as.job_create.spec);
        if (command->kind == COMMAND_CLUSTER_RESIZE && roll(dice, 4) > 0)
            command->as.cluster_resize.kind = names[roll(dice, 2)];
        if (command->kind != COMMAND_CLUSTER_CREATE || roll(dice, 4) == 0)
            continue;
        ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
        VmSize *size = ARENA_NEW(arena, VmSize);
        NodeKind *kinds = ARENA_ARRAY(arena, NodeKind, 2);
        *spec = *command->as.cluster_create;
        *size = *spec->vm_size;
        size->name = "Standard_NC12";
        size->vcpus = 12;
        size->gpus = 2;
        kinds[0] = cluster_spec_kind(spec, 0);
        kinds[1] = kinds[0];
        kinds[1].vm_size = size;
        kinds[1].is_low_priority = roll(dice, 2) == 0;
        for (int32_t k = 0; k < 2; k++) {
            kinds[k].name = names[k];
            kinds[k].target_nodes = roll(dice, 4);
        }
        spec->kinds = kinds;
        spec->kind_count = 2;
        spec->scaling_kind = roll(dice, 2);
        spec->target_nodes = kinds[0].target_nodes + kinds[1].target_nodes;
        command->as.cluster_create = spec;
    }
}

/* Gives clusters that do not scale automatically a rolling maintenance. */
static void add_maintenance(Arena *arena, Dice *dice, CommandList *list)
{
    for (int32_t i = 0; i < list->count; i++) {
        Command *command = &list->items[i];
        if (command->kind != COMMAND_CLUSTER_CREATE || command->as.cluster_create->is_automatic)
            continue;
        ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
        MaintenanceSpec *maintenance = ARENA_NEW(arena, MaintenanceSpec);
        *spec = *command->as.cluster_create;
        *maintenance = (MaintenanceSpec){.begin_ns = roll(dice, 3000) * NS_PER_S,
                                         .takes_ns = (1 + roll(dice, 600)) * NS_PER_S,
                                         .kinds = (KindSet)roll(dice, 2),
                                         .nodes_at_once = 1 + (int32_t)roll(dice, 2)};
        spec->maintenance = maintenance;
        spec->maintenance_count = 1;
        command->as.cluster_create = spec;
    }
}

void narrow_links(Arena *arena, Scenario *scenario, int64_t bytes_per_s)
{
    Command *commands = ARENA_ARRAY(arena, Command, scenario->command_count);
    for (int32_t c = 0; c < scenario->command_count; c++) {
        commands[c] = scenario->commands[c];
        if (commands[c].kind != COMMAND_CLUSTER_CREATE)
            continue;
        ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
        VmSize *vm_size = ARENA_NEW(arena, VmSize);
        *spec = *commands[c].as.cluster_create;
        *vm_size = *spec->vm_size;
        vm_size->network_bytes_per_s = bytes_per_s;
        spec->vm_size = vm_size;
        commands[c].as.cluster_create = spec;
    }
    scenario->commands = commands;
}

Scenario *rough_scenario(Arena *arena, uint64_t seed)
{
    Scenario *scenario = random_scenario(arena, seed);
    Dice dice = {.seed = seed ^ name_hash("rough")};
    CommandList list = {.arena = arena};
    for (int32_t i = 0; i < scenario->command_count; i++)
        *commands_add(&list, COMMAND_GROUP_CREATE, "", 0) = scenario->commands[i];
    int32_t faults = rough.faults ? roll(&dice, 8) : 0;
    for (int32_t f = 0; f < faults; f++)
        add_fault(&list, &dice);
    scenario->commands = list.items;
    scenario->command_count = list.count;
    if (rough.failures && roll(&dice, 3) > 0)
        add_failures(arena, &dice, scenario);
    Dice crews = {.seed = seed ^ name_hash("crews")};
    if (rough.failures)
        scenario->failures.repair_crews = (int32_t)roll(&crews, 3);
    Dice health = {.seed = seed ^ name_hash("health")};
    if (rough.failures && roll(&health, 2) == 0) {
        scenario->failures.detected_ppm = roll(&health, 1000001);
        scenario->failures.warning_ns = (1 + roll(&health, 1200)) * NS_PER_S;
    }
    if (rough.policies)
        scenario->policy = (PolicyKind)roll(&dice, POLICY_COUNT);
    if (rough.network && roll(&dice, 3) == 0)
        scenario->network = (NetworkTopology){.nodes_per_rack = 1 + roll(&dice, 3),
                                              .uplink_bytes_per_s = 125000000};
    if (rough.workloads && roll(&dice, 3) == 0)
        add_workload(arena, &dice, scenario);
    Dice queues = {.seed = seed ^ name_hash("queues")};
    if (rough.queues && roll(&queues, 2) == 0)
        add_queues(arena, &queues, &list, scenario);
    Dice kinds = {.seed = seed ^ name_hash("kinds")};
    if (rough.kinds && roll(&kinds, 3) == 0)
        add_kinds(arena, &kinds, &list);
    Dice maintenance = {.seed = seed ^ name_hash("maintenance")};
    if (rough.maintenance && roll(&maintenance, 3) == 0)
        add_maintenance(arena, &maintenance, &list);
    int64_t latest_ns = (1 + roll(&dice, 8)) * NS_PER_HOUR;
    if (scenario->until_ns > latest_ns)
        scenario->until_ns = latest_ns;
    return scenario;
}

/* --- Recording --- */

Recording recording_create(Arena *arena)
{
    return (Recording){.arena = arena};
}

static void remember(void *listener, const TraceRecord *record)
{
    Recording *recording = listener;
    if (recording->count == recording->capacity) {
        recording->capacity = recording->capacity ? 2 * recording->capacity : 256;
        TraceRecord *items = ARENA_ARRAY(recording->arena, TraceRecord, recording->capacity);
        if (recording->count)
            memcpy(items, recording->items, (size_t)recording->count * sizeof *items);
        recording->items = items;
    }
    recording->items[recording->count++] = *record;
}

TraceSink recording_sink(Recording *recording, TraceLevel level)
{
    return (TraceSink){.listener = recording, .level = level, .record = remember};
}

World *ideal_world(const CommandList *list, PolicyKind policy, PlacementKind placement,
                   Recording *recording)
{
    Scenario *scenario = scenario_of(list, 1);
    scenario->service = ideal_service(list->arena);
    scenario->policy = policy;
    scenario->placement = placement;
    World *world = world_create(list->arena, scenario, recording_sink(recording, TRACE_LEVEL_JOBS));
    world_check_always(world);
    return world;
}

static bool matches(const TraceRecord *record, TraceKind kind, const char *name)
{
    return record->kind == kind && (!name || (record->name && strcmp(record->name, name) == 0));
}

const TraceRecord *recording_find(const Recording *recording, TraceKind kind, const char *name,
                                  int32_t n)
{
    for (int32_t i = 0; i < recording->count; i++)
        if (matches(&recording->items[i], kind, name) && n-- == 0)
            return &recording->items[i];
    return NULL;
}

int32_t recording_count(const Recording *recording, TraceKind kind, const char *name)
{
    int32_t count = 0;
    for (int32_t i = 0; i < recording->count; i++)
        count += matches(&recording->items[i], kind, name);
    return count;
}

int64_t attempt_parts_ns(const TraceRecord *attempt)
{
    const int64_t parts_ns[] = {
        attempt->job_attempt.kept_ns,    attempt->job_attempt.exchange_ns,
        attempt->job_attempt.input_ns,   attempt->job_attempt.gang_ns,
        attempt->job_attempt.startup_ns, attempt->job_attempt.checkpoint_ns,
        attempt->job_attempt.lost_ns,
    };
    int64_t sum_ns = 0;
    for (size_t i = 0; i < sizeof parts_ns / sizeof parts_ns[0]; i++) {
        ck_assert_int_ge(parts_ns[i], 0);
        sum_ns += parts_ns[i];
    }
    return sum_ns;
}

const TraceRecord *recording_get(const Recording *recording, TraceKind kind, int32_t n)
{
    const TraceRecord *record = recording_find(recording, kind, NULL, n);
    ck_assert_ptr_nonnull(record);
    return record;
}

const TraceRecord *recording_attempt(const Recording *recording, int32_t n)
{
    const TraceRecord *record = recording_get(recording, TRACE_JOB_ATTEMPT, n);
    ck_assert_int_eq(attempt_parts_ns(record),
                     record->job_attempt.nodes * (record->at_ns - record->since_ns));
    return record;
}

uint64_t recording_hash(const Recording *recording)
{
    uint64_t hash = HASH_START;
    for (int32_t i = 0; i < recording->count; i++) {
        const TraceRecord *r = &recording->items[i];
        const char *name = r->name ? r->name : "";
        hash = bytes_hash(hash, &r->kind, sizeof r->kind);
        hash = bytes_hash(hash, &r->at_ns, sizeof r->at_ns);
        hash = bytes_hash(hash, &r->since_ns, sizeof r->since_ns);
        hash = bytes_hash(
            hash, (uint32_t[]){r->cluster.index, r->node.index, r->job.index, r->share.index}, 16);
        hash = bytes_hash(hash, &r->bytes, sizeof r->bytes);
        hash = bytes_hash(hash, r->in_order, sizeof r->in_order);
        hash = bytes_hash(hash, &r->cause, sizeof r->cause);
        hash = bytes_hash(hash, name, strlen(name) + 1);
    }
    return hash;
}
