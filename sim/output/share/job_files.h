/* The files that a job leaves in its `stdouterr` directory, at any simulated time.
 *
 * Nothing is stored. Names, sizes and contents are pure functions of the job and a time, so the
 * emulator serves a growing stdout.txt without storing it. The contents at one time are a prefix of
 * the contents at any later time, until the job starts again: the files of a requeued job's new
 * attempt replace those of the attempt before, as a new process would.
 *
 * Names (../stdouterr, spec of the service, API 2018-05-01):
 *
 *     one node        execution.log, stdout.txt, stderr.txt, stdout-job_prep.txt,
 *                     stderr-job_prep.txt
 *     several nodes   execution-{nodeId}.log, stdout-job_prep-{nodeId}.txt,
 *                     stderr-job_prep-{nodeId}.txt of each; stdout.txt, stderr.txt of the master
 *     tensorflow      stdout-wk-0.txt, stderr-wk-0.txt, ... of each worker and stdout-ps-0.txt,
 *                     stderr-ps-0.txt, ... of each host in AZ_BATCHAI_PS_HOSTS
 *     caffe2          stdout-0.txt, stderr-0.txt, ... of each worker
 *
 * Preparation logs exist only with a job preparation. Execution logs exist from the job's start,
 * preparation logs from the preparation's start, the others from the program's start. A log
 * contains no line before its event and none after the job's end. At job fidelity all epochs happen
 * at once, at the end of the training.
 *
 * The form of the service's execution.log was never published; ours is our own text, as its
 * first line says. stdout.txt of a Keras program has Keras' form (keras_log.h). */
#ifndef SIM_OUTPUT_JOB_FILES_H
#define SIM_OUTPUT_JOB_FILES_H

#include "sim/base/byte_sink.h"
#include "sim/cloud/world.h"

typedef struct {
    const char *name;  /* inside the listed directory */
    bool is_directory; /* never in `stdouterr`, which is flat */
    int64_t bytes;
    int64_t created_ns;
    int64_t modified_unix_ms; /* when its last byte was written */
} FileEntry;

/* The files at `now_ns` <= world_now_ns(world), in order of names (bytes compared); in `arena`.
 * Empty before the job starts. Makes every file's contents once to measure its size. */
FileEntry *job_files_list(const World *world, const Job *job, int64_t now_ns, Arena *arena,
                          int32_t *count);
/* Writes the contents of file `name` at `now_ns`. False when the file does not exist (yet). */
bool job_file_write(const World *world, const Job *job, const char *name, int64_t now_ns,
                    ByteSink sink);
/* "cifar/{output segment}/stdouterr": the directory inside job->spec->std_out_err.share. */
const char *job_files_directory(const World *world, const Job *job, Arena *arena);
/* "cifar/{output segment}/outputs/models": the directory of one of its outputs inside
 * `output->place.share`. */
const char *job_output_directory(const World *world, const Job *job, const OutputDirectory *output,
                                 Arena *arena);

#endif
