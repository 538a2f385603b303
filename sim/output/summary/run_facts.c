#include "sim/output/summary/run_facts.h"

#include <string.h>

#include "sim/cloud/job/job_name.h"
#include "sim/cloud/job/listed.h"

static const char *const fidelity_names[] = {"step", "epoch", "job"};

static const char *output_path(Arena *arena, const Scenario *scenario, const Job *job)
{
    const OutputPlace *place = &job->spec->std_out_err;
    if (place->share == NULL)
        return NULL;
    return arena_printf(arena, "%s/%s%s%s", place->share, place->directory,
                        *place->directory != '\0' ? "/" : "",
                        job_output_segment(scenario, job, arena));
}

/* NULL: the job is modelled. */
static const RealFacts *real_facts(Arena *arena, const Job *job)
{
    const Program *program = job->spec->program;
    if (program->kind != PROGRAM_REAL)
        return NULL;
    const JobRan *ran = job_program_ran(job);
    RealFacts *real = ARENA_NEW(arena, RealFacts);
    *real = (RealFacts){.ranks = program->training ? job->spec->processes : 0,
                        .training = ran ? ran->training : real_training_unknown()};
    return real;
}

int32_t job_size(JobRequest request, const VmSize *vm_size)
{
    return (int32_t)request_slots(request, vm_size->gpus);
}

/* The value of a column in a row of a list; -1 without the column. */
static int32_t list_word(const int32_t *column, int64_t row)
{
    return column != NULL ? column[row] : -1;
}

static JobFacts job_facts(Arena *arena, const World *world, const Job *job)
{
    const Scenario *scenario = world_scenario(world);
    const uint32_t workload = (uint32_t)(job->workload + 1);
    const JobList *list = job_list_of(scenario, job);
    const ClusterKind *kind = cluster_kind_of(world_cluster(world, job->cluster), job->request);
    return (JobFacts){.tool = job->spec->tool,
                      .nodes = job->request.nodes,
                      // A workload may have very many jobs, and they are not listed.
                      .output_path = workload == 0 ? output_path(arena, scenario, job) : NULL,
                      .real = real_facts(arena, job),
                      .priority = job->spec->priority,
                      .size = job_size(job->request, kind->spec.vm_size),
                      .gpus_per_node = kind->whole.gpus,
                      .transformer =
                          job->spec->program->transformer != NULL ? job->spec->program : NULL,
                      .saves_on_notice = job->spec->program->saves_on_notice,
                      .saves_work = program_saves_work(job->spec->program),
                      .user = list_word(list != NULL ? list->user : NULL, job->row),
                      .queue = list_word(list != NULL ? list->queue : NULL, job->row),
                      .workload = workload};
}

/* The facts of a job of a list that was forgotten. */
static JobFacts forgotten_facts(const World *world, JobId id)
{
    const ListedRow listed = world_forgotten_job(world, id);
    const Workload *workload = &world_scenario(world)->workloads[listed.workload];
    return (JobFacts){.tool = workload->specs[0]->tool,
                      .nodes = 1,
                      .priority = workload->specs[0]->priority,
                      .size = workload->list->gpus[listed.row],
                      .user = list_word(workload->list->user, listed.row),
                      .queue = list_word(workload->list->queue, listed.row),
                      .saves_on_notice = workload->specs[0]->program->saves_on_notice,
                      .saves_work = program_saves_work(workload->specs[0]->program),
                      .workload = (uint32_t)listed.workload + 1};
}

static ShareFacts share_facts(const World *world, ShareId id)
{
    const Share *share = world_share(world, id);
    const ShareTier *tier = share_tier(share);
    return (ShareFacts){.micro_usd_per_gib_month = tier->micro_usd_per_gib_month,
                        .paid_bytes = tier->is_paid_by_size ? tier->provisioned_bytes : 0,
                        .existed_ns = world_share_existed_ns(world, id)};
}

static ClusterFacts cluster_facts(Arena *arena, const ClusterSpec *spec)
{
    const int32_t count = cluster_spec_kind_count(spec);
    ClusterFacts facts = {0};
    KindFacts *kinds = ARENA_ARRAY(arena, KindFacts, count);
    bool is_low = false, is_dedicated = false;
    for (int32_t k = 0; k < count; k++) {
        const NodeKind kind = cluster_spec_kind(spec, k);
        kinds[k] = (KindFacts){.name = kind.name,
                               .vm_size = vm_size_in_capitals(arena, kind.vm_size->name),
                               .is_low_priority = kind.is_low_priority,
                               .power = kind.vm_size->power};
        is_low |= kind.is_low_priority;
        is_dedicated |= !kind.is_low_priority;
    }
    facts.priority = !is_low ? "dedicated" : !is_dedicated ? "lowpriority" : "mixed";
    facts.vm_size = vm_sizes_in_capitals(arena, spec);
    facts.power = kinds[0].power;
    facts.kind_count = (uint32_t)spec->kind_count;
    facts.kinds = kinds;
    facts.queue_count = (uint32_t)spec->queue_count;
    facts.queues = spec->queues;
    return facts;
}

RunFacts run_facts_of_world(Arena *arena, const World *world, const WaitingFold *waiting,
                            const char *version)
{
    const Scenario *scenario = world_scenario(world);
    ClusterFacts *clusters = ARENA_ARRAY(arena, ClusterFacts, world_cluster_count(world));
    for (uint32_t i = 0; i < world_cluster_count(world); i++) {
        clusters[i] = cluster_facts(arena, world_cluster(world, (ClusterId){i})->spec);
    }
    JobFacts *jobs = ARENA_ARRAY(arena, JobFacts, world_job_count(world));
    for (uint32_t i = 0; i < world_job_count(world); i++) {
        const Job *job = world_job(world, (JobId){i});
        jobs[i] = job != NULL ? job_facts(arena, world, job) : forgotten_facts(world, (JobId){i});
    }
    const char **workloads = ARENA_ARRAY(arena, const char *, scenario->workload_count);
    for (int32_t i = 0; i < scenario->workload_count; i++)
        workloads[i] = scenario->workloads[i].name;
    ShareFacts *shares = ARENA_ARRAY(arena, ShareFacts, world_share_count(world));
    for (uint32_t i = 0; i < world_share_count(world); i++)
        shares[i] = share_facts(world, (ShareId){i});
    uint32_t wait_count = 0;
    const ClusterWaits *waits = waiting != NULL ? waiting_fold_result(waiting, &wait_count) : NULL;
    return (RunFacts){.scenario = scenario->name,
                      .description = scenario->description,
                      .given = &scenario->given,
                      .seed = scenario->seed,
                      .version = version,
                      .fidelity = fidelity_names[scenario->fidelity],
                      .policy = world_policy(world),
                      .start_unix_ms = scenario->start_unix_ms,
                      .measure = scenario->measure,
                      .has_queue_limit = scenario->has_queue_limit,
                      .energy = scenario->energy,
                      .wait_target_ns = scenario->wait_target_ns,
                      .clusters = clusters,
                      .waits = waits,
                      .wait_count = wait_count,
                      .jobs = jobs,
                      .workload_count = (uint32_t)scenario->workload_count,
                      .workloads = workloads,
                      .shares = shares,
                      .share_count = world_share_count(world)};
}
