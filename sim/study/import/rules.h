/* The rules by which an import drops, mends or reports rows. Each is counted, and the sidecar and
 * the summary print the counts in the words below: "dropped: 3012 without an attempt, so ...". A
 * count is of jobs unless the words name something else. */
#ifndef SIM_STUDY_IMPORT_RULES_H
#define SIM_STUDY_IMPORT_RULES_H

/* The effect of a rule on a row: it is not in the workload file, it is there with another value
 * than in the log, or it is there unchanged. */
typedef enum { RULE_DROPPED, RULE_MENDED, RULE_NOTED, RULE_EFFECT_COUNT } RuleEffect;

/* X(ENUM, effect, words). The words follow a count. */
#define IMPORT_RULES(X)                                                                            \
    X(MALFORMED, DROPPED, "cannot be read (--skip-malformed)")                                     \
    X(NO_SUBMIT, DROPPED, "without a time of submission")                                          \
    X(NO_ATTEMPT, DROPPED, "without an attempt, so that GPUs and run time are unknown")            \
    X(NO_START, DROPPED, "never started")                                                          \
    X(WAITING, DROPPED, "still waited when the log was taken: their run times are not known")      \
    X(NO_RUN, DROPPED, "without a known run time")                                                 \
    X(NO_SIZE, DROPPED, "without a number of GPUs or processors")                                  \
    X(BACKWARDS, DROPPED, "with an end before the start")                                          \
    X(NO_GPU, DROPPED, "ask for no GPU (--cpu-jobs keep keeps them)")                              \
    X(STEP, DROPPED, "rows of steps of jobs")                                                      \
    X(SAME_JOB, DROPPED, "rows about a job of another row, with its name, submission and start")   \
    X(PART, DROPPED, "rows of parts of a job that another row describes as a whole")               \
    X(INCOMPLETE, DROPPED, "did not complete (--states completed)")                                \
    X(OTHER_QUEUE, DROPPED, "of other queues (--queue)")                                           \
    X(OUTSIDE, DROPPED, "submitted outside the window (--window)")                                 \
    X(THINNED, DROPPED, "left out at random (--thin)")                                             \
    X(WIDER, NOTED, "wider than their cluster: the scenario refuses them at submission")           \
    X(NO_END, MENDED, "had not ended when the log was taken: kept with their time until then")     \
    X(LOST_END, MENDED, "without an end, though their time limits had passed: kept up to these")   \
    X(ATTEMPT_UNTIMED, MENDED, "attempts without start or end, left out of their jobs")            \
    X(ATTEMPT_BACKWARDS, MENDED, "attempts with an end before the start, left out of their jobs")  \
    X(DURATION, MENDED, "state another duration than end - start: recomputed")                     \
    X(WAIT, MENDED, "state another wait than start - submission: recomputed")                      \
    X(EARLY_START, MENDED, "start before their submission: no wait is recorded")                   \
    X(GPU_PART, MENDED, "ask for parts of a GPU: rounded up to whole GPUs")                        \
    X(CPU_PART, MENDED, "ask for parts of a core: rounded up to whole cores")                      \
    X(WHOLE_NODES, MENDED, "do not fill their last node: rounded up to whole nodes")               \
    X(CLAMPED, MENDED, "run times outside the limits (--clamp-run)")                               \
    X(NAME, MENDED, "have the name of an earlier job: \"#2\" and so on was appended")              \
    X(TEXT, MENDED, "names with bytes that are not text: replaced by \"_\"")                       \
    X(QUEUE, MENDED, "in queues whose names clusters cannot have: other characters became \"_\"")  \
    X(SKIPPED_HOUR, MENDED, "times in an hour that the clocks skipped: moved on by an hour")       \
    X(JOINED, MENDED, "rows of parts of a job: joined, their run times added")                     \
    X(NO_LEADER, MENDED, "follow a job that is not in the list: they wait for none")               \
    X(REPEATED_HOUR, NOTED, "times in the hour that occurs twice when daylight time ends")         \
    X(DUPLICATE, NOTED, "equal to an earlier row in all columns: kept, because they are jobs")     \
    X(ATTEMPT_SIZE, NOTED, "later attempts with another number of GPUs: that of the first counts") \
    X(SIZE_DIFFERS, NOTED, "got another number of processors than they asked for: that counts")    \
    X(SUSPENDED, NOTED,                                                                            \
      "ran for another time than end - start, as suspended jobs do: that counts")                  \
    X(RAN_LONGER, NOTED, "ran longer than they asked for")                                         \
    X(EXTRA_FIELDS, NOTED, "rows with more fields than the format has: the others were not read")  \
    X(UNLIKE, NOTED, "have tasks of unlike sizes: their GPUs were added")                          \
    X(SEVERAL_TYPES, NOTED, "allow several GPU types: the first counts")                           \
    X(AS_GPUS, NOTED, "ask for processors, which count as GPUs (see --processors-per-node)")       \
    X(ZERO_RUN, NOTED, "run for 0 s")

typedef enum {
#define X(name, effect, words) RULE_##name,
    IMPORT_RULES(X)
#undef X
        RULE_COUNT
} ImportRule;

typedef struct {
    const char *key; /* "NO_START" */
    RuleEffect effect;
    const char *words;
} RuleText;

extern const RuleText import_rules[];         /* [RULE_COUNT] */
extern const char *const rule_effect_names[]; /* "dropped", "mended", "noted" */

#endif
