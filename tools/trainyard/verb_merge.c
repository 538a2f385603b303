/* trainyard merge: the journals of shards become one. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/cli/files.h"
#include "sim/study/journal/merge.h"
#include "tools/trainyard/verbs.h"

typedef struct {
    const char *output_folder;
} MergeOptions;

#define OWNER MergeOptions
static const Field merge_options[] = {
    OPTION_FOLDER('o', "output", output_folder, "DIR", "collect all runs in DIR (needed)"),
    {0},
};
#undef OWNER

static const OptionTable merge_table = {
    .name = "merge",
    .operands = "DIR...",
    .summary = "Joins the runs of shards: folders that `trainyard sweep --shard` wrote.",
    .details =
        "All folders must have runs of the same study, from the same version and catalogues. Runs "
        "that several folders have are counted once; they must agree in every bit, otherwise the "
        "exit code is 3. A merge can be repeated, and extended by more folders. `trainyard sweep "
        "STUDY -o DIR` then writes the tables, and runs what is still missing.",
    .example = "trainyard sweep scenarios/studies/poisson-nodes/study.json --shard 0/2 -o out/0\n"
               "trainyard sweep scenarios/studies/poisson-nodes/study.json --shard 1/2 -o out/1\n"
               "trainyard merge out/0 out/1 -o out/all\n"
               "trainyard sweep scenarios/studies/poisson-nodes/study.json -o out/all",
    .options = merge_options,
    .operand_count_min = 1,
    .operand_count_max = 1000000,
    .operand_kind = OPERANDS_FOLDERS,
};

static void print_merge(const JournalMerge *merge, int32_t folder_count, const char *target)
{
    const RunRecords *records = &merge->records;
    printf("%s: %" PRId64 " run%s of %" PRId32 " folder%s, %" PRId64 " of them new\n", target,
           records->count, plural(records->count), folder_count, plural(folder_count),
           merge->added_count);
    if (records->duplicate_count > 0)
        printf("%" PRId64 " record%s of runs that were there already; all agree\n",
               records->duplicate_count, plural(records->duplicate_count));
    if (records->torn_count > 0)
        printf("%" PRId32 " journal%s had a torn tail: %" PRId64
               " bytes of unfinished records were dropped\n",
               records->torn_count, plural(records->torn_count), records->torn_bytes);
    printf("`trainyard sweep STUDY -o %s` writes the tables and runs what is missing\n", target);
}

static int merge(Arena *arena, const Operands *operands, const char *target)
{
    Problems problems = problems_create(arena);
    JournalMerge merged;
    if (!target) {
        status_hint(problems_add(&problems, STATUS_BAD_INPUT, place_in("-o", 0, 0),
                                 "the folder for the joined runs is missing"),
                    "name it with -o DIR");
        return report_problems(&problems);
    }
    if (!journal_merge(arena, (const char *const *)operands->items, operands->count, target,
                       &merged, &problems))
        return report_problems(&problems);
    print_merge(&merged, operands->count, target);
    return EXIT_FINE;
}

static int run(int argc, char **argv)
{
    Arena *arena = arena_create();
    MergeOptions options = {0};
    Operands operands;
    int exit_code;
    if (options_read(&merge_table, arena, argc, argv, &options, &operands, &exit_code))
        exit_code = merge(arena, &operands, options.output_folder);
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_merge = {.options = &merge_table, .run = run};
