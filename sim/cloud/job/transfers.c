#include "sim/cloud/job/transfers.h"

#include "sim/base/array.h"
#include "sim/base/invariant.h"
#include "sim/cloud/job/attempt.h"
#include "sim/cloud/job/checkpoint.h"
#include "sim/cloud/job/epochs.h"
#include "sim/cloud/job/tables.h"
#include "sim/model/bounded.h"

/* Checkpoints may be written in parts, each by its rank. */
static int32_t files_of(const Job *job, TransferPurpose purpose)
{
    const bool is_state = purpose == TRANSFER_FOR_CHECKPOINT || purpose == TRANSFER_FOR_RESUME;
    return is_state ? program_checkpoint_files(job->spec->program) : 1;
}

/* The links that a transfer of the job's `node`-th node crosses. Files of several ranks are on all
 * nodes, spread evenly. Returns how many links, which jobs->ways has. */
static int32_t find_ways(Jobs *jobs, const Job *job, int32_t node, int32_t files)
{
    const int32_t nodes = files > 1 ? job->request.nodes : 1;
    int32_t count = 0;
    jobs->ways = array_room(jobs->arena, jobs->ways, (uint32_t)nodes, &jobs->way_capacity,
                            sizeof *jobs->ways);
    for (int32_t n = 0; n < nodes; n++) {
        const int32_t at = files > 1 ? n : node;
        const int32_t its =
            (int32_t)((n + INT64_C(1)) * files / nodes - (int64_t)n * files / nodes);
        if (its > 0)
            jobs->ways[count++] =
                (TransferWay){&node_row(jobs->clusters, job->nodes[at])->link, its};
    }
    return count;
}

void job_transfer(Jobs *jobs, Job *job, int32_t node, TransferPurpose purpose, const char *share,
                  int64_t bytes)
{
    const bool is_read = purpose == TRANSFER_FOR_DATA || purpose == TRANSFER_FOR_RESUME;
    const Transfer transfer = {.share = storage_find_share(jobs->storage, share),
                               .kind = is_read ? TRANSFER_READ : TRANSFER_WRITE,
                               .bytes = bytes,
                               .files = files_of(job, purpose),
                               .cluster = job->cluster,
                               .job = job->id,
                               .node = job->nodes[node],
                               .purpose = (uint32_t)purpose,
                               .node_index = node};
    const int32_t way_count = find_ways(jobs, job, node, transfer.files);
    transfer_start(jobs->storage, &job->transfers, transfer, way_count, jobs->ways);
}

int64_t job_local_write_ns(const Jobs *jobs, int64_t bytes)
{
    return bounded_at_rate_ns(bytes, jobs->scenario->service.local_disk_bytes_per_s);
}

void job_write_file(Jobs *jobs, const Job *job, const char *share, const char *path, int64_t bytes)
{
    if (!share)
        return; // a file on the node is lost with the node
    TraceRecord *record = job_trace(jobs, TRACE_FILE_WRITTEN, job);
    record->bytes = bytes;
    record->name = path;
    storage_write_file(jobs->storage, record, storage_find_share(jobs->storage, share), NULL);
}

static void transfer_done(void *client, const Transfer *transfer)
{
    Jobs *jobs = client;
    Job *job = job_row(jobs, transfer->job);
    switch ((TransferPurpose)transfer->purpose) {
    case TRANSFER_FOR_DATA:
        job_stage_done(jobs, job, (uint32_t)transfer->node_index);
        return;
    case TRANSFER_FOR_CHECKPOINT:
        checkpoint_written(jobs, job);
        return;
    case TRANSFER_FOR_MODEL:
        epochs_model_saved(jobs, job);
        return;
    case TRANSFER_FOR_RESUME:
        epochs_resumed(jobs, job);
        return;
    }
    invariant_broken("a transfer for a known purpose", __FILE__, __LINE__);
}

TransferClient jobs_of_transfers(Jobs *jobs)
{
    return (TransferClient){.client = jobs, .transfer_done = transfer_done};
}
