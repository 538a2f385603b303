/* trainyard schema: the file formats as JSON Schema, for editors and other tools. */
#include <stdio.h>

#include "sim/cli/json_file.h"
#include "sim/output/summary/metric.h"
#include "sim/scenario/catalog/schema.h"
#include "sim/scenario/format/batchai_types.h"
#include "sim/scenario/format/types.h"
#include "sim/scenario/reference.h"
#include "sim/schema/json_schema.h"
#include "sim/schema/reference.h"
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

static const char *const names[] = {"scenario", "cluster", "job", "catalog", "summary", NULL};
/* The type of each name. A catalogue has none, because its values have sources. */
static const ObjectType *const types[] = {&scenario_type, &cluster_file_type, &job_file_type, NULL,
                                          &summary_type};
_Static_assert(sizeof names / sizeof names[0] == sizeof types / sizeof types[0] + 1,
               "a type for each name");

static const OptionTable schema_table = {
    .name = "schema",
    .operands = "[scenario|cluster|job|catalog|summary]",
    .summary = "Prints the JSON Schema of scenario files, cluster.json, job.json, catalogues or "
               "summary.json.",
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
    const char *placeholder = type == &summary_type ? NULL : PARAMETER_PATTERN;
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
