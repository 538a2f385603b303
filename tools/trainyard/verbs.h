/* The verbs of `trainyard`, one file each: tools/trainyard/verb_NAME.c defines the option table and
 * the entry point, tools/trainyard/main.c lists them.
 *
 * A verb that needs heavy libraries is a separate program, `trainyard-NAME`, which main.c starts.
 */
#ifndef TOOLS_TRAINYARD_VERBS_H
#define TOOLS_TRAINYARD_VERBS_H

#include "sim/cli/options.h"
#include "sim/cli/report.h"

typedef struct {
    const OptionTable *options; /* also contains the verb's name, summary and example */
    /* Runs the verb; argv[0] is its name. Returns an exit code of sim/cli/report.h. main flushes
     * and checks stdout afterwards. */
    int (*run)(int argc, char **argv);
    bool has_ranks; /* trainyard-study-mpi runs the verb on the ranks of Open MPI */
} Verb;

extern const Verb verb_run;
extern const Verb verb_sweep;
extern const Verb verb_plan;
extern const Verb verb_advise;
extern const Verb verb_merge;
extern const Verb verb_show;
extern const Verb verb_launch;
extern const Verb verb_validate;
extern const Verb verb_test;
extern const Verb verb_explain;
extern const Verb verb_compare;
extern const Verb verb_diff;
extern const Verb verb_report;
extern const Verb verb_predict;
extern const Verb verb_import;
extern const Verb verb_waits;
extern const Verb verb_schema;
extern const Verb verb_completion;

/* All verbs in the order of `trainyard --help`, ended by NULL. */
extern const Verb *const verbs[];

/* The options of the verbs that are separate programs of this project, ended by NULL. */
extern const OptionTable *const programs[];

#endif
