/* Runs a script of simple commands (sim/cloud/spec/script.h) as bash or dash would, in simulated
 * time: its output, its files and its exit code.
 *
 * Only `sleep` takes time. The cost of other commands is part of the service's overhead, which was
 * measured with jobs of such commands (catalogue: service/host_overhead). So a run continues from
 * sleep to sleep, and reads files when a command reads them.
 *
 * Paths below a mount are on its share. All others are on the node's own disk, which is lost
 * afterwards. At first it has only /tmp, the folder that the script runs in and the mounts' roots.
 * The world does not know the empty directories of a share, so a file can be written into any
 * directory. Standard input is empty. */
#ifndef SIM_CLOUD_SHELL_SHELL_H
#define SIM_CLOUD_SHELL_SHELL_H

#include "sim/cloud/spec/script.h"
#include "sim/cloud/spec/spec.h"
#include "sim/cloud/storage/file_set.h"

typedef struct {
    int64_t at_ns;
    bool is_error;
    FilePart part; /* its file is kept */
} ShellOutput;

/* A file of a share that was written or removed. */
typedef struct {
    uint32_t volume;
    const char *path;
    uint32_t file; /* FILE_NONE: removed */
} ShellChange;

typedef struct {
    Arena *arena;
    const ShellScript *script;
    FileSet *files;
    const uint32_t *volumes; /* [mount]: the ShareId of each */
    int32_t variable_count;
    const EnvironmentVariable *variables; /* filled in; NULL: secret */
    const char *directory;                /* the first working directory, absolute */
    uint32_t disk;                        /* of the node (file_set_new_disk); 0: an empty one */
    JobId job;                            /* the job that writes the files */
} ShellSettings;

typedef struct ShellRun {
    const ShellSettings *settings;
    bool is_over;
    int32_t exit_code; /* so far */
    int32_t output_count, output_capacity;
    ShellOutput *outputs; /* in order of time */
    int32_t change_count, change_capacity;
    ShellChange *changes; /* of the last shell_continue, each file once */
    /* Private to this folder. */
    int32_t next_pipeline;
    int64_t now_ns;
    int64_t printed_bytes;
    uint32_t disk;         /* volume of the node's own files */
    const char *directory; /* the working directory */
    int32_t variable_count, variable_capacity;
    EnvironmentVariable *variables;
} ShellRun;

/* Settings are borrowed. */
ShellRun *shell_begin(const ShellSettings *settings);
/* Runs commands until one sleeps, and returns how long (INT64_MAX: for ever); 0: the script has
 * ended. */
int64_t shell_continue(ShellRun *run, int64_t now_ns);

#endif
