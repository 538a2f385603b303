/* The options of `trainyard serve`. */
#ifndef EMU_OPTIONS_SERVE_OPTIONS_H
#define EMU_OPTIONS_SERVE_OPTIONS_H

#include "sim/cli/options.h"
#include "tools/trainyard/options/fork_options.h"
#include "tools/trainyard/options/scenario_options.h"

typedef struct {
    const char *address;
    int64_t tls_port, plain_port; /* 0: any free one */
    bool has_proxy;
    bool is_open;
    const char *state_folder;
    bool recovers;
    const char *fork_folder; /* NULL: no other session is continued */
    ForkOptions fork;
    const char *scenario; /* NULL: the one that is compiled in */
    const char *clock;
    int64_t seed;        /* -1: the scenario's */
    const char *catalog; /* in addition to the scenario's; NULL: none */
    ScenarioChanges changes;
    OptionTexts programs;      /* "GLOB=SCRIPT" */
    const char *programs_file; /* NULL: none */
    bool is_strict;
    bool is_files_only;
    bool runs_jobs;
    int backend; /* index of --real's word (HandOffBackend); -1: not given */
    const char *data_folder;
    int64_t job_time_limit_ns, job_output_limit_bytes;
    const char *ready_file; /* NULL: only the one in the state folder */
    bool is_json, is_verbose;
} ServeOptions;

extern const ServeOptions serve_option_defaults;
extern const OptionTable serve_option_table;

#endif
