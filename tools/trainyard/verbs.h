/* The verbs of `trainyard`, one file each: sim/verbs/verb_NAME.c defines its option table and its
 * entry point, tools/trainyard/main.c lists them.
 *
 * A verb that needs heavy libraries is not here but a program of its own, `trainyard-NAME`, which
 * main.c starts. */
#ifndef SIM_VERBS_VERBS_H
#define SIM_VERBS_VERBS_H

#include "sim/cli/options.h"
#include "sim/cli/report.h"

typedef struct {
    const OptionTable *options; /* its name, summary and example too */
    /* argv[0] is the verb. Prints, and returns an exit code of sim/cli/report.h; stdout is flushed
     * and checked by main. */
    int (*run)(int argc, char **argv);
} Verb;

extern const Verb verb_run;
extern const Verb verb_launch;
extern const Verb verb_validate;
extern const Verb verb_test;
extern const Verb verb_explain;
extern const Verb verb_compare;
extern const Verb verb_diff;
extern const Verb verb_report;
extern const Verb verb_predict;
extern const Verb verb_calibrate;
extern const Verb verb_schema;
extern const Verb verb_completion;

/* All verbs in the order of `trainyard --help`, ended by NULL. */
extern const Verb *const verbs[];

/* The options of those that are programs of their own and come with this one, ended by NULL. */
extern const OptionTable *const programs[];

#endif
