#include "sim/cloud/job/owner_use.h"

#include "sim/base/array.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/cloud/job/listed.h"
#include "sim/model/bounded.h"
#include "sim/model/random_math.h"

static void set_experiment(Jobs *jobs, Job *job)
{
    const ResourcePath *path = &job->path;
    if (job->experiment == ID_NONE)
        job->experiment = resource_index(jobs->resources, COMMAND_EXPERIMENT_CREATE,
                                         (ResourcePath){.group = path->group,
                                                        .workspace = path->workspace,
                                                        .name = path->experiment});
    invariant(job->experiment != ID_NONE); // a job's experiment exists as long as the job
}

void owner_use_set(Jobs *jobs, Job *job)
{
    uint32_t *owner = listed_owner(jobs, job);
    if (owner == NULL) {
        set_experiment(jobs, job);
        jobs->owner_of = array_room(jobs->arena, jobs->owner_of, job->experiment + 1,
                                    &jobs->owner_of_capacity, sizeof *jobs->owner_of);
        owner = &jobs->owner_of[job->experiment];
    }
    if (*owner == 0) {
        jobs->uses = array_room(jobs->arena, jobs->uses, jobs->use_count + 1, &jobs->use_capacity,
                                sizeof *jobs->uses);
        *owner = ++jobs->use_count;
    }
    job->owner = *owner - 1;
}

/* Counts the node time of an owner up to now, with decay: with the half-life h, u(t) = u(0)
 * 2^(-t/h) for used time, and held * h / ln 2 * (1 - 2^(-t/h)) for the nodes held meanwhile. */
static void update_decayed_use(const Jobs *jobs, OwnerUse *use)
{
    const double ln2 = 0.69314718055994530942;
    const double half_life_ns = (double)jobs->scenario->fair_share_half_life_ns;
    const double left =
        random_exp(-ln2 * (double)(jobs->engine->now_ns - use->until_ns) / half_life_ns);
    const double nodes = (double)use->parts_held / USE_PARTS;
    use->decayed_us =
        use->decayed_us * left + nodes * (half_life_ns / NS_PER_US / ln2) * (1 - left);
    use->node_us = use->decayed_us < 0x1p62 ? (int64_t)use->decayed_us : INT64_C(1) << 62;
    use->until_ns = jobs->engine->now_ns;
}

/* Counts the node time of an owner up to now. */
static void update_use(const Jobs *jobs, OwnerUse *use)
{
    if (jobs->scenario->fair_share_half_life_ns > 0) {
        update_decayed_use(jobs, use);
        return;
    }
    int64_t passed_ns = jobs->engine->now_ns - use->until_ns;
    int64_t parts = bounded_add(use->rest, bounded_times(passed_ns / NS_PER_US, use->parts_held));
    use->node_us = bounded_add(use->node_us, parts / USE_PARTS);
    use->rest = parts % USE_PARTS;
    // The rest of a microsecond counts next time.
    use->until_ns = jobs->engine->now_ns - passed_ns % NS_PER_US;
}

void owner_use_changes(Jobs *jobs, const Job *job, int32_t change)
{
    const int32_t gpus_per_node = job_kind(jobs, job)->whole.gpus;
    const int64_t slots_per_node = gpus_per_node > 0 ? gpus_per_node : 1;
    OwnerUse *use = &jobs->uses[job->owner];
    update_use(jobs, use);
    use->parts_held +=
        change * (request_slots(job->request, gpus_per_node) * USE_PARTS / slots_per_node);
}

void owner_use_list(Jobs *jobs, int64_t *used_node_us)
{
    for (uint32_t i = 0; i < jobs->use_count; i++) {
        update_use(jobs, &jobs->uses[i]);
        used_node_us[i] = jobs->uses[i].node_us;
    }
}
