/* The random scenario files: valid, the same everywhere, and of everything that there is. The runs
 * of whole programs over them are tools/swarm.sh's. */
#include <string.h>

#include "sim/base/units.h"
#include "sim/cli/report.h"
#include "sim/cloud/world.h"
#include "sim/scenario/format/types.h"
#include "sim/scenario/read.h"
#include "tests/support/json_shrink.h"
#include "tests/support/memory_files.h"
#include "tests/support/suite.h"
#include "tests/support/swarm_scenario.h"
#include "tests/support/theory.h"
#include "tests/support/worlds.h"

enum { SEEDS = 900 };

static const char *text_of(Arena *arena, const Json *root)
{
    Text text = {0};
    json_print(&text, root, JSON_INDENTED);
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

static MemoryFiles files_of(Arena *arena, const char *scenario)
{
    MemoryFiles files = small_scenario(arena);
    memory_files_set_catalog(&files, arena, "scenarios/catalog/");
    memory_files_set(&files, "scenario.json", scenario, strlen(scenario));
    return files;
}

static const ScenarioFile *read_seed(Arena *arena, uint64_t seed, uint32_t features)
{
    MemoryFiles files = files_of(arena, text_of(arena, swarm_scenario(arena, seed, features)));
    Problems problems = problems_create(arena);
    const ScenarioFile *file = scenario_read(arena, memory_files_source(&files), "scenario.json",
                                             (ScenarioOverrides){0}, &problems);
    Text text = {0};
    problems_print(&problems, false, &text);
    ck_assert_msg(file != NULL, "seed %d:\n%s", (int)seed, text_string(&text));
    text_free(&text);
    return file;
}

START_TEST(every_scenario_is_valid_and_holds_together)
{
    for (uint64_t seed = 1; seed <= (uint64_t)case_count(SEEDS); seed++) {
        Arena *arena = arena_create();
        const ScenarioFile *file = read_seed(arena, seed, swarm_features_built());
        Scenario scenario = file->scenario;
        for (uint64_t shuffle = 0; shuffle < 2; shuffle++) {
            scenario.shuffle_seed = shuffle * seed;
            World *world = world_create(arena, &scenario, (TraceSink){0});
            world_check_always(world);
            world_run(world);
        }
        arena_destroy(arena);
    }
}
END_TEST

START_TEST(a_seed_is_the_same_text_every_time)
{
    Arena *arena = arena_create();
    const char *first = text_of(arena, swarm_scenario(arena, 7, UINT32_MAX));
    ck_assert_str_eq(first, text_of(arena, swarm_scenario(arena, 7, UINT32_MAX)));
    ck_assert_str_ne(first, text_of(arena, swarm_scenario(arena, 8, UINT32_MAX)));
    arena_destroy(arena);
}
END_TEST

START_TEST(a_feature_more_leaves_the_others_as_they_were)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Arena *arena = arena_create();
        const Json *without = swarm_scenario(arena, seed, 0);
        const Json *with = swarm_scenario(arena, seed, UINT32_C(1) << SWARM_NETWORK);
        for (const Json *member = without->first; member != NULL; member = member->next)
            ck_assert_str_eq(text_of(arena, member),
                             text_of(arena, json_member(with, member->key)));
        arena_destroy(arena);
    }
}
END_TEST

/* --- Everything that there is --- */

static bool has_key(const Json *node, const char *key)
{
    if (node->key != NULL && strcmp(node->key, key) == 0)
        return true;
    for (const Json *child = node->first; child != NULL; child = child->next)
        if (has_key(child, key))
            return true;
    return false;
}

static bool has_word(const Json *node, const char *word)
{
    if (node->kind == JSON_STRING && strcmp(node->text, word) == 0)
        return true;
    for (const Json *child = node->first; child != NULL; child = child->next)
        if (has_word(child, word))
            return true;
    return false;
}

static void expect_all(const Json *all, const char *const *words, size_t count,
                       bool (*is_there)(const Json *node, const char *word))
{
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(is_there(all, words[i]), "no scenario has \"%s\"", words[i]);
}

/* Expects all keys of one level of the format. Left out are keys without effect on a run, and keys
 * that the emulator writes, which tests/emu/session/test_session.c draws, workload files, which
 * tests/sim/cloud/job/test_listed.c draws, transformers, which tests/sim/cloud/test_world_random.c
 * draws, speeds and the choice of kinds, which tests/sim/cloud/job/test_kinds.c draws, and scripts,
 * which tests/sim/cloud/job/test_script.c tests. */
