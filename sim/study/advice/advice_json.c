#include "sim/study/advice/advice_json.h"

#include "sim/schema/plain.h"
#include "sim/study/advice/advice_text.h"

/* A metric of the unchanged scenario, or of a change with its difference. */
typedef struct {
    const char *name;
    double value, low, high;
    double difference, difference_half_width;
} FileMetric;

typedef struct {
    const char *change, *kind;
    AdviceState result;
    const char *constraint; /* NULL: none is missed */
    bool is_fresh;
    FileMetric *metrics;
    uint32_t metric_count;
    const char *command;
} FileChange;

typedef struct {
    const char *kind;
    const char *change; /* NULL: no change of this kind is possible */
    const char *reason;
} FileLeftOut;

typedef struct {
    const char *scenario;
    const char *maximised, *minimised; /* a metric; one of them is NULL */
    int64_t seed_count, run_count;
    FileMetric *before;
    uint32_t before_count;
    FileChange *advised, *tried;
    uint32_t advised_count, tried_count;
    FileLeftOut *left_out;
    uint32_t left_out_count;
} AdviceFile;

#define OWNER FileMetric
#define ESTIMATE                                                                                   \
    FIELD_KEY(name, "a metric: the objective, those of constraints, and others"),                  \
        PLAIN_REAL("value", value, "the estimate"),                                                \
        PLAIN_REAL("low", low, "the lower end of its 95 % interval"),                              \
        PLAIN_REAL("high", high, "the upper end")
static const Field before_fields[] = {ESTIMATE, {0}};
static const ObjectType before_type =
    OBJECT_TYPE("Unchanged metric", "A metric of the unchanged scenario.", before_fields);
static const Field changed_fields[] = {
    ESTIMATE,
    PLAIN_REAL("difference", difference, "to the unchanged scenario, on the same seeds"),
    PLAIN_REAL("difference_half_width", difference_half_width, "of its 95 % interval"),
    {0},
};
static const ObjectType changed_type =
    OBJECT_TYPE("Changed metric", "A metric of the changed scenario.", changed_fields);
#undef OWNER

static const char *const results[] = {
#define X(name, words) words,
    ADVICE_STATES(X)
#undef X
        NULL};

#define OWNER FileChange
static const Field change_fields[] = {
    PLAIN_TEXT("change", change, "what is changed"),
    PLAIN_TEXT("kind", kind, "the kind of the change"),
    FIELD_CHOICE("result", result, results, NULL, "what comes of it"),
    PLAIN_TEXT("constraint", constraint,
               "that it misses, or may miss; without key: it keeps all constraints"),
    FIELD_BOOLEAN("fresh_seeds", is_fresh, NULL,
                  "whether the metrics are of seeds that took no part in the choice"),
    FIELD_LIST(NAMED, "metrics", metrics, metric_count, &changed_type, "by name"),
    PLAIN_TEXT("command", command, "runs the changed scenario"),
    {0},
};
static const ObjectType change_type =
    OBJECT_TYPE("Advised change", "A change of the scenario that was tried.", change_fields);
#undef OWNER

#define OWNER FileLeftOut
static const Field left_out_fields[] = {
    PLAIN_TEXT("kind", kind, "the kind of the change"),
    PLAIN_TEXT("change", change, "the change; without key: there is none of this kind"),
    PLAIN_TEXT("reason", reason, "why it was not tried"),
    {0},
};
static const ObjectType left_out_type =
    OBJECT_TYPE("Change not tried", "A change that was left out.", left_out_fields);
#undef OWNER

