#include "trainer/run/signals.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/base/units.h"
#include "tests/support/suite.h"

START_TEST(a_process_records_the_signal_and_continues)
{
    signals_watch(1, true);
    signals_note_step(1, 1);
    ck_assert_int_eq(signals_received(), 0);
    raise(SIGTERM);
    ck_assert_int_eq(signals_received(), SIGTERM);
    signals_forget();
}
END_TEST

/* Sends signals to one of `ranks` ranks, in step 417 of `epoch` (0: before the training), with
 * `pause_ms` before the second one (0: there is none). Stores its message in `said`; returns its
 * exit code, 0 if it continues. */
static int send_to_rank(int32_t ranks, int64_t epoch, bool speaks, const int signals[2],
                        int64_t pause_ms, char *said)
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
        raise(signals[0]);
        if (signals[1] != 0) {
            nanosleep(&(struct timespec){.tv_nsec = pause_ms * NS_PER_MS}, NULL);
            raise(signals[1]);
        }
        _exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t more; (more = read(ends[0], said + length, SIGNALS_ROOM - length)) > 0;)
        length += (size_t)more;
    said[length] = '\0';
    close(ends[0]);
    ck_assert_int_eq(waitpid(child, &state, 0), child);
    ck_assert(WIFEXITED(state));
    return WEXITSTATUS(state);
}

#define END_OF(number)                                                                             \
    "trainyard: train: ended by signal " number " in epoch 3, step 417\n"                          \
    "  hint: continue with --resume logs/checkpoint-2.h5\n"
#define NOTICE_OF(number)                                                                          \
    "trainyard: train: signal " number " in epoch 3, step 417: ends after it with a checkpoint\n"  \
    "  hint: if it is killed before, continue with --resume logs/checkpoint-2.h5\n"

START_TEST(a_second_signal_ends_the_process_unless_it_says_nothing_new)
{
    enum { LATE_MS = 400 }; // later than mpirun passes a signal on
    static const struct {
        int32_t ranks;
        int signals[2];
        int64_t pause_ms;
        int exit_code;
        const char *said;
    } rows[] = {
        {1, {SIGTERM, 0}, 0, 0, ""},
        {1, {SIGINT, SIGINT}, 0, 128 + SIGINT, END_OF("2")},
        {1, {SIGUSR1, SIGTERM}, 0, 128 + SIGTERM, END_OF("15")},
        {1, {SIGUSR1, SIGUSR1}, 0, 0, ""},
        {1, {SIGTERM, SIGUSR1}, 0, 0, ""},
        {4, {SIGTERM, 0}, 0, 0, NOTICE_OF("15")},
        {4, {SIGUSR1, SIGUSR1}, 0, 0, NOTICE_OF("10")},
        {4, {SIGTERM, SIGTERM}, 0, 0, NOTICE_OF("15")},
        {4, {SIGTERM, SIGTERM}, LATE_MS, 128 + SIGTERM, NOTICE_OF("15") END_OF("15")},
        {4, {SIGTERM, SIGUSR1}, LATE_MS, 0, NOTICE_OF("15")},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char said[SIGNALS_ROOM + 1];
        ck_assert_int_eq(
            send_to_rank(rows[i].ranks, 3, true, rows[i].signals, rows[i].pause_ms, said),
            rows[i].exit_code);
        ck_assert_str_eq(said, rows[i].said);
    }
}
END_TEST

START_TEST(one_rank_reports_for_all)
{
    char said[SIGNALS_ROOM + 1];
    ck_assert_int_eq(send_to_rank(4, 3, false, (int[]){SIGTERM, 0}, 0, said), 0);
    ck_assert_str_eq(said, "");
    ck_assert_int_eq(send_to_rank(4, 0, false, (int[]){SIGTERM, 0}, 0, said), 128 + SIGTERM);
    ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(before_the_first_step_a_process_ends_at_once)
{
    char said[SIGNALS_ROOM + 1];
    for (int32_t ranks = 1; ranks <= 2; ranks++) {
        ck_assert_int_eq(send_to_rank(ranks, 0, true, (int[]){SIGTERM, 0}, 0, said), 128 + SIGTERM);
        ck_assert_str_eq(said, "trainyard: train: ended by signal 15 before the training began\n"
                               "  hint: continue with --resume logs/checkpoint-2.h5\n");
    }
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
    tcase_add_test(tests, a_process_records_the_signal_and_continues);
    tcase_add_test(tests, a_second_signal_ends_the_process_unless_it_says_nothing_new);
    tcase_add_test(tests, one_rank_reports_for_all);
    tcase_add_test(tests, before_the_first_step_a_process_ends_at_once);
    tcase_add_test(tests, before_the_first_checkpoint_the_hint_says_that_there_is_none);
    tcase_add_test(tests, a_file_beyond_the_limit_is_an_error_and_does_not_end_the_process);
    suite_add_tcase(suite, tests);
    return suite;
}
