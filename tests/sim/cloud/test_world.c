/* The life of clusters and jobs, by examples worked out on paper from plain_service
 * (tests/support/worlds.h). */
#include <stdlib.h>

#include "sim/base/units.h"
#include "sim/cloud/check.h"
#include "tests/support/suite.h"
#include "tests/support/world_fixture.h"

static World *run(void)
{
    World *world =
        world_create(arena, scenario_of(&list, 1), recording_sink(&recording, TRACE_LEVEL_STEPS));
    world_check_always(world);
    world_run(world);
    return world;
}

static int64_t at_s(TraceKind kind, const char *name, int32_t n)
{
    const TraceRecord *record = recording_find(&recording, kind, name, n);
    ck_assert_msg(record != NULL, "no record %d of %s %s", n, trace_kind_name(kind),
                  name ? name : "");
    ck_assert_int_eq(record->at_ns % NS_PER_S, 0);
    return record->at_ns / NS_PER_S;
}

static const JobSpec *sleeping_job(int32_t nodes, int64_t seconds, int32_t exit_code)
{
    return plain_job(arena, nodes, plain_fixed_program(arena, seconds * NS_PER_S, exit_code));
}

START_TEST(a_new_cluster_is_resizing_then_steady_then_ready)
{
    // Created at 0: recorded at 1 s, steady at 100 s with both nodes preparing, idle at 100 + 130
    // s.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    const World *world = run();
    ck_assert_int_eq(at_s(TRACE_CLUSTER_PROVISIONING, "succeeded", 0), 1);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 0), 0);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "steady", 0), 100);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "preparing", 1), 100);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "idle", 1), 230);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_READY, NULL, 0), 230);
    ck_assert_int_eq(recording_count(&recording, TRACE_CLUSTER_READY, NULL), 1);
    const Cluster *cluster = world_cluster(world, (ClusterId){0});
    ck_assert_int_eq(cluster->current_nodes, 2);
    ck_assert_int_eq(cluster->node_count[NODE_IDLE], 2);
}
END_TEST

START_TEST(a_cluster_of_no_nodes_is_steady_after_seconds)
{
    commands_create_cluster(&list, "c", 10 * NS_PER_S, plain_cluster(arena, 0));
    run();
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "steady", 0), 12);
    ck_assert_int_eq(recording_count(&recording, TRACE_CLUSTER_READY, NULL), 0);
}
END_TEST

START_TEST(node_names_contain_number_index_stamp_and_priority)
{
    ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
    *spec = *plain_cluster(arena, 1);
    spec->is_low_priority = true;
    commands_create_cluster(&list, "c", 0, spec);
    const World *world = run();
    // 17:45:00 + 100 s of allocation
    const Cluster *cluster = world_cluster(world, (ClusterId){0});
    ck_assert_str_eq(world_node(world, (NodeId){0})->name,
                     arena_printf(arena, "tvm-%u_1-20180718t174640z-p", cluster->opaque_number));
}
END_TEST

START_TEST(growing_keeps_the_nodes_and_continues_the_numbering)
{
    // Ready at 230 s with 1; at 1000 s to 3: steady at 1070 s, new ones idle at 1200 s.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_resize(&list, "c", 1000 * NS_PER_S, 3);
    const World *world = run();
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 1), 1000);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "steady", 1), 1070);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_READY, NULL, 1), 1200);
    ck_assert_int_eq(world_node_count(world), 3);
    ck_assert_int_eq(world_node(world, (NodeId){2})->number, 3);
}
END_TEST

START_TEST(shrinking_to_zero_nodes_releases_them_after_a_while_and_bills_full_minutes)
{
    // Steady (billing starts) at 100 s. Resize at 1003 s: leaving from 1006 s, gone at 1003 + 240 =
    // 1243 s. Held 1143 s = 19.05 min, billed 19 min.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    commands_resize(&list, "c", 1003 * NS_PER_S, 0);
    const World *world = run();
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "leaving", 1), 1006);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "steady", 1), 1243);
    ck_assert_int_eq(world_cluster(world, (ClusterId){0})->current_nodes, 0);
    const TraceRecord *bill = recording_find(&recording, TRACE_NODE_BILLED, "released", 1);
    ck_assert_int_eq(bill->at_ns - bill->since_ns, 1143 * NS_PER_S);
    ck_assert_int_eq(bill->node_billed.billed_ns, 19 * NS_PER_MIN);
    ck_assert_int_eq(bill->node_billed.micro_usd_per_hour, 900000);
}
END_TEST

START_TEST(the_index_of_a_node_is_never_used_again)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_resize(&list, "c", 1000 * NS_PER_S, 0);
    commands_resize(&list, "c", 2000 * NS_PER_S, 1);
    const World *world = run();
    ck_assert_int_eq(world_node(world, (NodeId){1})->number, 2);
}
END_TEST

START_TEST(a_job_on_a_preparing_cluster_starts_when_its_nodes_are_ready)
{
    // Ready at 230 s; host overhead 1 s, program 60 s: done at 291 s.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    commands_create_job(&list, "j", 5 * NS_PER_S, "c", sleeping_job(2, 60, 0));
    run();
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "queued", 0), 5);
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "running", 0), 230);
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "succeeded", 0), 291);
    ck_assert_int_eq(
        recording_find(&recording, TRACE_JOB_STATE, "succeeded", 0)->job_state.exit_code, 0);
}
END_TEST

