/* The reference of the formats: its examples are read without a problem. That scenarios/FORMAT.md
 * is up to date is tested by tests/cli/test_examples.sh. */
#include <string.h>

#include "sim/scenario/format/types.h"
#include "sim/scenario/parameters.h"
#include "sim/scenario/read.h"
#include "sim/scenario/reference.h"
#include "sim/schema/bind.h"
#include "tests/support/memory_files.h"
#include "tests/support/suite.h"

static Arena *arena;

static void setup(void)
{
    arena = arena_create();
}

static void teardown(void)
{
    arena_destroy(arena);
}

START_TEST(examples_fit_their_tables)
{
    for (const ReferenceExample *example = format_examples; example->type != NULL; example++) {
        Problems problems = problems_create(arena);
        Json *json = json_parse(arena, example->type->name, example->json, strlen(example->json),
                                JSON_STRICT, &problems);
        if (json != NULL)
            parameters_apply(parameters_read(arena, json, 0, NULL, &problems), json);
        if (json != NULL)
            bind_object(arena, json, example->type, &problems);
        ck_assert_msg(problems.count == 0, "%s: %s", example->type->name,
                      problems.count > 0 ? problems.items[0].message : "");
    }
}
END_TEST

START_TEST(the_example_of_a_program_needs_nothing_more)
{
    const ReferenceExample *example = format_examples;
    while (example->type != &program_type)
        example++;
    const char *text =
        arena_printf(arena,
                     "{\"trainyard\": 1, \"catalog\": [\"catalog/azure-2018.json\"], "
                     "\"programs\": [%s], \"commands\": []}",
                     example->json);
    MemoryFiles files = {0};
    Problems problems = problems_create(arena);
    memory_files_set_catalog(&files, arena, "catalog/");
    memory_files_set(&files, "scenario.json", text, strlen(text));
    (void)scenario_read(arena, memory_files_source(&files), "scenario.json", (ScenarioOverrides){0},
                        &problems);
    ck_assert_msg(problems.count == 0, "%s", problems.count > 0 ? problems.items[0].message : "");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("reference");
    TCase *group = tcase_create("reference");
    tcase_add_checked_fixture(group, setup, teardown);
    tcase_add_test(group, examples_fit_their_tables);
    tcase_add_test(group, the_example_of_a_program_needs_nothing_more);
    suite_add_tcase(suite, group);
    return suite;
}