#define OWNER AdviceFile
static const Field advice_file_fields[] = {
    PLAIN_TEXT("scenario", scenario, "its file as named on the command line"),
    PLAIN_TEXT("maximise", maximised, "the objective, if its largest value is best"),
    PLAIN_TEXT("minimise", minimised, "the objective, if its smallest value is best"),
    FIELD_COUNT("seeds", seed_count, "runs of each change"),
    FIELD_COUNT("runs", run_count, "all runs"),
    FIELD_LIST(NAMED, "unchanged", before, before_count, &before_type,
               "the metrics of the unchanged scenario, by name"),
    FIELD_LIST(OBJECTS, "advice", advised, advised_count, &change_type,
               "the changes to make, the best first"),
    FIELD_LIST(OBJECTS, "tried", tried, tried_count, &change_type, "the other changes"),
    FIELD_LIST(OBJECTS, "not_tried", left_out, left_out_count, &left_out_type,
               "changes that were left out"),
    {0},
};
const ObjectType advice_file_type =
    OBJECT_TYPE("Advise answer", "The output of `trainyard advise --json`.", advice_file_fields);
#undef OWNER

static FileMetric *metrics_of(Arena *arena, const Study *study, const MetricEstimate *estimates)
{
    FileMetric *metrics = ARENA_ARRAY(arena, FileMetric, study->metric_count);
    for (int32_t m = 0; m < study->metric_count; m++)
        metrics[m] = (FileMetric){.name = study->metrics[m].name,
                                  .value = estimates[m].value,
                                  .low = estimates[m].low,
                                  .high = estimates[m].high,
                                  .difference = estimates[m].difference,
                                  .difference_half_width = estimates[m].difference_half_width};
    return metrics;
}

static FileChange change_of(Arena *arena, const Advice *advice, const AdvisedChange *advised,
                            const char *scenario)
{
    const bool may_miss = advised->state == ADVICE_MISSES || advised->state == ADVICE_UNCERTAIN;
    Text command = {0};
    advice_command_print(arena, advice, advised->change, scenario, &command);
    const FileChange change = {
        .change = advised->change->name,
        .kind = change_kind_words(advised->change->kind),
        .result = advised->state,
        .constraint = may_miss ? advice->study->goal->constraints[advised->constraint].words : NULL,
        .is_fresh = advised->is_fresh,
        .metrics = metrics_of(arena, advice->study, advised->estimates),
        .metric_count = (uint32_t)advice->study->metric_count,
        .command = arena_strdup(arena, text_string(&command))};
    text_free(&command);
    return change;
}

static void fill_changes(Arena *arena, const Advice *advice, const char *scenario, AdviceFile *file)
{
    FileChange *changes = ARENA_ARRAY(arena, FileChange, advice->count);
    for (int32_t i = 0; i < advice->count; i++)
        changes[i] = change_of(arena, advice, &advice->items[i], scenario);
    file->advised = changes;
    file->advised_count = (uint32_t)advice->chosen_count;
    file->tried = changes + advice->chosen_count;
    file->tried_count = (uint32_t)(advice->count - advice->chosen_count);
}

static void fill_left_out(Arena *arena, const Changes *changes, AdviceFile *file)
{
    file->left_out = ARENA_ARRAY(arena, FileLeftOut, changes->left_out_count);
    file->left_out_count = (uint32_t)changes->left_out_count;
    for (int32_t i = 0; i < changes->left_out_count; i++) {
        const ChangeLeftOut *left = &changes->left_out[i];
        file->left_out[i] = (FileLeftOut){.kind = change_kind_words(left->kind),
                                          .change = left->name[0] != '\0' ? left->name : NULL,
                                          .reason = left->reason};
    }
}

Json *advice_json(Arena *arena, const Advice *advice, const char *scenario)
{
    const Study *study = advice->study;
    const char *objective = study->metrics[study->goal->metric].name;
    AdviceFile file = {.scenario = scenario,
                       .maximised = study->goal->is_maximised ? objective : NULL,
                       .minimised = study->goal->is_maximised ? NULL : objective,
                       .seed_count = advice->seed_count,
                       .run_count = advice->run_count,
                       .before = metrics_of(arena, study, advice->before),
                       .before_count = (uint32_t)study->metric_count};
    fill_changes(arena, advice, scenario, &file);
    fill_left_out(arena, advice->changes, &file);
    return plain_write(arena, &advice_file_type, &file);
}