START_TEST(a_job_on_idle_nodes_starts_after_the_latency_of_the_service)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "j", 500 * NS_PER_S, "c", sleeping_job(1, 1, 0));
    run();
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "running", 0), 502);
}
END_TEST

START_TEST(a_job_mounts_pulls_starts_its_container_and_prepares_on_all_nodes_together)
{
    // Ready at 230 s. Mount 15 -> 245; pull 1.3 GB at 100 MB/s and as long to unpack: 26 -> 271;
    // container 10 -> 281; preparation 20 -> 301; program 60 -> 361 s.
    static const ContainerImage image = {"tensorflow", INT64_C(1300000000)};
    static const char *const mounts[] = {"a/s"};
    JobSpec *spec = plain_job(arena, 2, plain_fixed_program(arena, 60 * NS_PER_S, 0));
    spec->image = &image;
    spec->mount_count = 1;
    spec->mounts = mounts;
    spec->has_preparation = true;
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    commands_create_job(&list, "j", 0, "c", spec);
    // The second job finds the image: 15 + 10 + 20 + 60 after a start at 502 s.
    commands_create_job(&list, "k", 500 * NS_PER_S, "c", spec);
    run();
    ck_assert_int_eq(at_s(TRACE_JOB_STAGE, "mount", 1), 245);
    ck_assert_int_eq(at_s(TRACE_JOB_STAGE, "pull", 1), 271);
    ck_assert_int_eq(at_s(TRACE_JOB_STAGE, "container", 1), 281);
    ck_assert_int_eq(at_s(TRACE_JOB_STAGE, "preparation", 1), 301);
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "succeeded", 0), 361);
    ck_assert_int_eq(recording_count(&recording, TRACE_JOB_STAGE, "pull"), 2);
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "succeeded", 1), 502 + 15 + 10 + 20 + 60);
}
END_TEST

START_TEST(a_failing_command_gives_its_exit_code_and_the_message_of_the_service)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "j", 0, "c", sleeping_job(1, 1, 127));
    const World *world = run();
    const Job *job = world_job(world, (JobId){0});
    ck_assert_int_eq(job->state, JOB_FAILED);
    ck_assert_int_eq(job->exit_code, 127);
    ck_assert_str_eq(job->error_code, "JobFailed");
    ck_assert_str_eq(job->error_message, "Job failed with non-zero exit code");
    ck_assert_int_eq(world_cluster(world, (ClusterId){0})->node_count[NODE_IDLE], 1);
}
END_TEST

START_TEST(a_failing_preparation_ends_the_job_before_its_program)
{
    JobSpec *spec = plain_job(arena, 2, plain_fixed_program(arena, 60 * NS_PER_S, 0));
    spec->has_preparation = true;
    spec->preparation_exit_code = 100;
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    commands_create_job(&list, "j", 0, "c", spec);
    const World *world = run();
    // 230 + host overhead 1 + preparation 20
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "failed", 0), 251);
    ck_assert_str_eq(world_job(world, (JobId){0})->error_code, "JobPreparationFailed");
    ck_assert_int_eq(world_job(world, (JobId){0})->attempt->program_ns, INT64_MAX);
}
END_TEST

START_TEST(a_mount_of_a_missing_share_fails_the_job)
{
    static const char *const mounts[] = {"a/nowhere"};
    JobSpec *spec = plain_job(arena, 1, plain_fixed_program(arena, NS_PER_S, 0));
    spec->mount_count = 1;
    spec->mounts = mounts;
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "j", 0, "c", spec);
    const World *world = run();
    ck_assert_str_eq(world_job(world, (JobId){0})->error_code, "AZFMountError");
}
END_TEST

START_TEST(jobs_start_by_priority_and_then_by_submission)
{
    // One node, three jobs waiting for it from the beginning: high, then the two normal ones in
    // their order.
    JobSpec *urgent = plain_job(arena, 1, plain_fixed_program(arena, 60 * NS_PER_S, 0));
    urgent->priority = PRIORITY_HIGH;
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "first", 1 * NS_PER_S, "c", sleeping_job(1, 60, 0));
    commands_create_job(&list, "second", 2 * NS_PER_S, "c", sleeping_job(1, 60, 0));
    commands_create_job(&list, "urgent", 3 * NS_PER_S, "c", urgent);
    const World *world = run();
    ck_assert_int_eq(world_job(world, (JobId){2})->started_ns, 230 * NS_PER_S);
    ck_assert_int_eq(world_job(world, (JobId){0})->started_ns, 291 * NS_PER_S);
    ck_assert_int_eq(world_job(world, (JobId){1})->started_ns, 352 * NS_PER_S);
}
END_TEST

START_TEST(a_gang_waits_for_all_its_nodes_and_no_job_passes_it)
{
    // Two nodes: the first job holds one until 291 s; the pair waits for both, the last job for the
    // pair.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    commands_create_job(&list, "single", 1 * NS_PER_S, "c", sleeping_job(1, 60, 0));
    commands_create_job(&list, "pair", 2 * NS_PER_S, "c", sleeping_job(2, 60, 0));
    commands_create_job(&list, "late", 3 * NS_PER_S, "c", sleeping_job(1, 60, 0));
    const World *world = run();
    ck_assert_int_eq(world_job(world, (JobId){1})->started_ns, 291 * NS_PER_S);
    ck_assert_int_eq(world_job(world, (JobId){2})->started_ns, 352 * NS_PER_S);
}
END_TEST

