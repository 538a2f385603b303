/* Private to sim/study/import: the table of formats. */
#include <string.h>

#include "sim/study/import/format.h"
#include "sim/study/import/format_tables.h"

#define TABLE(prefix)                                                                              \
    .columns = prefix##_columns, .add_row = prefix##_add,                                          \
    .column_count = sizeof prefix##_columns / sizeof *prefix##_columns

const ImportFormat import_formats[] = {
    {.name = "philly",
     .what = "cluster_job_log of Microsoft's Philly traces (JSON)",
     .zone = "America/Los_Angeles",
     .has_calendar = true,
     .has_dates = true,
     .read = format_philly_read},
    {.name = "philly-csv",
     .what = "timestamp,duration,num_gpus,gpu_time,cluster: Philly as derived for Sia and Pollux",
     .zone = "America/Los_Angeles",
     .has_calendar = true,
     .has_dates = true,
     .separator = ',',
     TABLE(philly_csv)},
    {.name = "helios",
     .what = "cluster_log.csv of SenseTime's Helios traces",
     .zone = "Asia/Shanghai",
     .has_calendar = true,
     .has_dates = true,
     .names_are_ids = true,
     .separator = ',',
     TABLE(helios)},
    {.name = "acme",
     .what = "trace_seren.csv or trace_kalos.csv of the Acme traces",
     .zone = "Asia/Shanghai",
     .has_calendar = true,
     .has_dates = true,
     .names_are_ids = true,
     .separator = ',',
     TABLE(acme)},
    {.name = "pai-2020",
     .what = "Alibaba's PAI, 2020: the tables of jobs, tasks and, if wanted, instances",
     .zone = "Asia/Shanghai",
     .has_calendar = true,
     .read = format_pai2020_read,
     .files_max = 3},
    {.name = "pai-2023",
     .what = "Alibaba's PAI, 2023: openb_pod_list_*.csv",
     .zone = "Asia/Shanghai",
     .separator = ',',
     TABLE(pai2023)},
    {.name = "swf",
     .what = "Standard Workload Format 2.2 of the Parallel Workloads Archive",
     .zone = "UTC",
     .read = format_swf_read},
    {.name = "gavel",
     .what = "traces of the Gavel scheduler, and its file of throughputs (JSON)",
     .zone = "UTC",
     .read = format_gavel_read},
    {.name = "sia",
     .what = "workloads of Sia and Pollux: name,time,application,num_replicas,...",
     .zone = "UTC",
     .separator = ',',
     TABLE(sia)},
    {.name = "tiresias",
     .what = "traces of Tiresias: job_id,num_gpu,submit_time,...,duration,...",
     .zone = "UTC",
     .separator = ',',
     TABLE(tiresias)},
    {.name = "slurm",
     .what = "the output of sacct -P, with its header line",
     .zone = "UTC",
     .has_calendar = true,
     .has_dates = true,
     .names_are_ids = true,
     .separator = '|',
     .policy = POLICY_CONSERVATIVE,
     .policy_source = "Slurm's backfill starts a job early if that does not delay the expected "
                      "start of any job before it (slurm.schedmd.com/sched_config.html, 2026)",
     TABLE(slurm)},
    {.name = "csv",
     .what = "any table with a header line; --columns names its columns",
     .zone = "UTC",
     .read = format_csv_read},
};

const int32_t import_format_count = sizeof import_formats / sizeof *import_formats;

const ImportFormat *import_format_find(const char *name)
{
    for (int32_t i = 0; i < import_format_count; i++)
        if (strcmp(import_formats[i].name, name) == 0)
            return &import_formats[i];
    return NULL;
}

/* A row of a format that is a table. */
typedef struct {
    ImportLog *log;
    const ImportFormat *format;
} TableParser;

static void add_table_row(void *parser, const Cell *cells)
{
    const TableParser *table = parser;
    table->format->add_row(table->log, cells);
}

void import_format_read(const ImportFormat *format, ImportLog *log, const ImportFile *files,
                        int32_t file_count)
{
    log->has_calendar = format->has_calendar;
    log->has_dates = format->has_dates;
    log->names_are_ids = format->names_are_ids;
    if (format->read != NULL) {
        format->read(log, files, file_count);
        return;
    }
    TableParser parser = {log, format};
    for (int32_t i = 0; i < file_count; i++)
        import_read_table(log, files[i], format->separator, format->columns, format->column_count,
                          &parser, add_table_row);
}
