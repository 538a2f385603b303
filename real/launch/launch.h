/* Runs a job.json on this machine as the service would run it. It needs no scenario.
 *
 * The job gets a small world (real/launch/launch_scenario.json): a cluster that is ready at once,
 * the shares that the job mounts, and our trainer as its program, whatever its script is called.
 * That world hands the job to the trainer (real/launch/real_run.h). So the job's variables, paths,
 * log files, exit code and errors follow the service's rules.
 *
 *     commandLineArgs    the trainer's own options, with the job's variables filled in
 *     mounts             directories below {folder}/share, or the directories that --mount names
 *     jobPreparation     not run, because it installs packages
 *     containerSettings  ignored */
#ifndef REAL_LAUNCH_H
#define REAL_LAUNCH_H

#include "real/launch/real_run.h"

/* The directory that is mounted at {mount root}/{relative}: a mount of the job or, if it has none
 * there, of the cluster. */
typedef struct {
    const char *relative, *folder;
} LaunchMount;

typedef struct {
    const char *path; /* of job.json */
    const char *name; /* of the job */
    int64_t seed;     /* names its folders on shares; each reading makes a new one */
    int32_t nodes, ranks;
    const char *command; /* the trainer runs instead of it */
    int32_t argument_count;
    char **arguments; /* commandLineArgs as words, with variables; ended by NULL */
    bool has_preparation, has_container;
    int32_t override_count;
    const char **overrides; /* the changes to the file's values in the world */
    Json *cluster_mounts;   /* or NULL */
    Json *storage;          /* the accounts and shares of its mounts */
} LaunchJob;

/* Reads the job as `name` and checks it whole. `nodes` replaces its nodeCount (0: unchanged), and
 * the number of processes changes in proportion. A mount that the job does not have becomes one of
 * the cluster. Returns false, with the problems, if the job is not valid. */
MUST_CHECK bool launch_read(Arena *arena, const char *path, const char *name, int64_t nodes,
                            const LaunchMount *mounts, int32_t mount_count, LaunchJob *job,
                            Problems *problems);

/* The training that the trainer's arguments ask for. */
typedef struct {
    const char *network;
    int64_t batch_size;
    int64_t epochs; /* 0: ceil(100 / ranks) */
    int64_t steps;  /* per epoch; 0: as many as the data has */
} LaunchTraining;

typedef struct {
    const char *folder; /* of the job's files; exists */
    HandOffBackend backend;
    const char *data_folder; /* NULL: the arguments name it */
    const LaunchMount *mounts;
    int32_t mount_count;
    LaunchTraining training;
    char *const *arguments; /* the trainer's, in words with variables; ended by NULL */
    bool is_quiet;
    bool continues; /* a launch with the same folder and seed, whose shares stay unchanged */
} LaunchSettings;

typedef struct {
    const char *state; /* "succeeded", "failed" */
    bool has_succeeded;
    int32_t exit_code;         /* -1: the job has no exit code */
    const char *error_code;    /* "JobFailed", ..., or NULL */
    const char *error_message; /* or NULL */
    int64_t took_ns;           /* from the start of its ranks to their end */
    RealTraining training;
    const char *log_folder; /* the job's stdouterr */
    const char *stdout_path, *stderr_path;
    int signal; /* the signal to this process that ended the run; 0: no signal */
} LaunchResult;

/* Checks, before anything runs, that the world accepts the job. Returns false, with the problems,
 * if it does not. */
MUST_CHECK bool launch_check(Arena *arena, const LaunchJob *job, const LaunchTraining *training,
                             Problems *problems);

/* Runs the job to its end. Returns false, with the problems, if it cannot be run. */
MUST_CHECK bool launch_run(Arena *arena, const LaunchJob *job, const LaunchSettings *settings,
                           LaunchResult *result, Problems *problems);

#endif