START_TEST(a_job_too_large_for_its_cluster_waits_for_ever)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "j", 0, "c", sleeping_job(2, 60, 0));
    const World *world = run();
    ck_assert_int_eq(world_job(world, (JobId){0})->state, JOB_QUEUED);
}
END_TEST

START_TEST(terminating_a_queued_job_fails_it_at_once)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 0));
    commands_create_job(&list, "j", 0, "c", sleeping_job(1, 60, 0));
    commands_add(&list, COMMAND_JOB_TERMINATE, "j", 50 * NS_PER_S);
    const World *world = run();
    const Job *job = world_job(world, (JobId){0});
    ck_assert_int_eq(job->state, JOB_FAILED);
    ck_assert_int_eq(job->ended_ns, 50 * NS_PER_S);
    ck_assert_int_eq(job->started_ns, 50 * NS_PER_S);
    ck_assert_int_eq(job->exit_code, -1);
    ck_assert_str_eq(job->error_code, "JobTerminated");
}
END_TEST

START_TEST(terminating_a_running_job_takes_seconds_and_frees_its_nodes)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "j", 0, "c", sleeping_job(1, 6000, 0));
    commands_add(&list, COMMAND_JOB_TERMINATE, "j", 500 * NS_PER_S);
    const World *world = run();
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "terminating", 0), 500);
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "failed", 0), 505);
    ck_assert_int_eq(world_cluster(world, (ClusterId){0})->node_count[NODE_IDLE], 1);
}
END_TEST

/* Sets different times to delete and to terminate for each kind and state. */
static World *run_apart(void)
{
    Scenario *scenario = scenario_of(&list, 1);
    scenario->service.job_terminate_queued_ns = constant(arena, 3 * NS_PER_S);
    scenario->service.job_delete_running_ns = constant(arena, 2 * NS_PER_S);
    scenario->service.job_delete_gone_ns = constant(arena, 1 * NS_PER_S);
    scenario->service.workspace_delete_clusters_ns = constant(arena, 200 * NS_PER_S);
    World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_STEPS));
    world_check_always(world);
    world_run(world);
    return world;
}

START_TEST(a_job_terminated_in_the_queue_keeps_its_place_and_never_starts)
{
    // One node, ready at 230 s. The pairs never start. The second is deleted before its termination
    // has finished. The last is terminated before the service queues it.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "pair", 0, "c", sleeping_job(2, 60, 0));
    commands_create_job(&list, "other", 1 * NS_PER_S, "c", sleeping_job(2, 60, 0));
    commands_create_job(&list, "single", 2 * NS_PER_S, "c", sleeping_job(1, 60, 0));
    commands_add(&list, COMMAND_JOB_TERMINATE, "pair", 500 * NS_PER_S);
    commands_add(&list, COMMAND_JOB_TERMINATE, "pair", 501 * NS_PER_S);
    commands_add(&list, COMMAND_JOB_TERMINATE, "other", 500 * NS_PER_S);
    commands_add(&list, COMMAND_JOB_DELETE, "other", 501 * NS_PER_S);
    commands_create_job(&list, "early", 600 * NS_PER_S, "c", sleeping_job(1, 60, 0));
    commands_add(&list, COMMAND_JOB_TERMINATE, "early", 601 * NS_PER_S);
    const World *world = run_apart();
    const Job *pair = world_job(world, (JobId){0}), *other = world_job(world, (JobId){1});
    const Job *early = world_job(world, (JobId){3});
    ck_assert_int_eq(pair->started_ns, 500 * NS_PER_S);
    ck_assert_int_eq(pair->ended_ns, 503 * NS_PER_S);
    ck_assert_int_eq(other->ended_ns, 501 * NS_PER_S);
    ck_assert_int_eq(other->provisioning_since_ns, 502 * NS_PER_S);
    ck_assert_int_eq(early->ended_ns, 604 * NS_PER_S);
    ck_assert_int_eq(early->starts, 0);
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "running", 0), 503);
    ck_assert_int_eq(recording_count(&recording, TRACE_JOB_STATE, "running"), 1);
}
END_TEST

START_TEST(the_time_of_a_deletion_depends_on_the_state_of_the_job)
{
    enum { DONE, LEFT, RUNNING, WAITING }; // in the order of their creation
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_cluster(&list, "d", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "done", 0, "c", sleeping_job(1, 60, 0));
    commands_create_job(&list, "running", 300 * NS_PER_S, "c", sleeping_job(1, 6000, 0));
    commands_create_job(&list, "waiting", 310 * NS_PER_S, "c", sleeping_job(1, 60, 0));
    commands_create_job(&list, "left", 0, "d", sleeping_job(1, 60, 0));
    commands_add(&list, COMMAND_CLUSTER_DELETE, "d", 300 * NS_PER_S);
    commands_add(&list, COMMAND_JOB_DELETE, "done", 1000 * NS_PER_S);
    commands_add(&list, COMMAND_JOB_DELETE, "waiting", 1000 * NS_PER_S);
    commands_add(&list, COMMAND_JOB_DELETE, "running", 1000 * NS_PER_S);
    commands_add(&list, COMMAND_JOB_DELETE, "left", 1000 * NS_PER_S);
    const World *world = run_apart();
    static const int64_t gone_s[] = {
        [DONE] = 1004, [LEFT] = 1001, [RUNNING] = 1002, [WAITING] = 1001};
    for (uint32_t j = DONE; j <= WAITING; j++) {
        const Job *job = world_job(world, (JobId){j});
        ck_assert_int_eq(job->provisioning, PROVISIONING_DELETED);
        ck_assert_int_eq(job->provisioning_since_ns, gone_s[j] * NS_PER_S);
    }
}
END_TEST

