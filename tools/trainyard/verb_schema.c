/* trainyard schema: the formats, for editors and other tools. */
#include <stdio.h>

#include "sim/base/invariant.h"
#include "sim/cli/json_file.h"
#include "sim/scenario/format/schema.h"
#include "sim/scenario/reference.h"
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

static const OptionTable schema_table = {
    .name = "schema",
    .operands = "[scenario|cluster|job]",
    .summary = "Prints the JSON Schema of scenario files, cluster.json or job.json.",
    .example = "trainyard schema > scenario.schema.json\n"
               "trainyard schema job\n"
               "trainyard schema --markdown > FORMAT.md",
    .options = schema_options,
    .operand_count_max = 1,
    .operand_kind = OPERANDS_WORDS,
    .operand_words = schema_names,
};

static int print_schema(Arena *arena, const char *name)
{
    const Json *schema = schema_of(arena, name);
    invariant(schema != NULL); // options_read takes only the words of the table
    json_show(schema);
    return EXIT_FINE;
}

static int print_reference(void)
{
    Text text = {0};
    format_reference(&text);
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
        exit_code =
            arguments.is_markdown
                ? print_reference()
                : print_schema(arena, operands.count > 0 ? operands.items[0] : schema_names[0]);
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_schema = {.options = &schema_table, .run = schema};
