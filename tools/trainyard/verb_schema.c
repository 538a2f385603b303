/* trainyard schema: the file formats as JSON Schema, for editors and other tools. */
#include <stdio.h>

#include "real/compare/answer.h"
#include "sim/cli/json_file.h"
#include "sim/output/summary/metric.h"
#include "sim/output/trace/reference.h"
#include "sim/scenario/catalog/schema.h"
#include "sim/scenario/catalog/transformer_shape.h"
#include "sim/scenario/format/batchai_types.h"
#include "sim/scenario/format/types.h"
#include "sim/scenario/joblist/job_list_file.h"
#include "sim/scenario/reference.h"
#include "sim/schema/json_schema.h"
#include "sim/schema/reference.h"
#include "sim/study/advice/advice_json.h"
#include "sim/study/answer/plan_csv.h"
#include "sim/study/answer/plan_json.h"
#include "sim/study/format/study_types.h"
#include "sim/study/jobs_table.h"
#include "tools/trainyard/answer/answer.h"
#include "tools/trainyard/answer/launch_answer.h"
#include "tools/trainyard/predict/network.h"
#include "tools/trainyard/predict/transformer_answer.h"
#include "tools/trainyard/train/bench_allreduce_answer.h"
#include "tools/trainyard/train/bench_training_answer.h"
#include "tools/trainyard/verbs.h"
#include "trainer/run/train_answer.h"

typedef struct {
    bool is_markdown;
} SchemaArguments;

#define OWNER SchemaArguments
static const Field schema_options[] = {
    OPTION_FLAG(0, "markdown", is_markdown, "print the reference of all formats as Markdown"),
    {0},
};
#undef OWNER

#define ANSWERS(X) /* what verbs print with --json */                                              \
    X("validate-answer", validate_answer_type)                                                     \
    X("test-answer", test_answer_type)                                                             \
    X("explain-answer", explain_answer_type)                                                       \
    X("diff-answer", diff_answer_type)                                                             \
    X("advise-answer", advice_file_type)                                                           \
    X("predict-answer", network_answer_type)                                                       \
    X("predict-transformer-answer", transformer_answer_type)                                       \
    X("launch-answer", launch_record_type)                                                         \
    X("compare-answer", compare_answer_type)                                                       \
    X("compare-table-answer", validation_answer_type)                                              \
    X("train-answer", train_answer_type)                                                           \
    X("bench-training-answer", bench_training_answer_type)                                         \
    X("bench-allreduce-answer", bench_allreduce_answer_type)                                       \
    X("problems-answer", problems_answer_type)

#define NAME(name, type) name,
#define TYPE(name, type) &type,
static const char *const names[] = {"scenario", "cluster", "job",  "catalog",         "study",
                                    "summary",  "model",   "plan", ANSWERS(NAME) NULL};
/* The type of each name. A catalogue has none, because its values have sources. */
static const ObjectType *const types[] = {
    &scenario_type, &cluster_file_type,      &job_file_type,  NULL,         &study_type,
    &summary_type,  &transformer_shape_type, &plan_file_type, ANSWERS(TYPE)};
enum { TYPES_WITH_PARAMETERS = 4, FIRST_ANSWER = 8 };
_Static_assert(sizeof names / sizeof names[0] == sizeof types / sizeof types[0] + 1,
               "a type for each name");

static const OptionTable schema_table = {
    .name = "schema",
    .operands = "[FORMAT]",
    .summary = "Prints the JSON Schema of a file format, or of the output of a verb with --json.",
    .details = "FORMAT is scenario, cluster or job (files of that name), catalog, study, summary "
               "(summary.json), model (model files of predict), plan (plan.json), or an answer: "
               "validate-answer, test-answer, explain-answer, diff-answer, advise-answer, "
               "predict-answer (of networks of images), predict-transformer-answer, launch-answer, "
               "compare-answer, compare-table-answer (of measured steps), train-answer, "
               "bench-training-answer, bench-allreduce-answer, and "
               "problems-answer, which validate, test, explain and diff print when they have no "
               "other. Without FORMAT: scenario.",
    .example = "trainyard schema > scenario.schema.json\n"
               "trainyard schema job\n"
               "trainyard schema --markdown > FORMAT.md",
    .options = schema_options,
    .operand_count_max = 1,
    .operand_kind = OPERANDS_WORDS,
    .operand_words = names,
};