START_TEST(a_workspace_with_clusters_takes_longer_to_delete)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 0));
    commands_add(&list, COMMAND_WORKSPACE_DELETE, "w", 1000 * NS_PER_S);
    commands_add(&list, COMMAND_WORKSPACE_CREATE, "w", 1300 * NS_PER_S);
    commands_add(&list, COMMAND_WORKSPACE_DELETE, "w", 1400 * NS_PER_S);
    run_apart();
    ck_assert_int_eq(at_s(TRACE_CLUSTER_PROVISIONING, "deleted", 0), 1030);
    ck_assert_int_eq(at_s(TRACE_RESOURCE_DELETED, "workspace w", 0), 1200);
    ck_assert_int_eq(at_s(TRACE_RESOURCE_DELETED, "workspace w", 1), 1403);
}
END_TEST

START_TEST(a_job_longer_than_its_limit_is_stopped)
{
    JobSpec *spec = plain_job(arena, 1, plain_fixed_program(arena, 6000 * NS_PER_S, 0));
    spec->max_wall_clock_ns = 100 * NS_PER_S;
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "j", 0, "c", spec);
    run();
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "failed", 0), 330);
}
END_TEST

START_TEST(a_busy_node_taken_away_sends_its_job_back_to_the_queue)
{
    // Running from 230 s; resize to 0 at 300 s, leaving (and requeued) at 303 s, nothing left at
    // 543 s; back to one at 1000 s: steady 1070 s, ready 1200 s, done 1261 s.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "j", 0, "c", sleeping_job(1, 100, 0));
    commands_resize(&list, "c", 300 * NS_PER_S, 0);
    commands_resize(&list, "c", 1000 * NS_PER_S, 1);
    const World *world = run();
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "queued", 1), 303);
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "running", 1), 1200);
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "succeeded", 0), 1301);
    ck_assert_int_eq(world_job(world, (JobId){0})->starts, 2);
}
END_TEST

START_TEST(a_busy_node_may_finish_its_job_before_it_leaves)
{
    // waitforjobcompletion: running from 230 to 331 s, leaving at once, gone 240 s later.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "j", 0, "c", sleeping_job(1, 100, 0));
    commands_resize(&list, "c", 300 * NS_PER_S, 0);
    list.items[list.count - 1].as.cluster_resize.deallocation = DEALLOCATE_WAIT_FOR_JOB;
    run();
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "succeeded", 0), 331);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "leaving", 0), 331);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "steady", 1), 571);
}
END_TEST

START_TEST(deleting_a_cluster_stops_its_job_and_keeps_the_record)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "j", 0, "c", sleeping_job(1, 6000, 0));
    commands_add(&list, COMMAND_CLUSTER_DELETE, "c", 500 * NS_PER_S);
    const World *world = run();
    ck_assert_int_eq(at_s(TRACE_CLUSTER_PROVISIONING, "deleting", 0), 500);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_PROVISIONING, "deleted", 0), 800);
    ck_assert_int_eq(world_job(world, (JobId){0})->state, JOB_FAILED);
    ck_assert_str_eq(world_job(world, (JobId){0})->error_code, "JobTerminated");
}
END_TEST

START_TEST(deleting_a_workspace_deletes_its_contents)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "j", 0, "c", sleeping_job(1, 60, 0));
    commands_add(&list, COMMAND_WORKSPACE_DELETE, "w", 1000 * NS_PER_S);
    const World *world = run();
    ck_assert_int_eq(world_cluster(world, (ClusterId){0})->provisioning, PROVISIONING_DELETED);
    ck_assert_int_eq(world_job(world, (JobId){0})->provisioning, PROVISIONING_DELETED);
    // Each parent goes with its last content: the job at 1004 s, the cluster at 1300 s.
    ck_assert_int_eq(recording_count(&recording, TRACE_RESOURCE_DELETED, NULL), 2);
    ck_assert_int_eq(at_s(TRACE_RESOURCE_DELETED, "experiment e", 0), 1004);
    ck_assert_int_eq(at_s(TRACE_RESOURCE_DELETED, "workspace w", 0), 1300);
}
END_TEST

START_TEST(an_empty_group_or_workspace_has_its_own_deletion_time)
{
    commands_add(&list, COMMAND_EXPERIMENT_CREATE, "alone", 0);
    commands_add(&list, COMMAND_EXPERIMENT_DELETE, "alone", 10 * NS_PER_S);
    commands_add(&list, COMMAND_GROUP_DELETE, "g", 20 * NS_PER_S);
    run();
    ck_assert_int_eq(at_s(TRACE_RESOURCE_DELETED, "experiment alone", 0), 11);
    ck_assert_int_eq(at_s(TRACE_RESOURCE_DELETED, "experiment e", 0), 21);
    ck_assert_int_eq(at_s(TRACE_RESOURCE_DELETED, "workspace w", 0), 23);
    ck_assert_int_eq(at_s(TRACE_RESOURCE_DELETED, "group g", 0), 23);
}
END_TEST

