/* A job.json that runs here and now, as the service would run it, without a scenario of its own.
 *
 * Around the job a small world is made (real/launch_scenario.json): a cluster that is there at
 * once, the shares that the job mounts, and our trainer as its program, whatever the script is
 * called. The job is handed to the trainer in it (real/launch/real_run.h). So its variables, paths,
 * log files, exit code and errors are the service's, by the same rules as everywhere.
 *
 *     commandLineArgs    are the trainer's own options, with the job's variables filled in
 *     mounts             directories below {folder}/share, or what --mount names
 *     jobPreparation     is not run: it installs packages
 *     containerSettings  likewise have no meaning here
 */
#ifndef REAL_LAUNCH_H
#define REAL_LAUNCH_H

#include "real/launch/real_run.h"

/* What is mounted at {mount root}/{relative}: of the job, or else of the cluster. */
typedef struct {
    const char *relative, *folder;
} LaunchMount;

typedef struct {
    const char *path; /* of job.json */
    const char *name; /* of the job */
    int64_t seed;     /* of its folders on shares: a new one with each reading */
    int32_t nodes, ranks;
    const char *command; /* in whose place the trainer runs */
    int32_t argument_count;
    char **arguments; /* commandLineArgs as words, with variables; ended by NULL */
    bool has_preparation, has_container;
    int32_t override_count;
    const char **overrides; /* what the world gets otherwise than the file has it */
    Json *cluster_mounts;   /* NULL: none */
    Json *storage;          /* the accounts and shares of its mounts */
} LaunchJob;

/* Reads the job as `name`, with `nodes` (0: its own nodeCount; processes go along), and checks it
 * whole; a mount that the job does not have is the cluster's. False with the problems. */
MUST_CHECK bool launch_read(Arena *arena, const char *path, const char *name, int64_t nodes,
                            const LaunchMount *mounts, int32_t mount_count, LaunchJob *job,
                            Problems *problems);

/* What the trainer is going to do by its arguments, as far as they say. */
typedef struct {
    const char *network;
    int64_t batch_size;
    int64_t epochs; /* 0: ceil(100 / ranks) */
    int64_t steps;  /* of an epoch; 0: as many as the data has */
} LaunchTraining;

typedef struct {
    const char *folder; /* of the job's files; exists */
    HandOffBackend backend;
    const char *data_folder; /* NULL: as the arguments say */
    const LaunchMount *mounts;
    int32_t mount_count;
    LaunchTraining training;
    char *const *arguments; /* the trainer's, in words with variables; ended by NULL */
    bool is_quiet;
    bool goes_on; /* from a launch with the same folder and seed, whose shares stay as they are */
} LaunchSettings;

typedef struct {
    const char *state; /* "succeeded", "failed" */
    bool has_succeeded;
    int32_t exit_code;         /* -1: none */
    const char *error_code;    /* "JobFailed", ...; NULL */
    const char *error_message; /* NULL */
    int64_t took_ns;           /* from the start of its ranks to their end */
    RealTraining training;
    const char *log_folder; /* the job's stdouterr */
    const char *stdout_path, *stderr_path;
    int signal; /* to this process, that ended it; 0 */
} LaunchResult;

/* Whether the world takes the job so, before it or another one runs. False with the problems. */
MUST_CHECK bool launch_check(Arena *arena, const LaunchJob *job, const LaunchTraining *training,
                             Problems *problems);

/* Runs it to its end. False, with the problems, where it could not be run. */
MUST_CHECK bool launch_run(Arena *arena, const LaunchJob *job, const LaunchSettings *settings,
                           LaunchResult *result, Problems *problems);

#endif
