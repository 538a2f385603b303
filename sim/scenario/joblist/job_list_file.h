/* Workload files: the jobs of a real cluster as CSV, read into and written from columns.
 *
 *     # trainyard job list 1; philly-csv; philly.csv; SHA-256 6f0c...; options and counts in ...
 *     job,submit_s,run_s,gpus,queue
 *     1,0,58543,1,ed69ec
 *     2,878,59115,1,ed69ec
 *
 * Lines that begin with '#' before the header are comments. The header names the columns in any
 * order; job, submit_s, run_s and gpus are needed, and the table JOB_COLUMNS has the others. Rows
 * are in the order of submission. Times are seconds since the begin of the list with up to 9
 * decimals. An empty cell means that the log does not state the value. after_job contains the name
 * of an earlier job. Texts are UTF-8; a text with a comma or a quote is in double quotes. */
#ifndef SIM_SCENARIO_JOBLIST_JOB_LIST_FILE_H
#define SIM_SCENARIO_JOBLIST_JOB_LIST_FILE_H

#include "sim/base/byte_sink.h"
#include "sim/base/file_source.h"
#include "sim/base/text.h"
#include "sim/cloud/spec/job_list.h"

/* X(column, member, KIND, words, least, most, description). The kinds: NAME (of the job), TIME
 * (seconds in the file, ns in memory), COUNT (int32), BYTES (int64), WORD (index in the member
 * `words`), JOB (name of a job in the file, row in memory). Kinds other than WORD ignore `words`.
 */
#define JOB_COLUMNS(X)                                                                             \
    X("job", names, NAME, names, 0, 0, "name of the job, unique in the file")                      \
    X("submit_s", submit_ns, TIME, names, 0, INT64_MAX, "submission, in seconds since the begin")  \
    X("run_s", run_ns, TIME, names, 0, INT64_MAX, "how long its program runs, in seconds")         \
    X("gpus", gpus, COUNT, names, 0, JOB_LIST_COUNT_MAX, "GPUs in total, over all of its nodes")   \
    X("gpus_per_node_max", gpus_per_node_max, COUNT, names, 1, JOB_LIST_COUNT_MAX,                 \
      "the most GPUs that it takes on one node")                                                   \
    X("nodes", nodes, COUNT, names, 1, JOB_LIST_COUNT_MAX, "nodes")                                \
    X("cpus", cpus, COUNT, names, 0, JOB_LIST_COUNT_MAX, "processor cores in total")               \
    X("memory_bytes", memory_bytes, BYTES, names, 0, INT64_MAX, "memory in total, in bytes")       \
    X("gpu_type", gpu_type, WORD, gpu_types, 0, 0, "kind of GPU")                                  \
    X("speeds", speeds, WORD, speed_words, 0, 0,                                                   \
      "how fast it runs on kinds of nodes of its cluster, such as V100=1 and A100=2.5 with a "     \
      "vertical bar between them: on an A100 it takes run_s divided by 2.5. Names and meaning "    \
      "are as in `speeds` of job.create")                                                          \
    X("queue", queue, WORD, queues, 0, 0, "queue or virtual cluster")                              \
    X("user", user, WORD, users, 0, 0, "owner")                                                    \
    X("priority", priority, COUNT, names, 0, JOB_LIST_COUNT_MAX,                                   \
      "a job with a larger priority is more urgent")                                               \
    X("requested_s", requested_ns, TIME, names, 0, INT64_MAX,                                      \
      "the run time that the owner asked for, in seconds")                                         \
    X("state", state, WORD, states, 0, 0, "how the job ended in the real cluster")                 \
    X("recorded_wait_s", recorded_wait_ns, TIME, names, 0, INT64_MAX,                              \
      "wait in the real cluster, in seconds; for comparisons only")                                \
    X("after_job", after_job, JOB, names, 0, 0,                                                    \
      "the earlier job at whose end this one is submitted, whatever submit_s says")                \
    X("think_s", think_ns, TIME, names, 0, INT64_MAX,                                              \
      "from the end of after_job to the submission, in seconds; empty: 0")

enum { JOB_LIST_COUNT_MAX = 1000000000 };

/* Reads the file at `path` into `list`, whose columns live in `arena`. False with every problem
 * (the first ones with their text): STATUS_BAD_INPUT at line and column, or the source's error. */
MUST_CHECK bool job_list_read(Arena *arena, FileSource files, const char *path, JobList *list,
                              Problems *problems);
/* The same for a text in memory, which `list` does not borrow. `source` names it in messages. */
MUST_CHECK bool job_list_parse(Arena *arena, const char *source, const char *text, size_t length,
                               JobList *list, Problems *problems);

/* Where a list comes from, for the comment at the top of the file. NULL members are left out. */
typedef struct {
    const char *format;  /* of the log: "philly-csv" */
    const char *source;  /* its file name */
    const char *sha256;  /* of that file, in hexadecimal digits */
    const char *sidecar; /* the file with the options and the counts of dropped rows */
} JobListProvenance;

/* Writes the list, in the order of its rows, as a file that job_list_parse reads back into an equal
 * list. `provenance` may be NULL. */
void job_list_write(const JobList *list, const JobListProvenance *provenance, ByteSink sink);

/* Writes the section of scenarios/FORMAT.md about these files. */
void job_list_reference(Text *out);

#endif