START_TEST(a_group_being_deleted_accepts_no_content_and_is_empty_when_created_again)
{
    // The cluster is gone at 1300 s, and with it the workspace and the group.
    static const char *const refused[] = {
        "workspace.create w: resource group \"g\" is being deleted",
        "group.create g: resource group \"g\" is being deleted",
        "cluster.create d: resource group \"g\" is being deleted",
        "group.delete g: resource group \"g\" is being deleted",
        "workspace.delete w: workspace \"w\" is being deleted",
        "cluster.create c: workspace \"w\" is being deleted",
    };
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_add(&list, COMMAND_GROUP_DELETE, "g", 1000 * NS_PER_S);
    commands_add(&list, COMMAND_WORKSPACE_CREATE, "w", 1299 * NS_PER_S);
    commands_add(&list, COMMAND_GROUP_CREATE, "g", 1299 * NS_PER_S);
    commands_create_cluster(&list, "d", 1299 * NS_PER_S, plain_cluster(arena, 1));
    commands_add(&list, COMMAND_GROUP_DELETE, "g", 1299 * NS_PER_S);
    commands_add(&list, COMMAND_WORKSPACE_DELETE, "w", 1299 * NS_PER_S);
    commands_add(&list, COMMAND_GROUP_CREATE, "g", 1301 * NS_PER_S);
    commands_add(&list, COMMAND_WORKSPACE_CREATE, "w", 1301 * NS_PER_S);
    commands_create_cluster(&list, "c", 1301 * NS_PER_S, plain_cluster(arena, 1));
    // Gone again at 1605 s, while the new group stays.
    commands_add(&list, COMMAND_WORKSPACE_DELETE, "w", 1305 * NS_PER_S);
    commands_create_cluster(&list, "c", 1306 * NS_PER_S, plain_cluster(arena, 1));
    const World *world = run();
    const int32_t count = (int32_t)(sizeof refused / sizeof *refused);
    ck_assert_int_eq(recording_count(&recording, TRACE_COMMAND_REFUSED, NULL), count);
    for (int32_t i = 0; i < count; i++)
        ck_assert_str_eq(recording_find(&recording, TRACE_COMMAND_REFUSED, NULL, i)->name,
                         refused[i]);
    ck_assert_int_eq(world_cluster_count(world), 2);
    ck_assert_int_eq(recording_count(&recording, TRACE_RESOURCE_DELETED, "group g"), 1);
    ck_assert_int_eq(at_s(TRACE_RESOURCE_DELETED, "workspace w", 0), 1300);
    ck_assert_int_eq(recording_count(&recording, TRACE_RESOURCE_DELETED, "workspace w"), 2);
}
END_TEST

START_TEST(commands_that_the_service_refuses_change_nothing)
{
    commands_add(&list, COMMAND_CLUSTER_SHOW, "nowhere", 0);
    commands_create_job(&list, "j", 0, "nowhere", sleeping_job(1, 1, 0));
    commands_create_cluster(&list, "huge", 0, plain_cluster(arena, 101));
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 0));
    commands_create_cluster(&list, "C", 0, plain_cluster(arena, 0)); // names ignore letter case
    const World *world = run();
    ck_assert_int_eq(recording_count(&recording, TRACE_COMMAND_REFUSED, NULL), 4);
    ck_assert_str_eq(recording_find(&recording, TRACE_COMMAND_REFUSED, NULL, 0)->name,
                     "cluster.show nowhere: The specified cluster nowhere is not found");
    ck_assert_int_eq(world_cluster_count(world), 1);
    ck_assert_int_eq(world_job_count(world), 0);
}
END_TEST

static void after(Command *command, Moment moment, const char *subject, int64_t delay_ns)
{
    command->trigger = (Trigger){.moment = moment, .subject = subject, .delay_ns = delay_ns};
}

START_TEST(commands_wait_for_moments_after_the_previous_change)
{
    // Ready at 230 s: resize to 2 then (steady 300, ready 430); the show after it waits for the
    // second ready.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_resize(&list, "c", 0, 2);
    after(&list.items[list.count - 1], MOMENT_CLUSTER_READY, "c", 0);
    after(commands_add(&list, COMMAND_CLUSTER_SHOW, "c", 0), MOMENT_CLUSTER_READY, "c",
          10 * NS_PER_S);
    run();
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "resizing", 1), 230);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_SHOWN, NULL, 0), 440);
}
END_TEST

START_TEST(a_job_terminated_in_the_queue_counts_as_completed_for_waiting_commands)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 0));
    commands_create_job(&list, "j", 0, "c", sleeping_job(1, 60, 0));
    commands_add(&list, COMMAND_JOB_TERMINATE, "j", 50 * NS_PER_S);
    after(commands_add(&list, COMMAND_JOB_SHOW, "j", 0), MOMENT_JOB_COMPLETED, "j", 0);
    run();
    ck_assert_int_eq(at_s(TRACE_JOB_SHOWN, NULL, 0), 50);
}
END_TEST

