/* trainyard schema: the file formats as JSON Schema, for editors and other tools. */
#include <stdio.h>

#include "sim/cli/json_file.h"
#include "sim/output/summary/metric.h"
#include "sim/scenario/catalog/schema.h"
#include "sim/scenario/catalog/transformer_shape.h"
#include "sim/scenario/format/batchai_types.h"
#include "sim/scenario/format/types.h"
#include "sim/scenario/reference.h"
#include "sim/schema/json_schema.h"
#include "sim/schema/reference.h"
#include "sim/study/format/study_types.h"
#include "tools/trainyard/verbs.h"

typedef struct {
    bool is_markdown;
} SchemaArguments;

#define OWNER SchemaArguments
static const Field schema_options[] = {
    OPTION_FLAG(0, "markdown", is_markdown, "print the reference of all formats as Markdown"),
    {0},
};
#undef OWNER

static const char *const names[] = {"scenario", "cluster", "job",   "catalog",
                                    "study",    "summary", "model", NULL};
/* The type of each name. A catalogue has none, because its values have sources. */
static const ObjectType *const types[] = {
    &scenario_type, &cluster_file_type, &job_file_type,         NULL,
    &study_type,    &summary_type,      &transformer_shape_type};
_Static_assert(sizeof names / sizeof names[0] == sizeof types / sizeof types[0] + 1,
               "a type for each name");

static const OptionTable schema_table = {
    .name = "schema",
    .operands = "[scenario|cluster|job|catalog|study|summary|model]",
    .summary = "Prints the JSON Schema of scenario files, cluster.json, job.json, catalogues, "
               "studies, summary.json or the model files of predict.",
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
    const ObjectType *type = types[word_list_find(names, name)];
    const char *id = arena_printf(arena, "https://trainyard.invalid/schema/%s.json", name);
    const bool has_parameters =
        type != &summary_type && type != &study_type && type != &transformer_shape_type;
    const char *placeholder = has_parameters ? PARAMETER_PATTERN : NULL;
    json_show(type != NULL ? json_schema(arena, type, id, type->doc, placeholder)
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
    text_add(&text,
             "\n## Studies\n\n`trainyard sweep STUDY -o DIR` reads a study: JSON with comments, as "
             "scenarios. A factor sets a parameter of the scenario, or the values at its "
             "pointers.\n");
    Reference studies = {.examples = study_examples};
    reference_add(&studies, &study_type, &text);
    text_add(&text,
             "\n## Model files\n\n`trainyard predict --model FILE.json` reads a transformer: "
             "JSON with comments, as scenarios.\n");
    reference_add(&reference, &transformer_shape_type, &text);
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
