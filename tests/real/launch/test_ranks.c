/* Tests of real/launch/ranks.h with one rank, and of plans that it refuses. mpi/test_ranks.c has
 * several ranks. */
#include "tests/real/launch/started_ranks.h"

START_TEST(one_rank_is_the_program_itself)
{
    setenv("OURS", "leaked", 1);
    setenv("OMPI_MCA_ours", "leaked", 1);
    const RanksEnd how =
        run_ranks(1, "pwd; echo $OWN$OURS; env | grep -c OMPI; echo bad >&2; exit 7", INT64_MAX);
    ck_assert_int_eq(how.exit_code, 7);
    ck_assert(!how.is_late && !how.is_stopped && how.signal == 0);
    ck_assert_int_gt(how.took_ns, 0);
    ck_assert_str_eq(contents("out"), arena_printf(arena, "%s\none two\n0\n", folder));
    ck_assert_str_eq(contents("error"), "bad\n");
    ck_assert_ptr_null(warning);
}
END_TEST

START_TEST(a_killed_rank_returns_128_plus_the_signal)
{
    ck_assert_int_eq(run_ranks(1, "kill -KILL $$", INT64_MAX).exit_code, 128 + SIGKILL);
}
END_TEST

START_TEST(a_time_limit_asks_it_to_end)
{
    const RanksEnd how =
        run_ranks(1, "trap 'kill %1; exit 5' TERM; sleep 600 & wait", 100 * NS_PER_MS);
    ck_assert(how.is_late && !how.is_stopped);
    ck_assert_int_eq(how.exit_code, 5);
    ck_assert_int_ge(how.took_ns, 100 * NS_PER_MS);
}
END_TEST

/* Sends two signals; the second arrives before the rank has ended and kills it. */
static void ask_twice(void *context)
{
    int *asked = context;
    // Not before the shell ignores SIGTERM.
    if (*contents("out") && ++*asked <= 2)
        raise(*asked == 1 ? SIGINT : SIGTERM);
}

START_TEST(signals_end_it_instead_of_us_and_a_second_one_kills)
{
    const RanksMachine machine = ranks_machine(arena);
    Status status = {0};
    RanksEnd how;
    Child child;
    int asked = 0;
    ck_assert(start_ranks(&machine, 1, false, "trap '' TERM; echo; sleep 600; sleep 600", &child,
                          &status));
    ck_assert(ranks_run(&child, INT64_MAX, ask_twice, &asked, &how, &status));
    ck_assert(how.is_stopped && !how.is_late);
    ck_assert_int_eq(how.signal, SIGINT);
    ck_assert_int_eq(how.exit_code, 128 + SIGKILL);
    ck_assert_int_lt(how.took_ns, 4 * NS_PER_S); // sooner than without the second
}
END_TEST

static void interrupt(void *context)
{
    (void)context;
    raise(SIGINT);
}

START_TEST(a_signal_that_we_ignore_ends_nothing)
{
    const RanksMachine machine = ranks_machine(arena);
    Status status = {0};
    RanksEnd how;
    Child child;
    signal(SIGINT, SIG_IGN);
    ck_assert(start_ranks(&machine, 1, false, "sleep 0.5; exit 4", &child, &status));
    ck_assert(ranks_run(&child, INT64_MAX, interrupt, NULL, &how, &status));
    ck_assert_int_eq(how.exit_code, 4);
    ck_assert(!how.is_stopped);
}
END_TEST

START_TEST(a_rank_ends_with_this_process)
{
    const pid_t us = fork();
    if (us == 0) {
        run_ranks(1, "echo $$ >who; sleep 600", INT64_MAX);
        _exit(0);
    }
    const pid_t who = process_in("who");
    ck_assert_int_gt(who, 1);
    process_in("guarded");
    kill(us, SIGKILL);
    ck_assert(goes(who));
}
END_TEST