START_TEST(a_command_whose_moment_never_happens_is_recorded_at_the_end)
{
    after(commands_add(&list, COMMAND_CLUSTER_SHOW, "c", 0), MOMENT_CLUSTER_READY, "c", 0);
    run();
    ck_assert_int_eq(recording_count(&recording, TRACE_COMMAND_SKIPPED, "cluster.show c"), 1);
}
END_TEST

START_TEST(a_cluster_deleted_while_its_nodes_wait_for_a_job_is_still_deleted)
{
    // waitforjobcompletion from 300 s, but deleted at 400 s: nothing is waited for any more.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "j", 0, "c", sleeping_job(1, 6000, 0));
    commands_resize(&list, "c", 300 * NS_PER_S, 0);
    list.items[list.count - 1].as.cluster_resize.deallocation = DEALLOCATE_WAIT_FOR_JOB;
    commands_add(&list, COMMAND_CLUSTER_DELETE, "c", 400 * NS_PER_S);
    const World *world = run();
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "failed", 0), 400);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_PROVISIONING, "deleted", 0), 700);
    ck_assert_int_eq(world_cluster(world, (ClusterId){0})->current_nodes, 0);
}
END_TEST

START_TEST(nodes_are_gone_at_once_if_leaving_takes_no_time)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    commands_resize(&list, "c", 1000 * NS_PER_S, 1);
    Scenario *scenario = scenario_of(&list, 1);
    scenario->service.leaving_delay_ns = constant(arena, 0);
    World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
    world_check_always(world);
    world_run(world);
    ck_assert_int_eq(at_s(TRACE_NODE_STATE, "leaving", 0), 1000);
    ck_assert_int_eq(at_s(TRACE_CLUSTER_ALLOCATION, "steady", 1), 1240);
    ck_assert_int_eq(world_cluster(world, (ClusterId){0})->current_nodes, 1);
}
END_TEST

START_TEST(a_gang_terminated_in_the_queue_lets_a_job_start_that_fits)
{
    // One node, ready at 230 s: the pair can never start, and holds up the single until 500 s.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "pair", 0, "c", sleeping_job(2, 60, 0));
    commands_create_job(&list, "single", 1 * NS_PER_S, "c", sleeping_job(1, 60, 0));
    commands_add(&list, COMMAND_JOB_TERMINATE, "pair", 500 * NS_PER_S);
    run();
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "running", 0), 500);
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "succeeded", 0), 561);
}
END_TEST

START_TEST(a_job_whose_program_ends_while_it_is_terminated_has_failed)
{
    // Running from 230 s, its program would end at 291 s; terminated at 290 s, over by 295 s.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "j", 0, "c", sleeping_job(1, 60, 0));
    commands_add(&list, COMMAND_JOB_TERMINATE, "j", 290 * NS_PER_S);
    const World *world = run();
    ck_assert_int_eq(at_s(TRACE_JOB_STATE, "failed", 0), 291);
    ck_assert_str_eq(world_job(world, (JobId){0})->error_code, "JobTerminated");
    ck_assert_int_eq(world_job(world, (JobId){0})->exit_code, -1);
}
END_TEST

START_TEST(a_second_deletion_does_not_delete_a_later_job_of_the_same_name)
{
    // Gone at 1004 s; a second deletion, still under way then, would have ended at 1006 s.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "j", 0, "c", sleeping_job(1, 60, 0));
    commands_add(&list, COMMAND_JOB_DELETE, "j", 1000 * NS_PER_S);
    commands_add(&list, COMMAND_JOB_DELETE, "j", 1002 * NS_PER_S);
    commands_create_job(&list, "j", 1005 * NS_PER_S, "c", sleeping_job(1, 60, 0));
    commands_add(&list, COMMAND_JOB_SHOW, "j", 1500 * NS_PER_S);
    run();
    ck_assert_int_eq(recording_count(&recording, TRACE_COMMAND_REFUSED, NULL), 1);
    ck_assert_str_eq(recording_find(&recording, TRACE_COMMAND_REFUSED, NULL, 0)->name,
                     "job.delete j: job \"j\" is being deleted");
    ck_assert_int_eq(at_s(TRACE_JOB_SHOWN, NULL, 0), 1500);
}
END_TEST

START_TEST(a_run_ends_with_its_last_event_or_at_its_limit)
{
    // The job ends at 291 s. The pending timer of its limit of a week does not prolong the run.
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "j", 0, "c", sleeping_job(1, 60, 0));
    const int64_t until_ns[] = {INT64_MAX, NS_PER_DAY, 291 * NS_PER_S, 280 * NS_PER_S};
    const int64_t ends_s[] = {291, 291, 291, 280};
    for (int32_t i = 0; i < 4; i++) {
        Scenario *scenario = scenario_of(&list, 1);
        scenario->until_ns = until_ns[i];
        recording = recording_create(arena);
        world_run(world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS)));
        ck_assert_int_eq(at_s(TRACE_RUN_ENDED, NULL, 0), ends_s[i]);
    }
}
END_TEST

