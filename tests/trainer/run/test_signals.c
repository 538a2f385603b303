#include "trainer/run/signals.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/suite.h"

START_TEST(a_single_process_records_the_signal_and_continues)
{
    signals_watch(1, true);
    signals_note_step(1, 1);
    ck_assert_int_eq(signals_received(), 0);
    raise(SIGTERM);
    ck_assert_int_eq(signals_received(), SIGTERM);
    signals_forget();
}
END_TEST

START_TEST(a_second_signal_ends_a_single_process)
{
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        signals_watch(1, true);
        signals_note_step(1, 1);
        raise(SIGINT);
        raise(SIGINT);
        _exit(0);
    }
    int state;
    ck_assert_int_eq(waitpid(child, &state, 0), child);
    ck_assert(WIFSIGNALED(state));
    ck_assert_int_eq(WTERMSIG(state), SIGINT);
}
END_TEST

/* Sends SIGTERM to one of `ranks` ranks, in step 417 of `epoch` (0: before the training). Stores
 * its message in `said`; returns its exit code. */
static int end_rank(int32_t ranks, int64_t epoch, bool speaks, char *said, size_t room)
{
    int ends[2], state;
    ck_assert_int_eq(pipe(ends), 0);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        signals_watch(ranks, speaks);
        signals_note_step(epoch, 417);
        signals_note_checkpoint("logs/checkpoint-2.h5");
        raise(SIGTERM);
        _exit(0);
    }
    close(ends[1]);
    const ssize_t length = read(ends[0], said, room - 1);
    ck_assert_int_ge(length, 0);
    said[length] = '\0';
    close(ends[0]);
    ck_assert_int_eq(waitpid(child, &state, 0), child);
    ck_assert(WIFEXITED(state));
    return WEXITSTATUS(state);
}

START_TEST(one_rank_of_several_reports_its_step_and_ends)
{
    char said[SIGNALS_ROOM];
    ck_assert_int_eq(end_rank(4, 3, true, said, sizeof said), 128 + SIGTERM);
    ck_assert_str_eq(said, "trainyard: train: ended by signal 15 in epoch 3, step 417\n"
                           "  hint: continue with --resume logs/checkpoint-2.h5\n");
    ck_assert_int_eq(end_rank(4, 3, false, said, sizeof said), 128 + SIGTERM);
    ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(before_the_first_step_a_single_process_ends_at_once)
{
    char said[SIGNALS_ROOM];
    ck_assert_int_eq(end_rank(1, 0, true, said, sizeof said), 128 + SIGTERM);
    ck_assert_str_eq(said, "trainyard: train: ended by signal 15 before the training began\n"
                           "  hint: continue with --resume logs/checkpoint-2.h5\n");
}
END_TEST

START_TEST(before_the_first_checkpoint_the_hint_says_that_there_is_none)
{
    char said[SIGNALS_ROOM + 1];
    signals_watch(1, true);
    said[signals_message(SIGINT, said)] = '\0';
    ck_assert_str_eq(said, "trainyard: train: ended by signal 2 before the training began\n"
                           "  hint: there is no checkpoint yet\n");
    signals_forget();
}
END_TEST

START_TEST(a_file_beyond_the_limit_is_an_error_and_does_not_end_the_process)
{
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        const struct rlimit limit = {1000, 1000};
        char bytes[2000] = "";
        FILE *file = tmpfile();
        signals_watch(1, true);
        const bool is_refused =
            file && setrlimit(RLIMIT_FSIZE, &limit) == 0 &&
            (fwrite(bytes, 1, sizeof bytes, file) < sizeof bytes || fflush(file) != 0);
        _exit(is_refused ? 0 : 1);
    }
    int state;
    ck_assert_int_eq(waitpid(child, &state, 0), child);
    ck_assert(WIFEXITED(state));
    ck_assert_int_eq(WEXITSTATUS(state), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("signals");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_single_process_records_the_signal_and_continues);
    tcase_add_test(tests, a_second_signal_ends_a_single_process);
    tcase_add_test(tests, one_rank_of_several_reports_its_step_and_ends);
    tcase_add_test(tests, before_the_first_step_a_single_process_ends_at_once);
    tcase_add_test(tests, before_the_first_checkpoint_the_hint_says_that_there_is_none);
    tcase_add_test(tests, a_file_beyond_the_limit_is_an_error_and_does_not_end_the_process);
    suite_add_tcase(suite, tests);
    return suite;
}