static void expect_keys(const Json *all, const ObjectType *type)
{
    static const char *const left_out[] = {
        "$schema",          "api_faults",        "expect",   "session",    "trace",
        "cores_and_memory", "stop_at_requested", "resample", "load",       "script",
        "gpu_type",         "transformer",       "speeds",   "kind_choice"};
    for (const Field *field = type->fields; field->name != NULL; field++) {
        bool is_left_out = false;
        for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++)
            is_left_out |= strcmp(field->name, left_out[i]) == 0;
        ck_assert_msg(is_left_out || has_key(all, field->name), "no scenario has a %s with \"%s\"",
                      type->name, field->name);
    }
}

START_TEST(every_key_and_every_word_of_the_format_comes_up)
{
    static const char *const policies[] = {
#define X(name, function, text, sight, first, victim, what) text,
        POLICIES(X)
#undef X
    };
    static const char *const arrivals[] = {
#define X(name, text) text,
        ARRIVALS(X)
#undef X
    };
    static const char *const recoveries[] = {
#define X(name, text) text,
        NODE_RECOVERIES(X)
#undef X
    };
    Arena *arena = arena_create();
    Json *all = json_array(arena);
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        json_add(all, swarm_scenario(arena, seed, UINT32_MAX));
    for (int kind = 0; kind < COMMAND_KIND_COUNT; kind++)
        // Only sessions set programs: tests/emu/control/test_control.c does.
        ck_assert_msg(kind == COMMAND_PROGRAM_SET || has_word(all, command_name((CommandKind)kind)),
                      "no scenario has \"%s\"", command_name((CommandKind)kind));
#define EXPECT_WORDS(list) expect_all(all, list, sizeof(list) / sizeof(list)[0], has_word)
    EXPECT_WORDS(policies);
    EXPECT_WORDS(arrivals);
    EXPECT_WORDS(recoveries);
#undef EXPECT_WORDS
    const ObjectType *const types[] = {&scenario_type, &program_type,        &group_type,
                                       &failures_type, &fault_type,          &network_type,
                                       &workload_type, &preemption_cost_type};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        expect_keys(all, types[i]);
    arena_destroy(arena);
}
END_TEST

/* The records of a run, counted by kind and by cause. */
typedef struct {
    int32_t kinds[TRACE_KIND_COUNT];
    int32_t causes[CAUSE_COUNT];
} Heard;

static void hear(void *listener, const TraceRecord *record)
{
    Heard *heard = listener;
    heard->kinds[record->kind]++;
    heard->causes[record->cause]++;
}

START_TEST(everything_that_can_be_told_is_told_for_every_reason)
{
    Heard heard = {0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Arena *arena = arena_create();
        const ScenarioFile *file = read_seed(arena, seed, swarm_features_built());
        world_run(world_create(
            arena, &file->scenario,
            (TraceSink){.listener = &heard, .level = TRACE_LEVEL_STEPS, .record = hear}));
        arena_destroy(arena);
    }
    for (int k = 0; k < TRACE_KIND_COUNT; k++)
        ck_assert_msg(heard.kinds[k] > 0, "no record of kind %s", trace_kind_name((TraceKind)k));
    // The record of a requested fault has its kind (a crash, a preemption), not that a scenario
    // requested it.
    for (int c = 0; c < CAUSE_COUNT; c++)
        ck_assert_msg(heard.causes[c] > 0, "nothing happens because of %s",
                      trace_cause_name((TraceCause)c));
}
END_TEST

/* --- Metamorphic --- */

static void mix(uint64_t *sum, int64_t value)
{
    *sum = (*sum ^ (uint64_t)value) * UINT64_C(0x100000001b3);
}

/* All of a record but its name: names of nodes have the date. */
static void hear_numbers(void *listener, const TraceRecord *record)
{
    uint64_t *sum = listener;
    mix(sum, record->kind);
    mix(sum, record->at_ns);
    mix(sum, record->since_ns);
    mix(sum, record->cluster.index);
    mix(sum, record->node.index);
    mix(sum, record->job.index);
    mix(sum, record->share.index);
    mix(sum, record->bytes);
    mix(sum, record->cause);
    for (int i = 0; i < TRACE_VALUES && trace_kind_values(record->kind)[i].name != NULL; i++)
        mix(sum, record->in_order[i]);
}