START_TEST(names_that_differ_only_in_letter_case_are_equal)
{
    commands_create_cluster(&list, "Gpu", 0, plain_cluster(arena, 1));
    commands_create_job(&list, "j", 0, "GPU", sleeping_job(1, 60, 0));
    after(commands_add(&list, COMMAND_CLUSTER_SHOW, "gpu", 0), MOMENT_CLUSTER_READY, "gPU", 0);
    list.items[list.count - 1].path.workspace = "W";
    commands_add(&list, COMMAND_WORKSPACE_DELETE, "W", 1000 * NS_PER_S);
    const World *world = run();
    ck_assert_int_eq(at_s(TRACE_CLUSTER_SHOWN, NULL, 0), 230);
    ck_assert_int_eq(world_cluster(world, (ClusterId){0})->provisioning, PROVISIONING_DELETED);
    ck_assert_int_eq(world_job(world, (JobId){0})->provisioning, PROVISIONING_DELETED);
}
END_TEST

START_TEST(training_too_large_to_be_counted_is_refused)
{
    static const struct {
        int64_t batch;
        int64_t epochs;
        int64_t steps;
        int32_t processes;
        const char *refused; // NULL: accepted
    } rows[] = {
        {32, 4, 10, 1, NULL},
        {32, 4, 10, 65537, "65537 ranks, expected 1 to 65536"},
        {32, 16777217, 1, 1, "16777217 epochs, expected 1 to 16777216"},
        {32, 4, 2147483647, 1, "8589934588 steps, expected 1 to 4294967296"},
        {2147483647, 1, 2147483647, 1,
         "4611686014132420609 samples per epoch and rank, expected 1 to 4398046511104"},
        // Input of 32 samples x 0.6 ms / 1.5 workers lasts 13 ms; of 20 million, over two hours.
        {20000000, 16000000, 1, 1, "its 16000000 steps take more than 146 years"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        list = commands_begin(arena);
        recording = recording_create(arena);
        Program *program = ARENA_NEW(arena, Program);
        *program = *plain_training_program(arena);
        program->batch_per_rank = rows[i].batch;
        program->epochs = rows[i].epochs;
        program->steps_per_epoch = rows[i].steps;
        JobSpec *spec = plain_job(arena, 1, program);
        spec->processes = rows[i].processes;
        commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
        commands_create_job(&list, "j", 0, "c", spec);
        run();
        const TraceRecord *refusal = recording_find(&recording, TRACE_COMMAND_REFUSED, NULL, 0);
        ck_assert_msg((refusal != NULL) == (rows[i].refused != NULL), "row %d", (int)i);
        if (refusal)
            ck_assert_str_eq(
                refusal->name,
                arena_printf(arena, "job.create j: program \"training\": %s", rows[i].refused));
    }
}
END_TEST

START_TEST(bytes_that_never_arrive_keep_a_job_until_its_limit)
{
    // 2^63 bytes at 60 MB/s are 4,900 years, more than time has: the job ends after its week.
    Program *program = ARENA_NEW(arena, Program);
    *program = *plain_training_program(arena);
    program->checkpoint_bytes = INT64_MAX;
    for (int32_t fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++)
        for (int32_t place = PLACE_LOCAL; place <= PLACE_SHARE; place++) {
            program->checkpoint_place = (StoragePlace)place;
            program->checkpoint_share = place == PLACE_SHARE ? "a/s" : NULL;
            CommandList own = commands_begin(arena);
            commands_create_cluster(&own, "c", 0, plain_cluster(arena, 1));
            commands_create_job(&own, "j", 0, "c", plain_job(arena, 1, program));
            Scenario *scenario = scenario_of(&own, 1);
            scenario->fidelity = (Fidelity)fidelity;
            World *world = world_create(arena, scenario, (TraceSink){0});
            world_check_always(world);
            world_run(world);
            const Job *job = world_job(world, (JobId){0});
            ck_assert_int_eq(job->state, JOB_FAILED);
            ck_assert_int_eq(job->ended_ns - job->started_ns, 7 * NS_PER_DAY);
        }
}
END_TEST

START_TEST(a_training_job_records_its_epochs_and_writes_its_model)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 4));
    commands_create_job(&list, "j", 0, "c", plain_job(arena, 4, plain_training_program(arena)));
    const World *world = run();
    const Job *job = world_job(world, (JobId){0});
    ck_assert_int_eq(job->state, JOB_SUCCEEDED);
    ck_assert_int_eq(recording_count(&recording, TRACE_STEP, NULL), 4 * 4 * 10);
    ck_assert_int_eq(recording_count(&recording, TRACE_EPOCH, NULL), 4);
    ck_assert_int_eq(recording_count(&recording, TRACE_EVALUATION, NULL), 4);
    ck_assert_int_eq(recording_count(&recording, TRACE_CHECKPOINT, "checkpoint-3.h5"), 1);
    ck_assert_int_eq(recording_count(&recording, TRACE_FILE_WRITTEN, "saved_models/model.h5"), 1);
    ck_assert_int_eq(recording_count(&recording, TRACE_TRANSFER, "write"), 1);
    // Download at 10 MB/s and start: 230 + host overhead 1 + start 10 + 1 s.
    ck_assert_int_eq(at_s(TRACE_JOB_TRAINING, NULL, 0), 242);
    for (int32_t e = 0; e < 4; e++) {
        const TraceRecord *epoch = recording_find(&recording, TRACE_EPOCH, NULL, e);
        ck_assert_int_eq(step_parts_sum(epoch->epoch.parts), epoch->at_ns - epoch->since_ns);
    }
}
END_TEST

