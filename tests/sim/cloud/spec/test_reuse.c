#include "sim/cloud/spec/reuse.h"

#include "tests/support/suite.h"

static Arena *arena;

static const char *copy(const char *text)
{
    return arena_strdup(arena, text);
}

/* A new spec, with its own memory. */
static JobSpec *make_spec(void)
{
    static const Program program = {.kind = PROGRAM_FIXED};
    const char **mounts = ARENA_ARRAY(arena, const char *, 2);
    bool *is_blob_mount = ARENA_ARRAY(arena, bool, 2);
    OutputDirectory *outputs = ARENA_NEW(arena, OutputDirectory);
    EnvironmentVariable *environment = ARENA_ARRAY(arena, EnvironmentVariable, 2);
    mounts[0] = copy("a/data");
    mounts[1] = copy("a/blob:models");
    is_blob_mount[1] = true;
    *outputs = (OutputDirectory){.id = copy("MODEL"),
                                 .place = {.share = copy("a/data"), .directory = copy("out")},
                                 .suffix = copy("x")};
    environment[0] = (EnvironmentVariable){.name = copy("A"), .value = copy("1")};
    environment[1] = (EnvironmentVariable){.name = copy("KEY"), .secret = copy("hidden")};
    JobSpec *spec = ARENA_NEW(arena, JobSpec);
    spec->nodes = 2;
    spec->tool = copy("custom");
    spec->command = copy("python train.py");
    spec->script = (OutputPlace){.share = copy("a/data"), .directory = copy("train.py")};
    spec->script_path = copy("/mnt/train.py");
    spec->has_preparation = true;
    spec->preparation_command = copy("pip install x");
    spec->mount_count = 2;
    spec->mounts = mounts;
    spec->is_blob_mount = is_blob_mount;
    spec->std_out_err = (OutputPlace){.share = copy("a/data"), .directory = copy("logs")};
    spec->output_count = 1;
    spec->outputs = outputs;
    spec->environment_count = 2;
    spec->environment = environment;
    spec->queue = copy("q");
    spec->program = &program;
    return spec;
}

START_TEST(an_equal_spec_is_the_earlier_one)
{
    const JobSpec *earlier = make_spec();
    ck_assert_ptr_eq(job_spec_reuse(make_spec(), earlier), earlier);
}
END_TEST

/* The ways in which a spec may differ. */
static const Program other_program = {.kind = PROGRAM_SHELL};

#define CHANGES(X)                                                                                 \
    X(spec->nodes = 3)                                                                             \
    X(spec->tool = "horovod")                                                                      \
    X(spec->command = "python other.py")                                                           \
    X(spec->script.share = "b/data")                                                               \
    X(spec->script.directory = "other.py")                                                         \
    X(spec->script_path = NULL)                                                                    \
    X(spec->preparation_command = "")                                                              \
    X(spec->mount_count = 1)                                                                       \
    X(((const char **)spec->mounts)[1] = "a/blob:other")                                           \
    X(((bool *)spec->is_blob_mount)[0] = true)                                                     \
    X(spec->is_blob_mount = NULL)                                                                  \
    X(spec->std_out_err.share = NULL)                                                              \
    X(spec->std_out_err.directory = "other")                                                       \
    X(spec->output_count = 0)                                                                      \
    X(((OutputDirectory *)spec->outputs)[0].id = "OTHER")                                          \
    X(((OutputDirectory *)spec->outputs)[0].place.share = "b/data")                                \
    X(((OutputDirectory *)spec->outputs)[0].place.directory = "")                                  \
    X(((OutputDirectory *)spec->outputs)[0].suffix = "y")                                          \
    X(spec->environment_count = 1)                                                                 \
    X(((EnvironmentVariable *)spec->environment)[0].name = "B")                                    \
    X(((EnvironmentVariable *)spec->environment)[0].value = "2")                                   \
    X(((EnvironmentVariable *)spec->environment)[1].value = "hidden")                              \
    X(((EnvironmentVariable *)spec->environment)[1].secret = "other")                              \
    X(spec->queue = NULL)                                                                          \
    X(spec->max_wall_clock_ns = 1)                                                                 \
    X(spec->program = &other_program)

static void change(JobSpec *spec, int which)
{
    int at = 0;
#define X(change)                                                                                  \
    if (at++ == which)                                                                             \
        change;
    CHANGES(X)
#undef X
}

enum {
#define X(change) +1
    CHANGE_COUNT = 0 CHANGES(X)
#undef X
};

START_TEST(a_spec_that_differs_keeps_its_values)
{
    const JobSpec *earlier = make_spec(), *expected = make_spec();
    JobSpec *spec = make_spec();
    change(spec, _i);
    change((JobSpec *)expected, _i);
    ck_assert_ptr_eq(job_spec_reuse(spec, earlier), spec);
    // What is compared by content afterwards is what it was.
    ck_assert_ptr_eq(job_spec_reuse((JobSpec *)expected, spec), spec);
    // The rest is that of the earlier spec.
    const int same = (spec->tool == earlier->tool) + (spec->command == earlier->command) +
                     (spec->mounts == earlier->mounts) + (spec->outputs == earlier->outputs) +
                     (spec->environment == earlier->environment) + (spec->queue == earlier->queue);
    ck_assert_int_ge(same, 5);
}
END_TEST

START_TEST(names_of_a_path_are_used_again)
{
    const ResourcePath earlier = {copy("g"), copy("w"), copy("e"), copy("train")};
    const ResourcePath path =
        path_reuse((ResourcePath){copy("g"), copy("W"), NULL, copy("train")}, earlier);
    ck_assert_ptr_eq(path.group, earlier.group);
    ck_assert_str_eq(path.workspace, "W");
    ck_assert_ptr_null(path.experiment);
    ck_assert_ptr_eq(path.name, earlier.name);
}
END_TEST

static void set_up(void)
{
    arena = arena_create();
}

static void tear_down(void)
{
    arena_destroy(arena);
}

Suite *test_suite(void)
{
    TCase *cases = tcase_create("reuse");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, an_equal_spec_is_the_earlier_one);
    tcase_add_loop_test(cases, a_spec_that_differs_keeps_its_values, 0, CHANGE_COUNT);
    tcase_add_test(cases, names_of_a_path_are_used_again);
    Suite *suite = suite_create("reuse");
    suite_add_tcase(suite, cases);
    return suite;
}