START_TEST(a_run_that_starts_weeks_later_is_the_same_run)
{
    const int64_t week_ms = 7 * (NS_PER_DAY / NS_PER_MS);
    for (uint64_t seed = 1; seed <= (uint64_t)case_count(150); seed++) {
        Arena *arena = arena_create();
        const ScenarioFile *file = read_seed(arena, seed, swarm_features_built());
        uint64_t sums[2] = {0};
        for (int later = 0; later < 2; later++) {
            Scenario scenario = file->scenario;
            scenario.start_unix_ms += later * (int64_t)(1 + seed % 500) * week_ms;
            world_run(world_create(arena, &scenario,
                                   (TraceSink){.listener = &sums[later],
                                               .level = TRACE_LEVEL_STEPS,
                                               .record = hear_numbers}));
        }
        ck_assert_msg(sums[0] == sums[1], "seed %d", (int)seed);
        arena_destroy(arena);
    }
}
END_TEST

/* --- Shrinking --- */

static Json *parse(Arena *arena, const char *text)
{
    Problems problems = problems_create(arena);
    Json *root = json_parse(arena, "test", text, strlen(text), JSON_STRICT, &problems);
    ck_assert(root != NULL);
    return root;
}

static const char *compact(Arena *arena, const Json *root)
{
    Text text = {0};
    json_print(&text, root, JSON_COMPACT);
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

static bool has_three_and_five(void *context, const Json *root)
{
    ++*(int32_t *)context;
    bool has_three = false, has_five = false;
    const Json *list = json_member(root, "list");
    for (const Json *item = list ? list->first : NULL; item != NULL; item = item->next) {
        has_three |= item->is_integer && item->integer == 3;
        has_five |= item->is_integer && item->integer == 5;
    }
    return has_three && has_five;
}

START_TEST(a_text_shrinks_to_what_shows_it)
{
    Arena *arena = arena_create();
    int32_t asks = 0;
    const Json *root = parse(arena, "{\"a\": {\"b\": [1, 2]}, \"list\": [0, 1, 2, 3, 4, 5, 6, 7, 8,"
                                    " 9], \"c\": null, \"d\": true, \"e\": \"text\"}");
    const Json *small = json_shrink(arena, root, has_three_and_five, &asks, 1000);
    ck_assert_str_eq(compact(arena, small), "{\"list\":[3,5]}");
    ck_assert_int_lt(asks, 100);
    arena_destroy(arena);
}
END_TEST

START_TEST(a_text_of_which_all_is_needed_stays)
{
    Arena *arena = arena_create();
    int32_t asks = 0;
    const Json *root = parse(arena, "{\"list\":[3,5]}");
    ck_assert_str_eq(compact(arena, json_shrink(arena, root, has_three_and_five, &asks, 1000)),
                     "{\"list\":[3,5]}");
    arena_destroy(arena);
}
END_TEST

START_TEST(it_asks_no_more_often_than_it_may)
{
    Arena *arena = arena_create();
    int32_t asks = 0;
    const Json *root = parse(arena, "{\"list\":[3,5,6,7,8,9,10,11,12]}");
    const Json *small = json_shrink(arena, root, has_three_and_five, &asks, 3);
    ck_assert_int_eq(asks, 3);
    ck_assert(has_three_and_five(&asks, small));
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("swarm");
    TCase *tests = tcase_create("swarm");
    tcase_add_test(tests, every_scenario_is_valid_and_holds_together);
    tcase_add_test(tests, a_seed_is_the_same_text_every_time);
    tcase_add_test(tests, a_feature_more_leaves_the_others_as_they_were);
    tcase_add_test(tests, every_key_and_every_word_of_the_format_comes_up);
    tcase_add_test(tests, everything_that_can_be_told_is_told_for_every_reason);
    tcase_add_test(tests, a_run_that_starts_weeks_later_is_the_same_run);
    tcase_add_test(tests, a_text_shrinks_to_what_shows_it);
    tcase_add_test(tests, a_text_of_which_all_is_needed_stays);
    tcase_add_test(tests, it_asks_no_more_often_than_it_may);
    suite_add_tcase(suite, tests);
    return suite;
}