START_TEST(coarse_fidelities_agree_with_steps_within_one_percent)
{
    int64_t train_ns[3];
    for (int32_t fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        CommandList own = commands_begin(arena);
        Program *program = ARENA_NEW(arena, Program);
        *program = *plain_training_program(arena);
        program->steps_per_epoch = 200;
        commands_create_cluster(&own, "c", 0, plain_cluster(arena, 4));
        commands_create_job(&own, "j", 0, "c", plain_job(arena, 4, program));
        Scenario *scenario = scenario_of(&own, 7);
        scenario->fidelity = (Fidelity)fidelity;
        World *world = world_create(arena, scenario, (TraceSink){0});
        world_run(world);
        const Job *job = world_job(world, (JobId){0});
        ck_assert_int_eq(job->state, JOB_SUCCEEDED);
        train_ns[fidelity] = job->attempt->trained_ns - job->attempt->training_ns;
    }
    ck_assert_int_lt(llabs(train_ns[FIDELITY_EPOCH] - train_ns[FIDELITY_STEP]),
                     train_ns[FIDELITY_STEP] / 100);
    ck_assert_int_lt(llabs(train_ns[FIDELITY_JOB] - train_ns[FIDELITY_EPOCH]),
                     train_ns[FIDELITY_STEP] / 1000);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("world");
    TCase *tests = tcase_create("life");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_new_cluster_is_resizing_then_steady_then_ready);
    tcase_add_test(tests, a_cluster_of_no_nodes_is_steady_after_seconds);
    tcase_add_test(tests, node_names_contain_number_index_stamp_and_priority);
    tcase_add_test(tests, growing_keeps_the_nodes_and_continues_the_numbering);
    tcase_add_test(tests,
                   shrinking_to_zero_nodes_releases_them_after_a_while_and_bills_full_minutes);
    tcase_add_test(tests, the_index_of_a_node_is_never_used_again);
    tcase_add_test(tests, a_job_on_a_preparing_cluster_starts_when_its_nodes_are_ready);
    tcase_add_test(tests, a_job_on_idle_nodes_starts_after_the_latency_of_the_service);
    tcase_add_test(tests,
                   a_job_mounts_pulls_starts_its_container_and_prepares_on_all_nodes_together);
    tcase_add_test(tests, a_failing_command_gives_its_exit_code_and_the_message_of_the_service);
    tcase_add_test(tests, a_failing_preparation_ends_the_job_before_its_program);
    tcase_add_test(tests, a_mount_of_a_missing_share_fails_the_job);
    tcase_add_test(tests, jobs_start_by_priority_and_then_by_submission);
    tcase_add_test(tests, a_gang_waits_for_all_its_nodes_and_no_job_passes_it);
    tcase_add_test(tests, a_job_too_large_for_its_cluster_waits_for_ever);
    tcase_add_test(tests, terminating_a_queued_job_fails_it_at_once);
    tcase_add_test(tests, terminating_a_running_job_takes_seconds_and_frees_its_nodes);
    tcase_add_test(tests, a_job_terminated_in_the_queue_keeps_its_place_and_never_starts);
    tcase_add_test(tests, the_time_of_a_deletion_depends_on_the_state_of_the_job);
    tcase_add_test(tests, a_workspace_with_clusters_takes_longer_to_delete);
    tcase_add_test(tests, a_job_longer_than_its_limit_is_stopped);
    tcase_add_test(tests, a_busy_node_taken_away_sends_its_job_back_to_the_queue);
    tcase_add_test(tests, a_busy_node_may_finish_its_job_before_it_leaves);
    tcase_add_test(tests, deleting_a_cluster_stops_its_job_and_keeps_the_record);
    tcase_add_test(tests, deleting_a_workspace_deletes_its_contents);
    tcase_add_test(tests, an_empty_group_or_workspace_has_its_own_deletion_time);
    tcase_add_test(tests, a_group_being_deleted_accepts_no_content_and_is_empty_when_created_again);
    tcase_add_test(tests, commands_that_the_service_refuses_change_nothing);
    tcase_add_test(tests, commands_wait_for_moments_after_the_previous_change);
    tcase_add_test(tests, a_job_terminated_in_the_queue_counts_as_completed_for_waiting_commands);
    tcase_add_test(tests, a_command_whose_moment_never_happens_is_recorded_at_the_end);
    tcase_add_test(tests, a_cluster_deleted_while_its_nodes_wait_for_a_job_is_still_deleted);
    tcase_add_test(tests, nodes_are_gone_at_once_if_leaving_takes_no_time);
    tcase_add_test(tests, a_gang_terminated_in_the_queue_lets_a_job_start_that_fits);
    tcase_add_test(tests, a_job_whose_program_ends_while_it_is_terminated_has_failed);
    tcase_add_test(tests, a_second_deletion_does_not_delete_a_later_job_of_the_same_name);
    tcase_add_test(tests, a_run_ends_with_its_last_event_or_at_its_limit);
    tcase_add_test(tests, names_that_differ_only_in_letter_case_are_equal);
    tcase_add_test(tests, training_too_large_to_be_counted_is_refused);
    tcase_add_test(tests, bytes_that_never_arrive_keep_a_job_until_its_limit);
    tcase_add_test(tests, a_training_job_records_its_epochs_and_writes_its_model);
    tcase_add_test(tests, coarse_fidelities_agree_with_steps_within_one_percent);
    suite_add_tcase(suite, tests);
    return suite;
}
