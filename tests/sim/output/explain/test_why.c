#include <string.h>

#include "sim/output/explain/why.h"
#include "tests/support/suite.h"
#include "tests/support/trace_story.h"

static Arena *arena;

static void begin(void)
{
    arena = arena_create();
}

static void end(void)
{
    arena_destroy(arena);
}

static const char *story_of(const char *job, const char *const *lines)
{
    Why *why = why_create(arena, job);
    trace_story_tell(arena, lines, why_listener(why));
    Text text = {0};
    Status status = {0};
    ck_assert_msg(why_print(&text, why, &status), "%s", status.message);
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

#define ATTEMPT "exchange_ns=0 input_ns=0 gang_ns=0 startup_ns=0 checkpoint_ns=0 "

/* Autoscale, a quota, a node that cannot mount, two nodes, a preemption, a crash that is noticed
 * late, and a program that fails in the end. */
static const char *const hard_life[] = {
    "0s 0s cluster_provisioning w/gpu - - - - creating -",
    "0s 0s job_provisioning w/gpu - w/e/first - - creating -",
    "0s 0s job_state w/gpu - w/e/first - - queued exit_code=-1",
    "60s 60s job_provisioning w/gpu - w/e/train - - creating -",
    "60s 60s job_state w/gpu - w/e/train - - queued exit_code=-1",
    "300s 300s cluster_allocation:autoscale w/gpu - - - - resizing target=4 current=0",
    "300s 300s cluster_error:quota w/gpu - - - - AccountCoreQuotaReached -",
    "400s 300s cluster_allocation:autoscale w/gpu - - - - steady target=4 current=3",
    "400s 400s node_state:autoscale w/gpu n1 - - - preparing was=5",
    "400s 400s node_state:autoscale w/gpu n2 - - - preparing was=5",
    "400s 400s node_state:autoscale w/gpu n3 - - - preparing was=5",
    "500s 500s node_error:mount_failure w/gpu n3 - - - AZFMountError -",
    "500s 400s node_state:mount_failure w/gpu n3 - - - unusable was=0",
    "520s 400s node_state w/gpu n1 - - - idle was=0",
    "520s 0s job_state w/gpu - w/e/first - - running exit_code=-1",
    "520s 520s node_state w/gpu n1 w/e/first - - running was=1",
    "530s 400s node_state w/gpu n2 - - - idle was=0",
    "600s 520s job_state w/gpu - w/e/first - - succeeded exit_code=0",
    "600s 520s node_state w/gpu n1 - - - idle was=2",
    "602s 60s job_state w/gpu - w/e/train - - running exit_code=-1",
    "602s 520s node_state w/gpu n1 w/e/train - - running was=1",
    "602s 530s node_state w/gpu n2 w/e/train - - running was=1",
    "610s 602s job_stage w/gpu n1 w/e/train - - mount -",
    "612s 602s job_stage w/gpu n2 w/e/train - - mount -",
    "640s 610s job_stage w/gpu n1 w/e/train - - start -",
    "640s 612s job_stage w/gpu n2 w/e/train - - start -",
    "640s 640s job_training w/gpu - w/e/train - - - ranks=2 steps=100 epochs=9",
    "970s 970s node_notice:preemption w/gpu n2 w/e/train - - - notice_ns=30s",
    // A node that the service frees and then releases is one loss.
    "1000s 602s job_attempt:preemption w/gpu - w/e/train - - lost nodes=2 kept_ns=676s " ATTEMPT
    "lost_ns=120s epochs_kept=4",
    "1000s 602s job_state:preemption w/gpu - w/e/train - - queued exit_code=-1",
    "1000s 602s node_state w/gpu n1 - - - idle was=2",
    "1000s 602s node_state w/gpu n2 - - - idle was=2",
    "1000s 1000s node_state:preemption w/gpu n2 - - - released was=1",
    "1000s 400s cluster_allocation:replacement w/gpu - - - - resizing target=3 current=2",
    "1100s 1000s cluster_allocation:replacement w/gpu - - - - steady target=3 current=3",
    "1100s 1100s node_state:replacement w/gpu n4 - - - preparing was=5",
    "1200s 1100s node_state w/gpu n4 - - - idle was=0",
    "1200s 1000s job_state w/gpu - w/e/train - - running exit_code=-1",
    "1200s 1000s node_state w/gpu n1 w/e/train - - running was=1",
    "1200s 1200s node_state w/gpu n4 w/e/train - - running was=1",
    "1210s 1210s job_resumed w/gpu - w/e/train - - checkpoint-4.h5 epochs=4",
    "1210s 1210s job_training w/gpu - w/e/train - - - ranks=2 steps=100 epochs=5",
    "1300s 1300s job_stalled:crash w/gpu n4 w/e/train - - - -",
    "1600s 1200s job_attempt:crash w/gpu - w/e/train - - lost nodes=2 kept_ns=200s " ATTEMPT
    "lost_ns=600s epochs_kept=4",
    "1600s 1600s node_error:crash w/gpu n4 - - - InternalError:\\snode\\sn4:\\sno\\spower -",
    "1600s 1200s node_state:crash w/gpu n4 - - - unusable was=2",
    "1600s 1200s node_state w/gpu n1 - - - idle was=2",
    "1600s 1600s job_state:crash w/gpu - w/e/train - - queued exit_code=-1",
    // The job has its nodes again in the same instant.
    "1600s 1600s node_state w/gpu n5 - - - idle was=0",
    "1600s 1600s job_state w/gpu - w/e/train - - running exit_code=-1",
    "1600s 1600s node_state w/gpu n1 w/e/train - - running was=1",
    "1600s 1600s node_state w/gpu n5 w/e/train - - running was=1",
    "1700s 1600s job_attempt w/gpu - w/e/train - - failed nodes=2 kept_ns=200s " ATTEMPT
    "lost_ns=0 epochs_kept=4",
    "1700s 1700s job_error w/gpu - w/e/train - - JobFailed:\\sexit -",
    "1700s 1600s job_state:exit w/gpu - w/e/train - - failed exit_code=3",
    "1700s 1600s node_state w/gpu n1 - - - idle was=2",
    "2000s 0s run_ended - - - - - - events=9 draws=0 drawn=0",
    NULL,
};

/* The scheduler stops the job, and another has its node at the same instant. */
static const char *const gives_way[] = {
    "0s 0s node_state w/gpu n1 - - - idle was=0",
    "0s 0s job_provisioning w/gpu - w/e/train - - creating -",
    "0s 0s job_state w/gpu - w/e/train - - queued exit_code=-1",
    "0s 0s job_state w/gpu - w/e/train - - running exit_code=-1",
    "0s 0s node_state w/gpu n1 w/e/train - - running was=1",
    "60s 60s job_provisioning w/gpu - w/e/urgent - - creating -",
    "60s 60s job_state w/gpu - w/e/urgent - - queued exit_code=-1",
    "60s 0s job_attempt:precedence w/gpu - w/e/train - - preempted nodes=1 kept_ns=60s " ATTEMPT
    "lost_ns=0 epochs_kept=0",
    "60s 0s node_state w/gpu n1 - - - idle was=2",
    "60s 0s job_state:precedence w/gpu - w/e/train - - queued exit_code=-1",
    "60s 60s job_state w/gpu - w/e/urgent - - running exit_code=-1",
    "60s 60s node_state w/gpu n1 w/e/urgent - - running was=1",
    "90s 60s job_attempt w/gpu - w/e/urgent - - completed nodes=1 kept_ns=30s " ATTEMPT
    "lost_ns=0 epochs_kept=0",
    "90s 60s job_state:exit w/gpu - w/e/urgent - - succeeded exit_code=0",
    "90s 60s node_state w/gpu n1 - - - idle was=2",
    "90s 60s job_state w/gpu - w/e/train - - running exit_code=-1",
    "90s 90s node_state w/gpu n1 w/e/train - - running was=1",
    "150s 0s run_ended - - - - - - events=9 draws=0 drawn=0",
    NULL,
};

START_TEST(a_story_says_that_the_scheduler_stopped_the_job)
{
    const char *story = story_of("train", gives_way);
    ck_assert_msg(strstr(story, "1 min  the scheduler stopped it, so that another job could start\n"
                                "           1 min  back in the queue"),
                  "%s", story);
    ck_assert_ptr_null(strstr(story, "lost")); // neither node nor work
    ck_assert_ptr_nonnull(strstr(story, "started again on n1\n"));
}
END_TEST

/* b reclaims the node for its job, which has waited for half a minute. */
static const char *const gives_back[] = {
    "0s 0s job_provisioning w/gpu - w/e/train - - creating -",
    "0s 0s job_state w/gpu - w/e/train - - queued exit_code=-1",
    "0s 0s job_state w/gpu - w/e/train - - running exit_code=-1",
    "0s 0s node_state w/gpu n1 w/e/train - - running was=1",
    "60s 60s job_provisioning w/gpu - w/e/own - - creating -",
    "60s 60s job_state w/gpu - w/e/own - - queued exit_code=-1",
    "90s 60s queue_reclaims w/gpu - w/e/own - - b queue=1 jobs=1 slots=1",
    "90s 90s job_reclaimed:reclaim w/gpu - w/e/train - - a queue=0 slots=1",
    "90s 0s job_attempt:reclaim w/gpu - w/e/train - - preempted nodes=1 kept_ns=90s " ATTEMPT
    "lost_ns=0 epochs_kept=0",
    "90s 0s node_state w/gpu n1 - - - idle was=2",
    "90s 0s job_state:reclaim w/gpu - w/e/train - - queued exit_code=-1",
    "90s 60s job_state w/gpu - w/e/own - - running exit_code=-1",
    "90s 90s node_state w/gpu n1 w/e/own - - running was=1",
    "150s 0s run_ended - - - - - - events=9 draws=0 drawn=0",
    NULL,
};

START_TEST(both_stories_tell_that_a_queue_reclaimed_its_guarantee)
{
    const char *stopped = story_of("train", gives_back), *started = story_of("own", gives_back);
    ck_assert_msg(strstr(stopped, "1 min 30 s  the scheduler stopped it, because queue b reclaimed "
                                  "its guarantee, for which it had waited 30 s: job own starts\n"),
                  "%s", stopped);
    ck_assert_msg(strstr(started, "- 1 min 30 s: queue b had waited 30 s for its guarantee and "
                                  "reclaimed it: 1 job of other queues was stopped\n"),
                  "%s", started);
}
END_TEST

START_TEST(a_story_with_many_failures_is_in_order)
{
    ck_assert_str_eq(
        story_of("train", hard_life),
        "The story of job w/e/train:\n\n"
        "           1 min  submitted to cluster gpu, which had 0 nodes; 1 other job waited "
        "already\n"
        "      10 min 2 s  waited 9 min 2 s for 2 nodes:\n"
        "                  - first was ahead of it in the queue until 8 min 40 s, when it "
        "started\n"
        "                  - 5 min: an evaluation of autoscale resized the cluster: from 0 to 4 "
        "nodes\n"
        "                  - 5 min: the cluster reports AccountCoreQuotaReached\n"
        "                  - 6 min 40 s: the cluster was steady with only 3 of 4 nodes\n"
        "                  - 8 min 20 s: node n3 is unusable: AZFMountError\n"
        "                  - 2 nodes were prepared, the last at 8 min 50 s\n"
        "      10 min 2 s  started on n1, n2\n"
        "     10 min 40 s  prepared; on the slowest node of each: mounting shares 10 s, starting "
        "the program 30 s\n"
        "     10 min 40 s  training begins: 9 epochs of 100 steps on 2 ranks\n"
        "     16 min 10 s  notice: node n2 is going to be preempted in 30 s\n"
        "     16 min 40 s  node n2 was preempted\n"
        "     16 min 40 s  1 min of work by 2 nodes was lost; kept: 4 epochs\n"
        "     16 min 40 s  back in the queue: the job starts again when it has its nodes\n"
        "          20 min  waited 3 min 20 s for 2 nodes:\n"
        "                  - 16 min 40 s: lost nodes began to be replaced: from 2 to 3 nodes\n"
        "                  - 18 min 20 s: the cluster was steady with 3 nodes\n"
        "                  - 1 node was prepared, at 20 min\n"
        "          20 min  started again on n1, n4\n"
        "     20 min 10 s  continues from the checkpoint checkpoint-4.h5: 4 epochs need not be "
        "done "
        "again\n"
        "     20 min 10 s  training begins: 5 epochs of 100 steps on 2 ranks, from epoch 5 "
        "on\n"
        "     21 min 40 s  node n4 crashed: nothing progresses until the service notices\n"
        "     26 min 40 s  the service notices: node n4 crashed and is unusable: InternalError: no "
        "power\n"
        "     26 min 40 s  5 min of work by 2 nodes was lost; kept: 8 epochs\n"
        "     26 min 40 s  back in the queue: the job starts again when it has its nodes\n"
        "     26 min 40 s  started again on n1, n5\n"
        "     28 min 20 s  failed, exit code 3; JobFailed: exit\n"
        "     28 min 20 s  in all: waited 12 min 22 s, ran 14 min 58 s in 3 attempts, lost 12 min "
        "of "
        "node time\n");
}
END_TEST

START_TEST(a_plain_job_has_a_plain_story)
{
    // The path of the job identifies it, too.
    ck_assert_str_eq(
        story_of("dev/exp/train", trace_story_training),
        "The story of job dev/exp/train:\n\n"
        "           2 min  submitted to cluster gpu, which had 2 nodes (2 preparing); no other job "
        "waited\n"
        "      2 min 42 s  waited 42 s for 2 nodes:\n"
        "                  - 2 nodes were prepared, the last at 2 min 40 s\n"
        "      2 min 42 s  started on n1, n2\n"
        "           3 min  prepared; on the slowest node of each: the job's preparation 10 s, "
        "starting the program 10 s\n"
        "           3 min  training begins: 2 epochs of 2 steps on 2 ranks\n"
        "      3 min 50 s  trained for 50 s\n"
        "      3 min 52 s  succeeded, exit code 0\n"
        "      3 min 52 s  in all: waited 42 s, ran 1 min 10 s in 1 attempt\n");
}
END_TEST

START_TEST(the_story_of_a_job_that_never_starts_names_what_it_waits_for)
{
    static const char *const lines[] = {
        "0s 0s cluster_provisioning w/c - - - - creating -",
        "1s 1s job_state w/c - w/e/j - - queued exit_code=-1",
        "2s 2s cluster_error:quota w/c - - - - NoRoom -",
        "3s 3s cluster_error:quota w/c - - - - NoRoom -",
        "9s 9s cluster_error:quota w/c - - - - NoRoom -",
        "9s 0s run_ended - - - - - - events=9 draws=0 drawn=0",
        NULL,
    };
    ck_assert_str_eq(story_of("j", lines),
                     "The story of job w/e/j:\n\n"
                     "             1 s  submitted to cluster c, which had 0 nodes; no other job "
                     "waited\n"
                     "             9 s  still queued when the run ends\n"
                     "             9 s  had waited 8 s and never had its nodes\n"
                     "                  - 2 s: the cluster reports NoRoom (3 times, the last at 9 "
                     "s)\n"
                     "             9 s  in all: waited 8 s, never ran\n");
}
END_TEST

START_TEST(nodes_released_after_a_job_are_not_a_loss_and_nodes_released_during_it_are)
{
    static const char *const lines[] = {
        "0s 0s job_state w/c - w/e/j - - queued exit_code=-1",
        "0s 0s job_state w/c - w/e/j - - running exit_code=-1",
        "0s 0s node_state w/c n1 w/e/j - - running was=1",
        "9s 0s job_state w/c - w/e/j - - succeeded exit_code=0",
        "9s 0s node_state w/c n1 - - - idle was=2",
        "9s 9s node_state:resize w/c n1 - - - leaving was=1",
        NULL,
    };
    ck_assert_ptr_null(strstr(story_of("j", lines), "node n1 was"));
    const char *const under[] = {
        lines[0],
        lines[1],
        lines[2],
        "9s 0s node_state w/c n1 - - - idle was=2",
        "9s 0s job_state:scale_down w/c - w/e/j - - failed exit_code=-1",
        "9s 9s node_state:scale_down w/c n1 - - - leaving was=1",
        NULL,
    };
    ck_assert_ptr_nonnull(strstr(story_of("j", under),
                                 "             9 s  node n1 was taken away by a resize\n"
                                 "             9 s  failed\n"));
}
END_TEST

START_TEST(a_node_that_is_lost_and_prepared_anew_at_once_is_one_loss)
{
    static const char *const lines[] = {
        "0s 0s job_state w/c - w/e/j - - queued exit_code=-1",
        "0s 0s job_state w/c - w/e/j - - running exit_code=-1",
        "0s 0s node_state w/c n1 w/e/j - - running was=1",
        "9s 9s node_state:crash w/c n1 - - - unusable was=2",
        "9s 0s node_state:crash w/c n1 - - - preparing was=4",
        "9s 9s job_state:crash w/c - w/e/j - - queued exit_code=-1",
        NULL,
    };
    const char *story = story_of("j", lines);
    ck_assert_ptr_nonnull(strstr(story, "node n1 crashed"));
    ck_assert_ptr_null(strstr(story, "more of its nodes"));
}
END_TEST

START_TEST(columns_stay_aligned_beyond_a_day)
{
    // "1 d 2 h 30 min 15 s" is wider than the usual column of 16.
    static const char *const lines[] = {
        "1s 1s job_state w/c - w/e/j - - queued exit_code=-1",
        "95415s 1s job_state:termination w/c - w/e/j - - failed exit_code=-1",
        NULL,
    };
    ck_assert_str_eq(story_of("j", lines),
                     "The story of job w/e/j:\n\n"
                     "                1 s  submitted to cluster c, which had 0 nodes; no other job "
                     "waited\n"
                     "1 d 2 h 30 min 15 s  had waited 1 d 2 h 30 min 14 s and never had its nodes\n"
                     "1 d 2 h 30 min 15 s  failed: it was terminated\n"
                     "1 d 2 h 30 min 15 s  in all: waited 1 d 2 h 30 min 14 s, never ran\n");
}
END_TEST

START_TEST(a_checkpoint_is_shown_below_the_folder_of_the_job)
{
    static const char *const lines[] = {
        "0s 0s job_state w/c - w/e/j - - queued exit_code=-1",
        "1s 0s job_state w/c - w/e/j - - running exit_code=-1",
        "2s 2s job_resumed w/c - w/e/j - - "
        "sub/g/workspaces/w/experiments/e/jobs/j/bcb012ed-0467-4911-8368-b6789b5e7848/outputs/m/"
        "one.h5 epochs=1",
        "2s 2s job_training w/c - w/e/j - - - ranks=1 steps=7 epochs=3",
        NULL,
    };
    ck_assert_ptr_nonnull(strstr(
        story_of("j", lines),
        "             2 s  continues from the checkpoint outputs/m/one.h5: 1 epoch needs not "
        "be done again\n"
        "             2 s  training begins: 3 epochs of 7 steps on 1 rank, from epoch 2 "
        "on\n"));
}
END_TEST

START_TEST(checkpoints_of_a_program_that_only_takes_time_are_told)
{
    static const char *const lines[] = {
        "0s 0s job_state w/c - w/e/j - - queued exit_code=-1",
        "1s 0s job_state w/c - w/e/j - - running exit_code=-1",
        "9s 6s job_work_saved:preemption w/c n1 w/e/j - - - work_ns=5s",
        "12s 1s job_attempt:preemption w/c n1 w/e/j - - lost nodes=1 kept_ns=5s " ATTEMPT
        "lost_ns=3s epochs_kept=0",
        "14s 14s job_work_resumed w/c - w/e/j - - - work_ns=5s",
        NULL,
    };
    ck_assert_ptr_nonnull(
        strstr(story_of("j", lines),
               "             9 s  has written a checkpoint on notice, in 3 s: 5 s of work\n"
               "            12 s  3 s of work was lost\n"
               "            14 s  continues from its last checkpoint: 5 s of work need not be done "
               "again\n"));
}
END_TEST

START_TEST(a_checkpoint_on_notice_and_what_it_saves_are_told)
{
    static const char *const lines[] = {
        "0s 0s job_state w/c - w/e/j - - queued exit_code=-1",
        "1s 0s job_state w/c - w/e/j - - running exit_code=-1",
        "9s 6s job_saved:preemption w/c n1 w/e/j - - c-0-step-1.h5 epochs=0 steps=1",
        // It is written at the instant of the loss, and counts.
        "9s 1s job_attempt:preemption w/c n1 w/e/j - - lost nodes=1 kept_ns=1s " ATTEMPT
        "lost_ns=2s epochs_kept=0",
        "10s 10s job_resumed_within w/c - w/e/j - - c-0-step-1.h5 epochs=0 steps=1",
        "10s 10s job_training w/c - w/e/j - - - ranks=1 steps=7 epochs=4",
        "12s 11s job_saved:preemption w/c n1 w/e/j - - c-2-step-5.h5 epochs=2 steps=5",
        "13s 10s job_attempt:preemption w/c n1 w/e/j - - lost nodes=1 kept_ns=1s " ATTEMPT
        "lost_ns=1s epochs_kept=2",
        "14s 14s job_resumed_within w/c - w/e/j - - c-2-step-5.h5 epochs=2 steps=5",
        "14s 14s job_training w/c - w/e/j - - - ranks=1 steps=7 epochs=4",
        // A checkpoint after an epoch is later than the one on notice.
        "19s 14s job_attempt:crash w/c n1 w/e/j - - lost nodes=1 kept_ns=1s " ATTEMPT
        "lost_ns=1s epochs_kept=1",
        NULL,
    };
    ck_assert_ptr_nonnull(strstr(
        story_of("j", lines),
        "             9 s  has written the checkpoint c-0-step-1.h5 on notice, in 3 s: 1 step\n"
        "             9 s  2 s of work was lost; kept: 1 step\n"
        "            10 s  continues from the checkpoint c-0-step-1.h5: 1 step needs not be "
        "done again\n"
        "            10 s  training begins: 4 epochs of 7 steps on 1 rank, from step 2 of epoch 1 "
        "on\n"
        "            12 s  has written the checkpoint c-2-step-5.h5 on notice, in 1 s: 2 "
        "epochs and 5 steps\n"
        "            13 s  1 s of work was lost; kept: 2 epochs and 5 steps\n"
        "            14 s  continues from the checkpoint c-2-step-5.h5: 2 epochs and 5 "
        "steps need not be done again\n"
        "            14 s  training begins: 4 epochs of 7 steps on 1 rank, from step 6 of epoch 3 "
        "on\n"
        "            19 s  1 s of work was lost; kept: 3 epochs\n"));
}
END_TEST

START_TEST(many_jobs_ahead_are_counted)
{
    // Six jobs are ahead of it: four start, one is terminated, one is still queued. The story also
    // contains events under way when the job is submitted, and jobs after it in the queue that
    // start earlier, but not those that start in the same instant.
    static const char *const lines[] = {
        "0s 0s cluster_allocation:autoscale w/c - - - - resizing target=4 current=1",
        "1s 1s job_state w/c - w/e/a - - queued exit_code=-1",
        "1s 1s job_state w/c - w/e/b - - queued exit_code=-1",
        "1s 1s job_state w/c - w/e/c - - queued exit_code=-1",
        "1s 1s job_state w/c - w/e/d - - queued exit_code=-1",
        "1s 1s job_state w/c - w/e/f - - queued exit_code=-1",
        "1s 1s job_state w/c - w/e/g - - queued exit_code=-1",
        "2s 2s job_state w/c - w/e/j - - queued exit_code=-1",
        "3s 3s job_state w/c - w/e/k - - queued exit_code=-1",
        "3s 3s job_state w/c - w/e/l - - queued exit_code=-1",
        "5s 1s job_state w/c - w/e/a - - running exit_code=-1",
        "5s 1s job_state w/c - w/e/b - - running exit_code=-1",
        "6s 1s job_state w/c - w/e/c - - running exit_code=-1",
        "6s 3s job_state w/c - w/e/k - - running exit_code=-1",
        "7s 1s job_state:termination w/c - w/e/d - - failed exit_code=-1",
        "8s 1s job_state w/c - w/e/f - - running exit_code=-1",
        "9s 2s job_state w/c - w/e/j - - running exit_code=-1",
        "9s 0s node_state w/c n1 w/e/j - - running was=1",
        "9s 3s job_state w/c - w/e/l - - running exit_code=-1",
        NULL,
    };
    ck_assert_ptr_nonnull(
        strstr(story_of("j", lines),
               "                  - 6 jobs were ahead of it in the queue: a, b, c, d and 2 more; 4 "
               "started, 1 ended without, the last at 8 s, 1 passed over\n"
               "                  - 0 s: an evaluation of autoscale resized the cluster: from 1 to "
               "4 nodes\n"
               "                  - 1 other job started meanwhile: k\n"));
}
END_TEST

START_TEST(jobs_of_one_name_have_a_story_each)
{
    static const char *const lines[] = {
        "0s 0s job_provisioning w/c - w/a/j - - creating -",
        "0s 0s job_state w/c - w/a/j - - queued exit_code=-1",
        "1s 0s job_state:termination w/c - w/a/j - - failed exit_code=-1",
        "2s 2s job_provisioning w/c - w/b/j - - creating -",
        "2s 2s job_state w/c - w/b/j - - queued exit_code=-1",
        "3s 3s job_provisioning w/c - w/b/jj - - creating -",
        NULL,
    };
    const char *stories = story_of("j", lines);
    ck_assert_ptr_nonnull(strstr(stories, "The story of job w/a/j:\n"));
    ck_assert_ptr_nonnull(strstr(stories, "\n\nThe story of job w/b/j:\n"));
    ck_assert_ptr_nonnull(strstr(stories, "failed: it was terminated\n"));
    ck_assert_ptr_null(strstr(stories, "w/b/jj:"));
    ck_assert_ptr_null(strstr(story_of("w/b/j", lines), "w/a/j:"));
}
END_TEST

START_TEST(a_wait_for_a_repair_crew_is_a_reason)
{
    static const char *const lines[] = {
        "0s 0s node_state w/c n1 - - - idle was=5",
        "1s 1s node_state:crash w/c n1 - - - unusable was=1",
        "2s 2s job_state w/c - w/e/j - - queued exit_code=-1",
        "2s 2s node_repair w/c n1 - - - waiting crews=2 waiting=1",
        "9s 2s node_repair w/c n1 - - - begun crews=2 waiting=0",
        "9s 0s run_ended - - - - - - events=9 draws=0 drawn=0",
        NULL,
    };
    const char *story = story_of("j", lines);
    ck_assert_ptr_nonnull(
        strstr(story, "- 2 s: node n1 waits for a repair crew: 2 crews repair other nodes\n"));
    ck_assert_ptr_nonnull(
        strstr(story, "- 9 s: node n1 gets a repair crew, for which it has waited 7 s\n"));
}
END_TEST

START_TEST(an_unknown_job_gets_the_nearest_name)
{
    Why *why = why_create(arena, "trian");
    trace_story_tell(arena, trace_story_training, why_listener(why));
    Text text = {0};
    Status status = {0};
    ck_assert(!why_print(&text, why, &status));
    ck_assert_int_eq(status.code, STATUS_NOT_FOUND);
    ck_assert_str_eq(status.message, "there was no job \"trian\" in this run");
    ck_assert_str_eq(status.hint, "did you mean \"train\"?");
    ck_assert_str_eq(text_string(&text), "");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("why");
    TCase *tests = tcase_create("why");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, both_stories_tell_that_a_queue_reclaimed_its_guarantee);
    tcase_add_test(tests, a_story_with_many_failures_is_in_order);
    tcase_add_test(tests, a_story_says_that_the_scheduler_stopped_the_job);
    tcase_add_test(tests, a_plain_job_has_a_plain_story);
    tcase_add_test(tests, the_story_of_a_job_that_never_starts_names_what_it_waits_for);
    tcase_add_test(tests,
                   nodes_released_after_a_job_are_not_a_loss_and_nodes_released_during_it_are);
    tcase_add_test(tests, a_node_that_is_lost_and_prepared_anew_at_once_is_one_loss);
    tcase_add_test(tests, columns_stay_aligned_beyond_a_day);
    tcase_add_test(tests, a_checkpoint_is_shown_below_the_folder_of_the_job);
    tcase_add_test(tests, checkpoints_of_a_program_that_only_takes_time_are_told);
    tcase_add_test(tests, a_checkpoint_on_notice_and_what_it_saves_are_told);
    tcase_add_test(tests, many_jobs_ahead_are_counted);
    tcase_add_test(tests, jobs_of_one_name_have_a_story_each);
    tcase_add_test(tests, a_wait_for_a_repair_crew_is_a_reason);
    tcase_add_test(tests, an_unknown_job_gets_the_nearest_name);
    suite_add_tcase(suite, tests);
    return suite;
}
