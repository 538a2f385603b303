/* Private to sim/output/metrics: shares, the files on them, and file servers. */
#include "sim/base/array.h"
#include "sim/base/units.h"
#include "sim/model/price.h"
#include "sim/output/metrics/fold.h"

static ShareMetrics *share_of(MetricsFold *fold, const TraceRow *row)
{
    RunMetrics *run = &fold->run;
    const uint32_t id = row->record.share.index;
    for (; run->share_count <= id; run->share_count++) {
        run->shares = array_room(fold->arena, run->shares, run->share_count + 1,
                                 &fold->share_capacity, sizeof *run->shares);
        run->shares[run->share_count] = (ShareMetrics){0};
    }
    run->shares[id].name = row->share;
    return &run->shares[id];
}

/* Adds the storage that `file` has used since it was last written. */
static void file_close_span(RunMetrics *run, const FileMetrics *file, int64_t at_ns)
{
    if (file->is_gone)
        return;
    const Wide bytes_ns = (Wide)(at_ns - file->written_ns) * file->bytes;
    run->shares[file->share.index].stored_gib_ns += bytes_ns > 0 ? bytes_ns / GIB : 0;
}

static const char *file_name(const MetricsFold *fold, const TraceRow *row)
{
    return arena_printf(fold->arena, "%s/%s", row->share, row->record.name);
}

static FileMetrics *file_of(MetricsFold *fold, const TraceRow *row)
{
    RunMetrics *run = &fold->run;
    const char *name = file_name(fold, row);
    uint32_t index = run->file_count;
    if (name_table_find(fold->file_index, name, &index))
        return &run->files[index];
    name_table_set(fold->file_index, name, index);
    run->file_count++;
    run->files = array_room(fold->arena, run->files, run->file_count, &fold->file_capacity,
                            sizeof *run->files);
    run->files[index] = (FileMetrics){.share = row->record.share, .path = row->record.name};
    return &run->files[index];
}

void fold_file_written(MetricsFold *fold, const TraceRow *row)
{
    share_of(fold, row);
    FileMetrics *file = file_of(fold, row);
    file_close_span(&fold->run, file, row->record.at_ns);
    file->share = row->record.share; // a deleted file of the same name is another file
    file->bytes = row->record.bytes;
    file->written_ns = row->record.at_ns;
    file->is_gone = false;
}

static void file_is_deleted(MetricsFold *fold, FileMetrics *file, int64_t at_ns)
{
    file_close_span(&fold->run, file, at_ns);
    file->is_gone = true;
}

void fold_file_deleted(MetricsFold *fold, const TraceRow *row)
{
    uint32_t index;
    if (name_table_find(fold->file_index, file_name(fold, row), &index))
        file_is_deleted(fold, &fold->run.files[index], row->record.at_ns);
}

/* Deleting a share deletes its files. */
void fold_resource_deleted(MetricsFold *fold, const TraceRow *row)
{
    for (uint32_t i = 0; row->share != NULL && i < fold->run.file_count; i++)
        if (fold->run.files[i].share.index == row->record.share.index)
            file_is_deleted(fold, &fold->run.files[i], row->record.at_ns);
}

void fold_file_server_billed(MetricsFold *fold, const TraceRow *row)
{
    RunMetrics *run = &fold->run;
    const uint32_t index = run->file_server_count++;
    run->file_servers = array_room(fold->arena, run->file_servers, run->file_server_count,
                                   &fold->file_server_capacity, sizeof *run->file_servers);
    const int64_t billed_ns = row->record.file_server_billed.billed_ns,
                  micro_usd_per_hour = row->record.file_server_billed.micro_usd_per_hour;
    const bool is_priced = price_is_known(micro_usd_per_hour);
    run->file_servers[index] =
        (FileServerMetrics){.name = row->record.name,
                            .billed_ns = billed_ns,
                            .cost_micro_usd = cost_micro_usd(billed_ns, micro_usd_per_hour),
                            .is_unpriced = !is_priced};
    run->is_unpriced |= run->file_servers[index].is_unpriced;
}

void fold_files_end(MetricsFold *fold, int64_t at_ns)
{
    for (uint32_t i = 0; i < fold->run.file_count; i++)
        file_close_span(&fold->run, &fold->run.files[i], at_ns);
}