static int print_schema(Arena *arena, const char *name)
{
    const int32_t index = word_list_find(names, name);
    const ObjectType *type = types[index];
    const char *id = arena_printf(arena, "https://trainyard.invalid/schema/%s.json", name);
    const char *placeholder = index < TYPES_WITH_PARAMETERS ? PARAMETER_PATTERN : NULL;
    const bool is_list = type == &launch_record_type; // launch prints a record of each job
    json_show(type != NULL ? json_schema(arena, type, id, type->doc, placeholder, is_list)
                           : catalog_schema(arena, id, "A trainyard catalogue."));
    return EXIT_FINE;
}

static int print_reference(void)
{
    Text text = {0};
    Reference reference = {0};
    format_reference(&text);
    text_add(&text, "\n## summary.json\n\n`trainyard run SCENARIO -o DIR` writes it. A member that "
                    "does not apply is absent: step_ms of a job that does not train, workloads of "
                    "a scenario without workloads. null means that something has not happened.\n");
    reference_add(&reference, &summary_type, &text);
    metric_reference(&text);
    text_add(&text, "\n## trace.tsv\n\n`trainyard run SCENARIO -o DIR` writes it. ");
    trace_reference(&text);
    job_list_reference(&text);
    text_add(&text,
             "\n## Studies\n\n`trainyard sweep STUDY -o DIR` reads a study: JSON with comments, as "
             "scenarios. A factor sets a parameter of the scenario, or the values at its "
             "pointers.\n");
    Reference studies = {.examples = study_examples};
    reference_add(&studies, &study_type, &text);
    text_add(&text,
             "\n### Tables of a study\n\n`trainyard sweep -o DIR` and `trainyard plan -o DIR` "
             "write tables of CSV. An empty cell is unknown; a column that ends in `_s` has "
             "seconds. `trainyard sqlite DIR` copies them into a database.\n");
    study_tables_reference(&text);
    jobs_table_reference(&text);
    plan_table_reference(&text);
    text_add(&text, "\n### plan.json\n\n`trainyard plan -o DIR` writes it. A member that does not "
                    "apply is absent, unless it may be null.\n");
    reference_add(&reference, &plan_file_type, &text);
    text_add(&text,
             "\n## Model files\n\n`trainyard predict --model FILE.json` reads a transformer: "
             "JSON with comments, as scenarios.\n");
    reference_add(&reference, &transformer_shape_type, &text);
    text_add(&text, "\n## Answers\n\nThe outputs of `validate`, `test`, `explain`, `diff`, "
                    "`advise`, `predict`, `launch`, `compare`, `train` and the benchmarks with "
                    "`--json`. The first four print their problems alone if they have no "
                    "answer.\n");
    for (size_t i = FIRST_ANSWER; i < sizeof types / sizeof types[0]; i++)
        reference_add(&reference, types[i], &text);
    fputs(text_string(&text), stdout);
    text_free(&text);
    return EXIT_FINE;
}

static int schema(int argc, char **argv)
{
    Arena *arena = arena_create();
    SchemaArguments arguments = {0};
    Operands operands;
    int exit_code;
    if (options_read(&schema_table, arena, argc, argv, &arguments, &operands, &exit_code))
        exit_code = arguments.is_markdown
                        ? print_reference()
                        : print_schema(arena, operands.count > 0 ? operands.items[0] : names[0]);
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_schema = {.options = &schema_table, .run = schema};