/* No program starts here: the plan is refused because of `machine`. */
START_TEST(an_impossible_plan_is_refused_with_a_hint)
{
    const struct {
        RanksMachine machine;
        int32_t ranks;
        bool is_on_gpus;
        const char *message, *hint;
    } rows[] = {
        {{.cores = 8}, 2, false, "2 ranks need it", "openmpi-bin"},
        {{.cores = 8, .gpus = 1, .mpirun = "/nowhere/mpirun"},
         2,
         true,
         "2 ranks need a GPU each, but this machine has 1",
         "at most 1 rank"},
        {{.cores = 8}, 1, true, "has no NVIDIA driver", "/dev/nvidia0"},
        {{.cores = 8, .mpirun = "/nowhere/mpirun"}, 2, false, "cannot start", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Status status = {0};
        Child child;
        ck_assert(!start_ranks(&rows[i].machine, rows[i].ranks, rows[i].is_on_gpus, "exit", &child,
                               &status));
        ck_assert_int_eq(status.code, STATUS_MACHINE);
        ck_assert_msg(strstr(status.message, rows[i].message), "%s", status.message);
        ck_assert_msg(strstr(status.hint, rows[i].hint), "%s", status.hint);
        ck_assert_int_eq(child.process, 0);
    }
}
END_TEST

START_TEST(a_missing_program_is_named)
{
    const RanksMachine machine = {.cores = 2, .mpirun = "/bin/true"};
    char *const none[] = {NULL};
    Status status = {0};
    Child child;
    for (int32_t ranks = 1; ranks <= 2; ranks++) {
        const RanksPlan plan = {.program = "/nowhere/trainyard-train",
                                .arguments = none,
                                .environment = none,
                                .directory = "/",
                                .ranks = ranks,
                                .out = STDOUT_FILENO,
                                .error = STDERR_FILENO};
        ck_assert(!ranks_start(arena, &machine, &plan, &child, &warning, &status));
        ck_assert_int_eq(status.code, STATUS_MACHINE);
        ck_assert_str_eq(status.at.source, "/nowhere/trainyard-train");
    }
}
END_TEST

/* A program that replaces mpirun prints its arguments. */
START_TEST(ranks_beyond_the_cores_share_them_with_a_warning)
{
    const char *mpirun = arena_printf(arena, "%s/mpirun", folder);
    static const char script[] =
        "#!/bin/sh\nprintf '%s ' \"$@\" | sed 's/--allow-run-as-root //'\n";
    temporary_file_write(folder, "mpirun", script, strlen(script));
    ck_assert_int_eq(chmod(mpirun, 0700), 0);
    const struct {
        int32_t cores;
        const char *said, *told;
    } rows[] = {
        {4, NULL, "-n 4 --use-hwthread-cpus --bind-to none /bin/sh -c a "},
        {3, "4 ranks on 3 cores: they take turns, and each step waits for the last",
         "-n 4 --use-hwthread-cpus --bind-to none --oversubscribe --mca mpi_yield_when_idle 1 "
         "/bin/sh -c a "},
        {1, "4 ranks on 1 core: they take turns, and each step waits for the last",
         "-n 4 --use-hwthread-cpus --bind-to none --oversubscribe --mca mpi_yield_when_idle 1 "
         "/bin/sh -c a "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const RanksMachine machine = {.cores = rows[i].cores, .mpirun = mpirun};
        Status status = {0};
        RanksEnd how;
        Child child;
        ck_assert_msg(start_ranks(&machine, 4, false, "a", &child, &status), "%s", status.message);
        ck_assert(ranks_run(&child, INT64_MAX, NULL, NULL, &how, &status));
        ck_assert_pstr_eq(warning, rows[i].said);
        ck_assert_str_eq(contents("out"), rows[i].told);
    }
}
END_TEST

START_TEST(mpirun_is_found_on_path_and_cores_are_those_we_may_use)
{
    const char *mpirun = arena_printf(arena, "%s/mpirun", folder);
    setenv("PATH", folder, 1);
    ck_assert_ptr_null(ranks_machine(arena).mpirun);
    temporary_file_write(folder, "mpirun", "", 0);
    ck_assert_int_eq(chmod(mpirun, 0600), 0);
    if (geteuid() != 0) // root may execute any executable file
        ck_assert_ptr_null(ranks_machine(arena).mpirun);
    ck_assert_int_eq(chmod(mpirun, 0700), 0);
    setenv("PATH", arena_printf(arena, "relative::/nowhere:%s", folder), 1);
    const RanksMachine machine = ranks_machine(arena);
    ck_assert_str_eq(machine.mpirun, mpirun);
    ck_assert_int_ge(machine.cores, 1);
    ck_assert_int_ge(machine.gpus, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("ranks");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, one_rank_is_the_program_itself);
    tcase_add_test(tests, a_killed_rank_returns_128_plus_the_signal);
    tcase_add_test(tests, a_time_limit_asks_it_to_end);
    tcase_add_test(tests, signals_end_it_instead_of_us_and_a_second_one_kills);
    tcase_add_test(tests, a_signal_that_we_ignore_ends_nothing);
    tcase_add_test(tests, a_rank_ends_with_this_process);
    tcase_add_test(tests, an_impossible_plan_is_refused_with_a_hint);
    tcase_add_test(tests, a_missing_program_is_named);
    tcase_add_test(tests, ranks_beyond_the_cores_share_them_with_a_warning);
    tcase_add_test(tests, mpirun_is_found_on_path_and_cores_are_those_we_may_use);
    suite_add_tcase(suite, tests);
    return suite;
}
