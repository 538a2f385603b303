/* Tests of real/launch/ranks.h with several ranks and this machine's mpirun. Exit code 77: mpirun
 * is not installed. */
#include "tests/real/launch/started_ranks.h"

/* Only rank 1 does it, at once. Rank 0 would continue for ten minutes. */
#define RANK_1 "[ $OMPI_COMM_WORLD_RANK = 1 ] || exec sleep 600; "

START_TEST(all_ranks_run_at_once_with_the_same_environment)
{
    setenv("OURS", "leaked", 1);
    // More than there are cores.
    const int32_t ranks = ranks_machine(arena).cores + 1;
    const RanksEnd how =
        run_ranks(ranks, "echo $OMPI_COMM_WORLD_SIZE $OWN$OURS >$OMPI_COMM_WORLD_RANK", INT64_MAX);
    ck_assert_int_eq(how.exit_code, 0);
    ck_assert_ptr_nonnull(warning);
    for (int32_t i = 0; i < ranks; i++)
        ck_assert_str_eq(contents(arena_printf(arena, "%d", (int)i)),
                         arena_printf(arena, "%d one two\n", (int)ranks));
}
END_TEST

START_TEST(the_first_rank_that_fails_ends_all_with_its_code)
{
    const struct {
        const char *script;
        int exit_code;
    } rows[] = {{RANK_1 "exit 3", 3},
                {RANK_1 "kill -KILL $$", 128 + SIGKILL},
                {RANK_1 "kill -SEGV $$", 128 + SIGSEGV}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const RanksEnd how = run_ranks(2, rows[i].script, INT64_MAX);
        ck_assert_int_eq(how.exit_code, rows[i].exit_code);
        ck_assert(!how.is_late && !how.is_stopped);
    }
}
END_TEST

#define SAYS_WHO "echo $$ >who$OMPI_COMM_WORLD_RANK; echo $PPID >mpirun; "

static void ranks_are_gone(void)
{
    ck_assert(goes(process_in("who0")));
    ck_assert(goes(process_in("who1")));
}

START_TEST(a_time_limit_ends_all_even_those_that_will_not)
{
    const RanksEnd how =
        run_ranks(2, SAYS_WHO "trap '' TERM; while :; do sleep 1; done", 700 * NS_PER_MS);
    ck_assert(how.is_late);
    ck_assert_int_ne(how.exit_code, 0);
    ranks_are_gone();
}
END_TEST

/* mpirun gives each rank a separate process group. */
START_TEST(ranks_are_gone_when_mpirun_is_killed)
{
    const RanksMachine machine = ranks_machine(arena);
    Status status = {0};
    RanksEnd how;
    Child child;
    ck_assert(start_ranks(&machine, 2, false, SAYS_WHO "trap '' TERM HUP; sleep 600; sleep 600",
                          &child, &status));
    process_in("who0");
    process_in("who1");
    ck_assert_int_eq(kill(process_in("mpirun"), SIGKILL), 0);
    ck_assert(ranks_run(&child, INT64_MAX, NULL, NULL, &how, &status));
    ck_assert_int_eq(how.exit_code, 128 + SIGKILL);
    ranks_are_gone();
}
END_TEST

START_TEST(ranks_are_gone_when_we_are_killed)
{
    const pid_t us = fork();
    if (us == 0) {
        run_ranks(2, SAYS_WHO "trap '' TERM HUP; sleep 600; sleep 600", INT64_MAX);
        _exit(0);
    }
    process_in("who0");
    process_in("who1");
    process_in("guarded");
    kill(us, SIGKILL);
    ranks_are_gone();
    ck_assert(goes(process_in("mpirun")));
}
END_TEST

static void terminate(void *context)
{
    int *asked = context;
    if (*contents("who0") && *contents("who1") && (*asked)++ == 0)
        raise(SIGTERM);
}

START_TEST(a_signal_to_us_ends_them)
{
    const RanksMachine machine = ranks_machine(arena);
    Status status = {0};
    RanksEnd how;
    Child child;
    int asked = 0;
    ck_assert(start_ranks(&machine, 2, false, SAYS_WHO "exec sleep 600", &child, &status));
    ck_assert(ranks_run(&child, INT64_MAX, terminate, &asked, &how, &status));
    ck_assert(how.is_stopped);
    ck_assert_int_eq(how.signal, SIGTERM);
    ranks_are_gone();
}
END_TEST

Suite *test_suite(void)
{
    enum { EXIT_SKIPPED = 77 };
    Arena *own = arena_create();
    const bool has_mpirun = ranks_machine(own).mpirun != NULL;
    arena_destroy(own);
    if (!has_mpirun) {
        puts("skipped: mpirun is not installed (Debian package: openmpi-bin)");
        exit(EXIT_SKIPPED);
    }
    Suite *suite = suite_create("ranks_mpi");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, all_ranks_run_at_once_with_the_same_environment);
    tcase_add_test(tests, the_first_rank_that_fails_ends_all_with_its_code);
    tcase_add_test(tests, a_time_limit_ends_all_even_those_that_will_not);
    tcase_add_test(tests, ranks_are_gone_when_mpirun_is_killed);
    tcase_add_test(tests, ranks_are_gone_when_we_are_killed);
    tcase_add_test(tests, a_signal_to_us_ends_them);
    suite_add_tcase(suite, tests);
    return suite;
}
