#include <string.h>

#include "sim/base/units.h"
#include "sim/cloud/job/environment.h"
#include "sim/cloud/training/training.h"
#include "sim/scenario/validate.h"
#include "tests/support/small_scenario_fixture.h"
#include "tests/support/suite.h"

static const ScenarioFile *read_job(const char *job, Problems *problems)
{
    memory_files_set(&files, "job.json", job, strlen(job));
    *problems = problems_create(arena);
    return scenario_read(arena, memory_files_source(&files), "scenario.json",
                         (ScenarioOverrides){0}, problems);
}

/* The first command of that kind. */
static const Command *sound_command(const char *job, CommandKind kind)
{
    Problems problems;
    const ScenarioFile *file = read_job(job, &problems);
    ck_assert_msg(file != NULL, "%s", problems.count ? problems.items[0].message : "");
    int32_t i = 0;
    while (i < file->scenario.command_count && file->scenario.commands[i].kind != kind)
        i++;
    ck_assert_int_lt(i, file->scenario.command_count);
    return &file->scenario.commands[i];
}

/* The spec of the one job. */
static const JobSpec *sound_job(const char *job)
{
    return sound_command(job, COMMAND_JOB_CREATE)->as.job_create.spec;
}

static const char *variable(const JobSpec *spec, const char *name)
{
    for (int32_t i = 0; i < spec->environment_count; i++)
        if (strcmp(spec->environment[i].name, name) == 0)
            return spec->environment[i].value != NULL ? spec->environment[i].value : "(secret)";
    return "(none)";
}

START_TEST(paths_and_defaults_of_a_job_are_resolved)
{
    const JobSpec *spec = sound_job(small_job_text);
    ck_assert_int_eq(spec->nodes, 2);
    ck_assert_int_eq(spec->processes, 2);
    ck_assert_int_eq(spec->priority, PRIORITY_NORMAL);
    ck_assert_str_eq(spec->tool, "horovod");
    ck_assert_str_eq(spec->image->name, "tensorflow/tensorflow:1.8.0-gpu");
    ck_assert_str_eq(spec->command, "python $AZ_BATCHAI_JOB_MOUNT_ROOT/data/train.py --out "
                                    "$AZ_BATCHAI_OUTPUT_MODEL");
    ck_assert(!spec->has_preparation);
    ck_assert_int_eq(spec->mount_count, 1);
    ck_assert_str_eq(spec->mounts[0], "acc/data");
    ck_assert_str_eq(spec->std_out_err.share, "acc/data");
    ck_assert_str_eq(spec->std_out_err.directory, "logs");
    ck_assert_int_eq(spec->output_count, 1);
    ck_assert_str_eq(spec->outputs[0].id, "MODEL");
    ck_assert_str_eq(spec->outputs[0].place.share, "acc/data");
    ck_assert_str_eq(spec->outputs[0].place.directory, "");
    ck_assert_str_eq(spec->outputs[0].suffix, "models");
    ck_assert_int_eq(spec->max_wall_clock_ns, 7 * NS_PER_DAY);
}
END_TEST

START_TEST(a_program_is_resolved_for_its_job)
{
    const Program *program = sound_job(small_job_text)->program;
    ck_assert_int_eq(program->kind, PROGRAM_TRAIN);
    ck_assert_int_eq(program->epochs, 2);             // ceil(4 / 2 ranks)
    ck_assert_int_eq(program->steps_per_epoch, 1563); // ceil(50000 / 32)
    ck_assert_int_eq(program->evaluate_samples, 10000);
    ck_assert(program->downloads_data);
    ck_assert_str_eq(program->model_share, "acc/data");
    ck_assert_str_eq(program->model_path, "{segment}/outputs/models/model.h5");
    ck_assert_str_eq(program->model_shown_path,
                     "/mnt/batch/tasks/shared/LS_root/jobs/workspace/experiment/train/mounts/data/"
                     "{segment}/outputs/models/model.h5");
    ck_assert_int_eq(program->model_bytes, 5000000);
    ck_assert_int_eq(program->checkpoint_bytes, 0);
    ck_assert_int_eq(program->step_jitter_ppm.knots[0].value, PPM);
}
END_TEST

/* The job where the small scenario's text has `old` changed into `new`. */
static const JobSpec *job_in_changed_scenario(const char *old, const char *new)
{
    const char *scenario = with_change(arena, small_scenario_text, old, new);
    memory_files_set(&files, "scenario.json", scenario, strlen(scenario));
    return sound_job(small_job_text);
}

START_TEST(a_program_resumes_if_its_checkpoint_says_so)
{
    static const struct {
        const char *checkpoint;
        bool resumes;
    } rows[] = {
        {"{\"path\": \"/tmp/c-{epoch}.h5\", \"bytes\": \"5MB\"}", false},
        {"{\"path\": \"/tmp/c-{epoch}.h5\", \"bytes\": \"5MB\", \"resume\": false}", false},
        {"{\"path\": \"/tmp/c-{epoch}.h5\", \"bytes\": \"5MB\", \"resume\": true}", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *with = arena_printf(arena, "\"checkpoint\": %s, \"save\"", rows[i].checkpoint);
        const Program *program = job_in_changed_scenario("\"save\"", with)->program;
        ck_assert_int_eq(program->checkpoint_bytes, 5000000);
        ck_assert(program->resumes == rows[i].resumes);
    }
}
END_TEST

START_TEST(checkpoints_of_a_training_follow_epochs_steps_or_a_time)
{
    static const struct {
        const char *every;
        int64_t epochs, steps; /* steps -1: the time of 100 steps */
    } rows[] = {
        {"3", 3, 0},     {"\"500 steps\"", 0, 500}, {"\"1 steps\"", 0, 1}, {"\"1ns\"", 0, 1},
        {"\"4\"", 4, 0}, {"\"2 epochs\"", 2, 0},    {NULL, 0, -1},
    };
    int64_t step_ns = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *every =
            rows[i].every ? rows[i].every
                          : arena_printf(arena, "\"%" PRId64 "ns\"", 100 * step_ns + step_ns / 3);
        const JobSpec *job = job_in_changed_scenario(
            "\"save\"", arena_printf(arena,
                                     "\"checkpoint\": {\"path\": \"/tmp/c\", \"bytes\": "
                                     "\"5MB\", \"every\": %s}, \"save\"",
                                     every));
        ck_assert_int_eq(job->program->checkpoint_every, rows[i].epochs);
        ck_assert_int_eq(job->program->checkpoint_steps, rows[i].steps < 0 ? 100 : rows[i].steps);
        const ClusterSpec *cluster =
            sound_command(small_job_text, COMMAND_CLUSTER_CREATE)->as.cluster_create;
        const StepPlan plan = step_plan(job->program, cluster->vm_size,
                                        rank_places_spread(job->nodes, job->processes));
        step_ns = step_parts_sum(step_parts_mean(&plan));
        ck_assert_int_gt(step_ns, NS_PER_MS);
    }
    static const char *const wrong[] = {"0",
                                        "1.5",
                                        "\"0 steps\"",
                                        "\"500 step\"",
                                        "\" steps\"",
                                        "\"4294967297 steps\"",
                                        "\"99999999999 steps\"",
                                        "[]"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *scenario = with_change(
            arena, small_scenario_text, "\"save\"",
            arena_printf(
                arena,
                "\"checkpoint\": {\"path\": \"/tmp/c\", \"bytes\": \"5MB\", \"every\": %s}, "
                "\"save\"",
                wrong[i]));
        memory_files_set(&files, "scenario.json", scenario, strlen(scenario));
        Problems problems;
        ck_assert_ptr_null(read_job(small_job_text, &problems));
        ck_assert_ptr_nonnull(
            strstr(problems.items[0].message, "is not a number of epochs above 0, a number of"));
        ck_assert_int_eq(problems.count, 1);
    }
}
END_TEST

START_TEST(a_checkpoint_on_notice_needs_a_share_and_an_attempt_that_reads_it)
{
    static const struct {
        const char *path, *more, *message; /* NULL: it is accepted */
    } rows[] = {
        {"$AZ_BATCHAI_JOB_MOUNT_ROOT/data/c.h5", "\"resume\": true", NULL},
        {"$AZ_BATCHAI_JOB_MOUNT_ROOT/data/c.h5", "\"resume\": false",
         "\"on_notice\" needs \"resume\": true: without it no attempt reads the checkpoint"},
        {"/tmp/c.h5", "\"resume\": true",
         "\"on_notice\" is for checkpoints on a share, and \"/tmp/c.h5\" is not on a mounted one: "
         "it is lost with the node"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *with =
            arena_printf(arena,
                         "\"checkpoint\": {\"path\": \"%s\", \"bytes\": \"5MB\", %s, "
                         "\"on_notice\": true}, \"save\"",
                         rows[i].path, rows[i].more);
        if (rows[i].message == NULL) {
            ck_assert(job_in_changed_scenario("\"save\"", with)->program->saves_on_notice);
            continue;
        }
        const char *scenario = with_change(arena, small_scenario_text, "\"save\"", with);
        memory_files_set(&files, "scenario.json", scenario, strlen(scenario));
        Problems problems;
        ck_assert_ptr_null(read_job(small_job_text, &problems));
        ck_assert_str_eq(problems.items[0].message, rows[i].message);
        ck_assert_int_eq(problems.count, 1);
    }
}
END_TEST

START_TEST(a_program_saves_where_its_command_line_points)
{
    const char *scenario =
        with_change(arena, small_scenario_text, "$AZ_BATCHAI_OUTPUT_MODEL", "{--out}/best");
    memory_files_set(&files, "scenario.json", scenario, strlen(scenario));
    static const struct {
        const char *arguments, *path; /* NULL: refused */
    } rows[] = {
        {"--out $AZ_BATCHAI_OUTPUT_MODEL", "{segment}/outputs/models/best/model.h5"},
        {"--out=$AZ_BATCHAI_JOB_MOUNT_ROOT/data/run1 -v", "run1/best/model.h5"},
        {"--outer 1 --out  $AZ_BATCHAI_JOB_MOUNT_ROOT/data", "best/model.h5"},
        {"--outer $AZ_BATCHAI_OUTPUT_MODEL", NULL},
        {"-v --out", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *job =
            with_change(arena, small_job_text, "--out $AZ_BATCHAI_OUTPUT_MODEL", rows[i].arguments);
        Problems problems;
        if (rows[i].path != NULL) {
            ck_assert_str_eq(sound_job(job)->program->model_path, rows[i].path);
        } else {
            ck_assert_ptr_null(read_job(job, &problems));
            ck_assert_str_eq(problems.items[0].message, "the job's command line has no --out for "
                                                        "\"{--out}/best/model.h5\"");
        }
    }
}
END_TEST

START_TEST(an_option_in_a_path_may_have_a_default)
{
    static const struct {
        const char *arguments, *share, *path;
    } rows[] = {
        {"-v", NULL, "./best/model.h5"},
        {"--out=$AZ_BATCHAI_JOB_MOUNT_ROOT/data", "acc/data", "best/model.h5"},
    };
    const char *scenario =
        with_change(arena, small_scenario_text, "$AZ_BATCHAI_OUTPUT_MODEL", "{--out=.}/best");
    memory_files_set(&files, "scenario.json", scenario, strlen(scenario));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const Program *program =
            sound_job(with_change(arena, small_job_text, "--out $AZ_BATCHAI_OUTPUT_MODEL",
                                  rows[i].arguments))
                ->program;
        ck_assert_pstr_eq(program->model_share, rows[i].share);
        ck_assert_str_eq(program->model_path, rows[i].path);
    }
}
END_TEST

START_TEST(an_owner_can_state_the_duration_of_a_job)
{
    ck_assert_int_eq(sound_job(small_job_text)->expected_ns, 7 * NS_PER_DAY); // the time limit
    const JobSpec *spec = job_in_changed_scenario("\"do\": \"job.create\"",
                                                  "\"do\": \"job.create\", \"expected\": \"90m\"");
    ck_assert_int_eq(spec->expected_ns, 90 * NS_PER_MIN);
    ck_assert_int_eq(spec->max_wall_clock_ns, 7 * NS_PER_DAY);
}
END_TEST

/* The job of the small scenario with another command line. */
static const JobSpec *command_job(const char *toolkit, const char *command)
{
    const char *settings =
        arena_printf(arena, "\"%s\": {\"commandLine\": \"%s\"}", toolkit, command);
    return sound_job(with_change(arena, small_job_text,
                                 "\"horovodSettings\": {\n"
                                 "    \"pythonScriptFilePath\": "
                                 "\"$AZ_BATCHAI_JOB_MOUNT_ROOT/data/train.py\",\n"
                                 "    \"commandLineArgs\": \"--out $AZ_BATCHAI_OUTPUT_MODEL\"}",
                                 settings));
}

static void with_programs(const char *text)
{
    const char *scenario =
        with_change(arena, small_scenario_text, "\"programs\": [", arena_printf(arena, "%s", text));
    memory_files_set(&files, "scenario.json", scenario, strlen(scenario));
}

START_TEST(programs_take_precedence_over_shells_and_shells_over_the_default)
{
    static const char all[] = "\"other_programs\": {\"duration\": \"5m\", \"exit_code\": 2}, "
                              "\"programs\": [{\"match\": \"echo mine*\", \"duration\": "
                              "\"1m\"}, ";
    static const struct {
        const char *toolkit, *command;
        ProgramKind kind;
        const char *name;
        bool is_other;
    } rows[] = {
        {"customToolkitSettings", "echo mine", PROGRAM_FIXED, "echo mine*", false},
        {"customToolkitSettings", "echo yours", PROGRAM_SHELL, "shell", false},
        {"customToolkitSettings", "echo yours | wc", PROGRAM_FIXED, "other", true},
        {"customToolkitSettings", "/bin/train.py", PROGRAM_TRAIN, "*/train.py", false},
        // Under MPI both processes would run it.
        {"customMpiSettings", "echo yours", PROGRAM_FIXED, "other", true},
    };
    with_programs(all);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const Program *program = command_job(rows[i].toolkit, rows[i].command)->program;
        ck_assert_msg(program->kind == rows[i].kind, "%s", rows[i].command);
        ck_assert_str_eq(program->name, rows[i].name);
        ck_assert(program->is_other == rows[i].is_other);
        if (program->is_other) {
            ck_assert_int_eq(program->exit_code, 2);
            ck_assert_int_eq(program->duration.quantiles.knots[0].value, 5 * NS_PER_MIN);
        }
    }
}
END_TEST

START_TEST(a_script_has_the_mounts_of_its_job)
{
    const JobSpec *spec =
        command_job("customToolkitSettings", "echo hi > $AZ_BATCHAI_OUTPUT_MODEL/hi.txt; sleep 3");
    const ShellScript *script = spec->program->script;
    ck_assert_int_eq(script->pipeline_count, 2);
    ck_assert(script->uses_files);
    ck_assert_int_eq(script->mount_count, 1);
    ck_assert_str_eq(script->mounts[0].share, "acc/data");
    ck_assert_str_eq(script->mounts[0].path, "/mnt/batch/tasks/shared/LS_root/jobs/workspace/"
                                             "experiment/train/mounts/data");
}
END_TEST

START_TEST(a_preparation_of_simple_commands_runs_after_the_usual_overhead)
{
    static const struct {
        const char *preparations, *command;
        int64_t ms; /* -1: it varies */
        bool is_script;
    } rows[] = {
        {"", "echo ready; sleep 3", 750, true}, // catalogue: preparations/*
        {"", "make ready", 750, false},
        {"", "echo pip install x", -1, false}, // catalogue: preparations/*pip install*
        {"{\"match\": \"echo*\", \"duration\": \"4s\"}", "echo ready", 4000, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        with_programs(
            arena_printf(arena, "\"preparations\": [%s], \"programs\": [", rows[i].preparations));
        const JobSpec *spec = sound_job(with_change(
            arena, small_job_text, "\"nodeCount\": 2,",
            arena_printf(arena, "\"nodeCount\": 2, \"jobPreparation\": {\"commandLine\": \"%s\"},",
                         rows[i].command)));
        ck_assert(spec->has_preparation);
        ck_assert_msg((spec->preparation_script != NULL) == rows[i].is_script, "%s",
                      rows[i].command);
        ck_assert_int_eq(spec->preparation_ns.count == 1, rows[i].ms >= 0);
        if (rows[i].ms >= 0)
            ck_assert_int_eq(spec->preparation_ns.knots[0].value, rows[i].ms * NS_PER_MS);
    }
}
END_TEST

START_TEST(the_environment_matches_the_documentation)
{
    static const struct {
        const char *name, *value;
    } rows[] = {
        {"AZ_BATCHAI_MOUNT_ROOT", "/mnt/batch/tasks/shared/LS_root/mounts"},
        {"AZ_BATCHAI_JOB_MOUNT_ROOT",
         "/mnt/batch/tasks/shared/LS_root/jobs/workspace/experiment/train/mounts"},
        {"AZ_BATCHAI_JOB_TEMP_DIR", "/mnt/batch/tasks/shared/LS_root/jobs/"},
        {"AZ_BATCHAI_JOB_TEMP", "/mnt/batch/tasks/shared/LS_root/jobs/train"},
        {"AZ_BATCHAI_NUM_GPUS", "1"},
        {"AZ_BATCHAI_STDOUTERR_DIR", "/mnt/batch/tasks/shared/LS_root/jobs/workspace/experiment/"
                                     "train/mounts/data/logs/{segment}/stdouterr"},
        {"AZ_BATCHAI_OUTPUT_MODEL", "/mnt/batch/tasks/shared/LS_root/jobs/workspace/experiment/"
                                    "train/mounts/data/{segment}/outputs/models"},
        {"AZ_BATCH_HOST_LIST", "10.0.0.4,10.0.0.5"},
        {"MINE", "1"},
        {"KEY", "(secret)"},
        {"TF_CONFIG", "(none)"},
    };
    const JobSpec *spec = sound_job(with_change(
        arena, small_job_text, "\"nodeCount\": 2,",
        "\"nodeCount\": 2, \"environmentVariables\": [{\"name\": \"MINE\", \"value\": \"1\"}],"
        "\"secrets\": [{\"name\": \"KEY\", \"value\": \"hush\"}],"));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        ck_assert_str_eq(variable(spec, rows[i].name), rows[i].value);
    // The variables of the service precede the others.
    ck_assert_str_eq(spec->environment[0].name, "AZ_BATCHAI_MOUNT_ROOT");
    ck_assert_str_eq(spec->environment[spec->environment_count - 1].name, "KEY");
}
END_TEST

/* A session leaves out what follows from the job's path. */
START_TEST(folders_that_are_left_out_are_in_the_environment)
{
    Problems problems;
    const ScenarioFile *file = read_job(small_job_text, &problems);
    const JobSpec *spec = sound_job(small_job_text);
    JobSpec less = *spec;
    job_spec_leave_folders_out(arena, &less);
    ck_assert_int_eq(less.environment_count, spec->environment_count - JOB_FOLDERS);
    const ResourcePath path = {"group", "workspace", "experiment", "train"};
    const Job whole = {.path = path, .spec = spec}, bare = {.path = path, .spec = &less};
    int32_t count, bare_count;
    const EnvironmentVariable *all = job_environment(&file->scenario, &whole, arena, &count);
    const EnvironmentVariable *same = job_environment(&file->scenario, &bare, arena, &bare_count);
    ck_assert_int_eq(bare_count, count);
    for (int32_t i = 0; i < count; i++) {
        ck_assert_str_eq(same[i].name, all[i].name);
        ck_assert_str_eq(same[i].value, all[i].value);
    }
}
END_TEST

START_TEST(tensorflow_hosts_follow_the_port_rule)
{
    // The first node has the parameter server at 2222 and its worker at 2223.
    const char *job = with_change(arena, small_job_text, "horovodSettings", "tensorFlowSettings");
    const JobSpec *spec =
        sound_job(with_change(arena, job, "commandLineArgs", "masterCommandLineArgs"));
    ck_assert_str_eq(variable(spec, "AZ_BATCHAI_PS_HOSTS"), "10.0.0.4:2222");
    ck_assert_str_eq(variable(spec, "AZ_BATCHAI_WORKER_HOSTS"), "10.0.0.4:2223,10.0.0.5:2222");
    ck_assert_str_eq(variable(spec, "AZ_BATCHAI_TASK_INDEX"), "0");
    ck_assert_str_eq(variable(spec, "TF_CONFIG"),
                     "{\"cluster\":{\"ps\":[\"10.0.0.4:2222\"],\"worker\":[\"10.0.0.4:2223\","
                     "\"10.0.0.5:2222\"]},\"task\":{\"type\":\"worker\",\"index\":0},"
                     "\"environment\":\"cloud\"}");
}
END_TEST

/* The small job with other toolkit settings; `toolkit` is "xSettings": {...}. */
static const char *with_toolkit(const char *toolkit)
{
    return with_change(
        arena, small_job_text,
        "\"horovodSettings\": {\n"
        "    \"pythonScriptFilePath\": \"$AZ_BATCHAI_JOB_MOUNT_ROOT/data/train.py\",\n"
        "    \"commandLineArgs\": \"--out $AZ_BATCHAI_OUTPUT_MODEL\"}",
        toolkit);
}

#define SCRIPT "\"pythonScriptFilePath\": \"$AZ_BATCHAI_JOB_MOUNT_ROOT/data/train.py\""

START_TEST(every_toolkit_has_its_name_and_its_processes)
{
    static const struct {
        const char *settings, *tool;
        int32_t processes;
    } rows[] = {
        {"\"cntkSettings\": {" SCRIPT ", \"languageType\": \"Python\"}", "cntk", 2},
        {"\"pyTorchSettings\": {" SCRIPT ", \"communicationBackend\": \"Gloo\"}", "pytorch", 2},
        {"\"tensorFlowSettings\": {" SCRIPT ", \"workerCount\": 1}", "tensorflow", 1},
        {"\"caffeSettings\": {" SCRIPT "}", "caffe", 2},
        {"\"caffe2Settings\": {" SCRIPT "}", "caffe2", 2},
        {"\"chainerSettings\": {" SCRIPT ", \"processCount\": 8}", "chainer", 8},
        {"\"customToolkitSettings\": {\"commandLine\": \"run x/train.py\"}", "custom", 2},
        {"\"customMpiSettings\": {\"commandLine\": \"run x/train.py\", \"processCount\": 4}",
         "custommpi", 4},
        {"\"horovodSettings\": {" SCRIPT ", \"processCount\": 1}", "horovod", 1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const JobSpec *spec = sound_job(with_toolkit(rows[i].settings));
        ck_assert_str_eq(spec->tool, rows[i].tool);
        ck_assert_msg(spec->processes == rows[i].processes, "%s", rows[i].settings);
    }
}
END_TEST

START_TEST(values_listed_in_the_documentation_are_checked_in_any_letter_case)
{
    static const struct {
        const char *settings, *message; /* NULL: fine */
    } rows[] = {
        {"\"pyTorchSettings\": {" SCRIPT ", \"communicationBackend\": \"gloo\"}", NULL},
        {"\"pyTorchSettings\": {" SCRIPT ", \"communicationBackend\": \"foo\"}",
         "unknown communicationBackend \"foo\""},
        {"\"cntkSettings\": {" SCRIPT ", \"languageType\": \"python\"}", NULL},
        {"\"cntkSettings\": {\"configFilePath\": \"x\", \"languageType\": \"BrainScript\"}",
         "nothing says what this job does"}, // there are no others
        {"\"cntkSettings\": {" SCRIPT ", \"languageType\": \"R\"}", "unknown languageType \"R\""},
        {"\"cntkSettings\": {" SCRIPT ", \"languageType\": \"BrainScript\"}",
         "pythonScriptFilePath is not for languageType \"BrainScript\""},
        {"\"cntkSettings\": {\"configFilePath\": \"x\", \"languageType\": \"Python\"}",
         "configFilePath is not for languageType \"Python\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Problems problems;
        const ScenarioFile *file = read_job(with_toolkit(rows[i].settings), &problems);
        ck_assert_msg((file != NULL) == (rows[i].message == NULL), "%s: %s", rows[i].settings,
                      problems.count > 0 ? problems.items[0].message : "");
        if (file == NULL)
            ck_assert_msg(strstr(problems.items[0].message, rows[i].message) != NULL, "%s: %s",
                          rows[i].settings, problems.items[0].message);
    }
    static const char *const sizes[] = {"1", "64m", "1.5G", "512 MiB", "2gb"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        sound_job(with_change(arena, small_job_text, "1.8.0-gpu\"}",
                              arena_printf(arena, "1.8.0-gpu\"}, \"shmSize\": \"%s\"", sizes[i])));
}
END_TEST

START_TEST(dots_in_the_names_of_output_folders_do_not_lead_up)
{
    const JobSpec *spec =
        sound_job(with_change(arena, small_job_text, "/data/logs", "/data/.l..gs/..."));
    ck_assert_str_eq(spec->std_out_err.directory, ".l..gs/...");
}
END_TEST

/* Mistakes that the service reported late, or not at all, are refused before the run: the change
 * `new` of the text `old` in the small job has a problem with this message and hint. */
typedef struct {
    const char *old, *new;
    const char *message, *hint;
} Mistake;

static void check_mistakes(const Mistake *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        Problems problems;
        ck_assert_msg(read_job(with_change(arena, small_job_text, rows[i].old, rows[i].new),
                               &problems) == NULL,
                      "%s", rows[i].new);
        bool is_found = false;
        for (int32_t j = 0; j < problems.kept; j++)
            is_found = is_found || (problems.items[j].at.line > 0 &&
                                    strstr(problems.items[j].message, rows[i].message) != NULL &&
                                    strstr(problems.items[j].hint, rows[i].hint) != NULL);
        ck_assert_msg(is_found, "%s: first %s (%s)", rows[i].new, problems.items[0].message,
                      problems.items[0].hint);
    }
}

START_TEST(a_path_that_no_mount_or_variable_explains_is_refused)
{
    static const Mistake rows[] = {
        {"ROOT/data/logs", "ROOT/dta/logs",
         "$AZ_BATCHAI_JOB_MOUNT_ROOT/dta/logs is not under a mount",
         "mounted: $AZ_BATCHAI_JOB_MOUNT_ROOT/data"},
        {"$AZ_BATCHAI_JOB_MOUNT_ROOT/data/logs", "/tmp/logs", "is not on a mounted share",
         "mounted:"},
        {"ROOT/data/logs", "ROOT/data/logs/../../x",
         "stdOutErrPathPrefix \"$AZ_BATCHAI_JOB_MOUNT_ROOT/data/logs/../../x\" has a part \"..\"",
         "without \".\" and"},
        {"ROOT/data/logs", "ROOT/data/./logs", "has a part \".\"", ""},
        {"\"pathSuffix\": \"models\"", "\"pathSuffix\": \"../../x\"",
         "pathSuffix \"../../x\" has a part \"..\"", ""},
        {"\"pathPrefix\": \"$AZ_BATCHAI_JOB_MOUNT_ROOT/data\"",
         "\"pathPrefix\": \"$AZ_BATCHAI_JOB_MOUNT_ROOT/data/..\"",
         "pathPrefix \"$AZ_BATCHAI_JOB_MOUNT_ROOT/data/..\" has a part \"..\"", ""},
        {"$AZ_BATCHAI_JOB_MOUNT_ROOT/data/logs", "$AZ_BATCHAI_MOUNT_ROOT/data",
         "$AZ_BATCHAI_MOUNT_ROOT/data is not under a mount", "$AZ_BATCHAI_JOB_MOUNT_ROOT/data"},
        {"$AZ_BATCHAI_JOB_MOUNT_ROOT/data/logs", "$AZ_BATCHAI_JOB_MOUNT_ROT/data",
         "unknown variable \"AZ_BATCHAI_JOB_MOUNT_ROT\"",
         "did you mean \"AZ_BATCHAI_JOB_MOUNT_ROOT\"?"},
        {"$AZ_BATCHAI_JOB_MOUNT_ROOT/data/logs", "$AZ_BATCHAI_OUTPUT_MODELS",
         "unknown output directory id \"MODELS\"", "did you mean \"MODEL\"?"},
        {"$AZ_BATCHAI_JOB_MOUNT_ROOT/data/logs", "$AZ_BATCHAI_INPUT_DATA",
         "unknown input directory id \"DATA\"", "no \"inputDirectories\" can be used here"},
        {"$AZ_BATCHAI_JOB_MOUNT_ROOT/data/logs", "${AZ_BATCHAI_OUTPUT_X}/y",
         "unknown output directory id \"X\"", ""},
    };
    check_mistakes(rows, sizeof rows / sizeof rows[0]);
}
END_TEST

START_TEST(a_job_has_nodes_processes_and_one_toolkit_that_fit)
{
    static const Mistake rows[] = {
        {"\"nodeCount\": 2", "\"nodeCount\": 101", "but a cluster has at most 100",
         "\"assume\": {\"service/nodes_per_cluster\": 101}"},
        {"\"nodeCount\": 2", "\"nodeCount\": 2147483647", "a cluster has at most 100",
         "\"service/nodes_per_cluster\": 2147483647}"},
        {"\"nodeCount\": 2", "\"nodeCount\": 0", "nodeCount is 0, expected 1", ""},
        {"\"nodeCount\": 2", "\"nodCount\": 2", "unknown key \"nodCount\"",
         "did you mean \"nodeCount\"?"},
        {"\"nodeCount\": 2,", "", "this Job needs \"nodeCount\"", ""},
        {"\"nodeCount\": 2", "\"size\": 2", "this Job needs \"nodeCount\"", ""},
        {"\"commandLineArgs\"", "\"processCount\": 9, \"commandLineArgs\"",
         "processCount is 9, at most 8 fit: 4 on each node", ""},
        {"\"nodeCount\": 2,",
         "\"nodeCount\": 2, \"caffe2Settings\": {\"pythonScriptFilePath\": \"x\"},",
         "one toolkit, and there are \"horovodSettings\" and \"caffe2Settings\"", ""},
        {"\"horovodSettings\"", "\"horovodSetings\"", "unknown key \"horovodSetings\"",
         "did you mean \"horovodSettings\"?"},
        {"\"horovodSettings\"", "\"work\"", "the job has no toolkit", "one of"},
    };
    check_mistakes(rows, sizeof rows / sizeof rows[0]);
}
END_TEST

START_TEST(a_mount_or_file_that_is_not_there_is_refused)
{
    static const Mistake rows[] = {
        {"\"relativeMountPath\": \"data\"", "\"relativeMountPath\": \"/data\"",
         "is not a path below the mount root", "appears as $AZ_BATCHAI_JOB_MOUNT_ROOT/data"},
        {"\"relativeMountPath\": \"data\"", "\"relativeMountPath\": \"./\"",
         "is not a path below the mount root", ""},
        {"\"relativeMountPath\": \"data\"", "\"relativeMountPath\": \"a/../data\"",
         "is not a path below the mount root", ""},
        {"\"relativeMountPath\": \"data\"}]",
         "\"relativeMountPath\": \"data\"}], \"unmanagedFileSystems\": [{\"mountCommand\": "
         "\"m\", \"relativeMountPath\": \".//data/\"}]",
         "\".//data/\" is taken by another mount", ""},
        {"core.windows.net/data", "core.windows.net/dat", "unknown file share \"acc/dat\"",
         "did you mean \"acc/data\"?"},
        {"core.windows.net/data", "core.windows.net/", "does not name a share", "https://"},
        {"https://<", "http://<", "does not name a share", "https://"},
        {"https://<AZURE_BATCHAI_STORAGE_ACCOUNT>.file.core.windows.net/data",
         "http://127.0.0.1:10444/acc/dat", "unknown file share \"acc/dat\"", "acc/data"},
        {"https://<AZURE_BATCHAI_STORAGE_ACCOUNT>.file.core.windows.net/data",
         "http://127.0.0.1:10444/data", "does not name a share", "http://127.0.0.1"},
        {"ROOT/data/train.py", "ROOT/data/trian.py", "unknown file on share \"acc/data\"",
         "did you mean \"train.py\"?"},
    };
    check_mistakes(rows, sizeof rows / sizeof rows[0]);
}
END_TEST

START_TEST(wrong_names_and_values_of_a_job_are_refused)
{
    static const Mistake rows[] = {
        {"\"id\": \"MODEL\",",
         "\"id\": \"MODEL\", \"pathPrefix\": \"$AZ_BATCHAI_JOB_MOUNT_ROOT/data\"}, {\"id\": "
         "\"MODEL\",",
         "AZ_BATCHAI_OUTPUT_MODEL is declared twice", ""},
        {"\"nodeCount\": 2,",
         "\"nodeCount\": 2, \"constraints\": {\"maxWallClockTime\": \"7 days\"},", "", ""},
        {"\"nodeCount\": 2,",
         "\"nodeCount\": 2, \"constraints\": {\"maxWallClockTime\": \"PT0S\"},",
         "maxWallClockTime is \"PT0S\"", ""},
        {"\"id\": \"MODEL\"", "\"id\": \"stdOutErr\"", "output directory id \"stdOutErr\"",
         "stdOutErrPathPrefix"},
        {"\"nodeCount\": 2,",
         "\"nodeCount\": 2, \"environmentVariables\": [{\"name\": \"A B\", \"value\": \"1\"}],",
         "\"A B\" is not a name of a variable", ""},
        {"\"nodeCount\": 2,",
         "\"nodeCount\": 2, \"secrets\": [{\"name\": \"A=B\", \"value\": \"1\"}],",
         "\"A=B\" is not a name of a variable", ""},
        {"1.8.0-gpu\"}", "1.8.0-gpu\"}, \"shmSize\": \"64Q\"", "shmSize is \"64Q\"", "64m"},
        {"1.8.0-gpu\"}", "1.8.0-gpu\"}, \"shmSize\": \"0.0g\"", "shmSize is \"0.0g\"", ""},
        {"1.8.0-gpu\"}", "1.8.0-gpu\"}, \"shmSize\": \"\"", "shmSize is \"\"", ""},
        {"\"nodeCount\": 2,", "\"nodeCount\": 2, \"schedulingPriority\": \"hihg\",",
         "unknown schedulingPriority \"hihg\"", "did you mean \"high\"?"},
        {"\"imageSourceRegistry\": {\"image\"", "\"imageSourceRegistry\": {\"picture\"",
         "this ImageSourceRegistry needs \"image\"", ""},
    };
    check_mistakes(rows, sizeof rows / sizeof rows[0]);
}
END_TEST

/* The service passes the command line to a shell, where a variable that is not set is empty. */
START_TEST(a_likely_mistake_in_a_command_line_is_only_a_warning)
{
#define ROOT "$AZ_BATCHAI_JOB_MOUNT_ROOT"
    static const struct {
        const char *command;
        const char *warning, *hint; /* NULL: none */
        bool is_certain;            /* a problem instead */
    } rows[] = {
        {"ls " ROOT "/*", NULL, NULL, false},
        {"ls " ROOT "/d*", NULL, NULL, false},
        {"ls " ROOT "/?ata/x", NULL, NULL, false},
        {"ls " ROOT "/[cd]ata", NULL, NULL, false},
        {"ls " ROOT "/{data,x}", NULL, NULL, false},
        {"cat " ROOT "/./data/x", NULL, NULL, false},
        {"find " ROOT "/. -name x", NULL, NULL, false},
        {"ls " ROOT "//data//", NULL, NULL, false},
        {"ls " ROOT, NULL, NULL, false},
        {"ls " ROOT "/", NULL, NULL, false},
        {"echo `ls " ROOT "/data`", NULL, NULL, false},
        {"echo [" ROOT "/data]", NULL, NULL, false},
        {"sed s#^#" ROOT "/data# f", NULL, NULL, false},
        {"sed s@^@" ROOT "/data@ f", NULL, NULL, false},
        {"cat " ROOT "/\\\\data", NULL, NULL, false},
        {"ls '" ROOT "/data'", NULL, NULL, false},
        {"ls " ROOT "/other/x", ROOT "/other/x is not under a mount", "mounted: " ROOT "/data",
         false},
        {"ls '" ROOT "/other/x'", ROOT "/other/x is not under a mount", "", false},
        {"ls " ROOT "/other*", ROOT "/other is not under a mount", "", false},
        {"ls " ROOT "/data1", ROOT "/data1 is not under a mount", "", false},
        {"cd " ROOT "/.. && pwd", ROOT "/.. is not under a mount", "", false},
        {"echo $AZ_BATCHAI_OUTPUT_MODELS", "unknown output directory id \"MODELS\"",
         "did you mean \"MODEL\"?", true},
        {"echo ${AZ_BATCHAI_OUTPUT_X}/y", "unknown output directory id \"X\"", "", true},
        {"echo $AZ_BATCHAI_INPUT_DATA", "unknown input directory id \"DATA\"",
         "no \"inputDirectories\" can be used here", true},
        {"echo $AZ_BATCHAI_JOB_MOUNT_ROT", "unknown variable \"AZ_BATCHAI_JOB_MOUNT_ROT\"",
         "did you mean \"AZ_BATCHAI_JOB_MOUNT_ROOT\"?", false},
        {"echo ${AZ_BATCHAI_TASK_INDEX:-0}", NULL, NULL, false},
        {"export AZ_BATCHAI_FOO=1; echo $AZ_BATCHAI_FOO", NULL, NULL, false},
        {"for AZ_BATCHAI_I in 1 2; do echo ${AZ_BATCHAI_I}; done", NULL, NULL, false},
        {"echo $AZ_BATCHAI_FOO; AZ_BATCHAI_FOO2=1", "unknown variable \"AZ_BATCHAI_FOO\"", "",
         false},
        {"echo $HOME $AZ_BATCH_HOST_LIST $AZ_BATCHAI_NUM_GPUS", NULL, NULL, false},
    };
#undef ROOT
    with_programs("\"other_programs\": {\"duration\": \"5m\"}, \"programs\": [");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int is_preparation = 0; is_preparation < 2; is_preparation++) {
            const char *entry =
                arena_printf(arena,
                             is_preparation ? "\"jobPreparation\": {\"commandLine\": \"%s\"}, "
                                              "\"customToolkitSettings\": {\"commandLine\": "
                                              "\"true\"}"
                                            : "\"customToolkitSettings\": {\"commandLine\": "
                                              "\"%s\"}",
                             rows[i].command);
            Problems problems;
            const ScenarioFile *file = read_job(with_toolkit(entry), &problems);
            ck_assert_msg((file == NULL) == rows[i].is_certain, "%s: %s", rows[i].command,
                          problems.count > 0 ? problems.items[0].message : "");
            const Problems *warnings = file != NULL ? &file->warnings : &problems;
            ck_assert_msg(warnings->count == (rows[i].warning != NULL), "%s: %d", rows[i].command,
                          (int)warnings->count);
            if (rows[i].warning == NULL)
                continue;
            ck_assert_str_eq(warnings->items[0].message, rows[i].warning);
            ck_assert_msg(strstr(warnings->items[0].hint, rows[i].hint) != NULL, "%s: %s",
                          rows[i].command, warnings->items[0].hint);
        }
    }
}
END_TEST

/* A path does not pass through a shell, so every character belongs to the path. */
START_TEST(a_path_is_taken_literally_and_a_mount_is_found_by_any_of_its_spellings)
{
    static const struct {
        const char *mount, *path;
        const char *directory; /* NULL: under no mount */
    } rows[] = {
        {"my share", "my share/logs", "logs"},
        {"a:b", "a:b", ""},
        {"a,b", "a,b/x y", "x y"},
        {"a;b", "a;b/x", "x"},
        {"a'b", "a'b/x", "x"},
        {"a//b", "a/b/x", "x"},
        {"a//b", "a//b/x", "x"},
        {"./a/./b/", "a//b/x", "x"},
        {"my share", "my", NULL},
        {"data", "data*", NULL},
        {"data", "data x", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *job = with_change(
            arena, with_toolkit("\"customToolkitSettings\": {\"commandLine\": \"true\"}"),
            "\"relativeMountPath\": \"data\"",
            arena_printf(arena, "\"relativeMountPath\": \"%s\"", rows[i].mount));
        job = with_change(arena, job,
                          "\"outputDirectories\": [{\"id\": \"MODEL\",\n    \"pathPrefix\": "
                          "\"$AZ_BATCHAI_JOB_MOUNT_ROOT/data\", \"pathSuffix\": \"models\"}],\n",
                          "");
        job =
            with_change(arena, job, "ROOT/data/logs", arena_printf(arena, "ROOT/%s", rows[i].path));
        Problems problems;
        const ScenarioFile *file = read_job(job, &problems);
        if (rows[i].directory == NULL) {
            ck_assert_ptr_null(file);
            ck_assert_str_eq(problems.items[0].message,
                             arena_printf(arena,
                                          "$AZ_BATCHAI_JOB_MOUNT_ROOT/%s is not under a mount",
                                          rows[i].path));
            continue;
        }
        ck_assert_msg(file != NULL, "%s: %s", rows[i].path,
                      problems.count > 0 ? problems.items[0].message : "");
        const JobSpec *spec = sound_job(job);
        ck_assert_str_eq(spec->std_out_err.share, "acc/data");
        ck_assert_str_eq(spec->std_out_err.directory, rows[i].directory);
    }
}
END_TEST

START_TEST(workers_and_parameter_servers_must_fit_gpus_and_nodes)
{
    static const struct {
        const char *settings, *message; /* NULL: fine */
    } rows[] = {
        // Two NC6 nodes with one GPU each.
        {"\"workerCount\": 2, \"parameterServerCount\": 2", NULL},
        {"\"workerCount\": 3", "workerCount is 3, at most 2 fit: one on each GPU"},
        {"\"parameterServerCount\": 3", "parameterServerCount is 3, at most 2 fit"},
        {"\"workerCount\": 0", "workerCount is 0, expected 1"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        Problems problems;
        const char *toolkit =
            arena_printf(arena, "\"tensorFlowSettings\": {" SCRIPT ", %s}", rows[i].settings);
        const ScenarioFile *file = read_job(with_toolkit(toolkit), &problems);
        ck_assert_msg((file != NULL) == (rows[i].message == NULL), "%s", rows[i].settings);
        ck_assert_msg(file != NULL || strstr(problems.items[0].message, rows[i].message) != NULL,
                      "%s: %s", rows[i].settings, problems.count ? problems.items[0].message : "");
    }
}
END_TEST

START_TEST(a_program_without_gpus_to_train_on_is_refused)
{
    Problems problems = problems_create(arena);
    static const char *const sets[] = {"/commands/0/config/properties/vmSize=STANDARD_D1"};
    ck_assert_ptr_null(scenario_read(arena, memory_files_source(&files), "scenario.json",
                                     (ScenarioOverrides){.count = 1, .items = sets}, &problems));
    ck_assert_ptr_nonnull(strstr(problems.items[0].message, "Standard_D1 has none"));
}
END_TEST

START_TEST(impossible_clusters_are_refused)
{
    static const struct {
        const char *old, *new, *message, *hint;
    } rows[] = {
        {"STANDARD_NC6", "STANDARD_NC7", "unknown VM size \"STANDARD_NC7\"",
         "did you mean \"Standard_NC"},
        {"\"targetNodeCount\": 2", "\"targetNodeCount\": 1000", "a cluster has at most 100",
         "\"assume\": {\"service/nodes_per_cluster\": 1000}"},
        {"\"manual\": {\"targetNodeCount\": 2}", "", "neither of \"manual\" and \"autoScale\"", ""},
        {"\"manual\": {\"targetNodeCount\": 2}",
         "\"manual\": {\"targetNodeCount\": 2}, \"autoScale\": {\"minimumNodeCount\": 0, "
         "\"maximumNodeCount\": 2}",
         "both of", ""},
        {"\"manual\": {\"targetNodeCount\": 2}",
         "\"autoScale\": {\"minimumNodeCount\": 0, \"maximumNodeCount\": 101}",
         "101 nodes, but a cluster has at most 100", "\"service/nodes_per_cluster\": 101}"},
        {"\"manual\": {\"targetNodeCount\": 2}",
         "\"autoScale\": {\"minimumNodeCount\": 0, \"maximumNodeCount\": 2, "
         "\"initialNodeCount\": 3}",
         "initialNodeCount is 3, above maximumNodeCount 2", ""},
        {"\"manual\": {\"targetNodeCount\": 2}",
         "\"autoScale\": {\"minimumNodeCount\": 3, \"maximumNodeCount\": 2}",
         "minimumNodeCount is 3, above", ""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *text = with_change(arena, small_cluster_text, rows[i].old, rows[i].new);
        memory_files_set(&files, "cluster.json", text, strlen(text));
        Problems problems;
        ck_assert_msg(read_job(small_job_text, &problems) == NULL, "%s", rows[i].new);
        ck_assert_msg(strstr(problems.items[0].message, rows[i].message) != NULL &&
                          strstr(problems.items[0].hint, rows[i].hint) != NULL,
                      "%s: %s (%s)", rows[i].new, problems.items[0].message,
                      problems.items[0].hint);
    }
}
END_TEST

START_TEST(a_range_of_one_number_is_a_manual_scale_as_in_az)
{
    const char *text =
        with_change(arena, small_cluster_text, "\"manual\": {\"targetNodeCount\": 2}",
                    "\"autoScale\": {\"minimumNodeCount\": 2, \"maximumNodeCount\": 2}");
    memory_files_set(&files, "cluster.json", text, strlen(text));
    ck_assert_int_eq(sound_job(small_job_text)->nodes, 2);
}
END_TEST

START_TEST(cluster_mounts_serve_jobs_too)
{
    const char *cluster = with_change(
        arena, small_cluster_text, "\"vmSize\"",
        "\"nodeSetup\": {\"mountVolumes\": {\"azureFileShares\": [{\"azureFileUrl\": "
        "\"https://acc.file.core.windows.net/data\", \"relativeMountPath\": \"all\"}]}}, "
        "\"vmSize\"");
    memory_files_set(&files, "cluster.json", cluster, strlen(cluster));
    const JobSpec *spec =
        sound_job(with_change(arena, small_job_text, "$AZ_BATCHAI_JOB_MOUNT_ROOT/data/logs",
                              "$AZ_BATCHAI_MOUNT_ROOT//all/x//logs/"));
    ck_assert_str_eq(spec->std_out_err.share, "acc/data");
    ck_assert_str_eq(spec->std_out_err.directory, "x/logs");
    ck_assert_int_eq(spec->mount_count, 1); // of the job
}
END_TEST

START_TEST(files_are_validated_separately_by_their_kind)
{
    static const struct {
        const char *text, *kind, *message;
    } rows[] = {
        {small_job_text, "job", NULL},
        {small_cluster_text, "cluster", NULL},
        {"{\"nodeCount\": 1}", "job", "needs \"stdOutErrPathPrefix\""},
        {"{\"vmSize\": 1}", "cluster", "vmSize is 1, expected a string"},
        {"{}", NULL, "not a scenario, cluster, job or catalogue"},
        {"[]", NULL, "not a scenario, cluster, job or catalogue"},
        {"", NULL, "empty"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        Problems problems = problems_create(arena), warnings = problems_create(arena);
        memory_files_set(&files, "x.json", rows[i].text, strlen(rows[i].text));
        const char *kind = validate_file(arena, memory_files_source(&files), "x.json",
                                         (ScenarioOverrides){0}, &problems, &warnings, NULL);
        ck_assert_msg(rows[i].kind == NULL ? kind == NULL : strcmp(kind, rows[i].kind) == 0, "%s",
                      rows[i].text);
        ck_assert_int_eq(problems.count > 0, rows[i].message != NULL);
        if (rows[i].message != NULL)
            ck_assert_ptr_nonnull(strstr(problems.items[0].message, rows[i].message));
    }
}
END_TEST

/* --- Command lines that nothing describes --- */

/* A job whose command line is `command`, in the scenario with `more` members. */
static const JobSpec *described_job(const char *more, const char *command, const char *variables)
{
    with_programs(arena_printf(arena, "%s\"programs\": [", more));
    const char *job = with_toolkit(arena_printf(
        arena, "%s\"customToolkitSettings\": {\"commandLine\": \"%s\"}", variables, command));
    return sound_job(job);
}

START_TEST(an_unknown_command_line_takes_a_time_of_the_catalogue)
{
    static const char defaults[] = "\"other_programs\": {}, ";
    const Program *program = described_job(defaults, "python /x/mine.py", "")->program;
    ck_assert(program->is_other);
    ck_assert_int_eq(program->exit_code, 0);
    const Quantiles *times = &program->duration.quantiles;
    ck_assert_int_eq(times->knots[0].value, 3500 * NS_PER_MS); // azure-2018, the shortest recipe
    ck_assert_int_eq(times->knots[times->count - 1].value, NS_PER_HOUR);
    program =
        described_job(defaults, "df -h | grep -E 'a|b' && ssh 10.0.0.4 hostname", "")->program;
    times = &program->duration.quantiles;
    ck_assert_int_eq(times->knots[times->count - 1].value, NS_PER_S); // tools end at once
}
END_TEST

START_TEST(a_job_states_its_own_duration_and_exit_code)
{
    static const struct {
        const char *variables;
        int64_t duration_ns; /* -1: the catalogue's */
        int32_t exit_code;
    } rows[] = {
        {"{\"name\": \"TRAINYARD_DURATION\", \"value\": \"90m\"}", 90 * NS_PER_MIN, 0},
        {"{\"name\": \"TRAINYARD_EXIT_CODE\", \"value\": \"7\"}", -1, 7},
        {"{\"name\": \"TRAINYARD_EXIT_CODE\", \"value\": \"255\"}, "
         "{\"name\": \"TRAINYARD_DURATION\", \"value\": \"5s\"}",
         5 * NS_PER_S, 255},
    };
    static const char *const bad[] = {"DURATION\", \"value\": \"soon",
                                      "EXIT_CODE\", \"value\": \"256",
                                      "EXIT_CODE\", \"value\": \"-1", "EXIT_CODE\", \"value\": \""};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        // They win over a program of the scenario, too.
        const char *list =
            arena_printf(arena, "\"environmentVariables\": [%s], ", rows[i].variables);
        const Program *program = described_job("", "python */train.py", list)->program;
        ck_assert(program->is_other);
        ck_assert_int_eq(program->exit_code, rows[i].exit_code);
        if (rows[i].duration_ns >= 0)
            ck_assert_int_eq(program->duration.quantiles.knots[0].value, rows[i].duration_ns);
        else
            ck_assert_int_gt(program->duration.quantiles.count, 1);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Problems problems;
        const char *job =
            with_toolkit(arena_printf(arena,
                                      "\"environmentVariables\": [{\"name\": \"TRAINYARD_%s\"}], "
                                      "\"customToolkitSettings\": {\"commandLine\": \"x\"}",
                                      bad[i]));
        ck_assert_msg(read_job(job, &problems) == NULL && problems.count == 1, "%s", bad[i]);
    }
}
END_TEST

START_TEST(a_program_may_be_a_script_of_simple_commands)
{
    with_programs("\"programs\": [{\"match\": \"python mine.py*\", \"script\": \"echo one; sleep "
                  "20m; exit 3\"}, ");
    const char *job =
        with_toolkit("\"customToolkitSettings\": {\"commandLine\": \"python mine.py 5\"}");
    const Program *program = sound_job(job)->program;
    ck_assert_int_eq(program->kind, PROGRAM_SHELL);
    ck_assert_str_eq(program->name, "python mine.py*");
    ck_assert_int_eq(program->script->pipeline_count, 3);
    static const char *const bad[] = {"\"script\": \"python x.py\"",
                                      "\"script\": \"exit 1\", \"duration\": \"1m\"",
                                      "\"script\": \"exit 1\", \"exit_code\": 2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Problems problems;
        files = small_scenario(arena);
        with_programs(arena_printf(arena, "\"programs\": [{\"match\": \"m*\", %s}, ", bad[i]));
        ck_assert_msg(read_job(small_job_text, &problems) == NULL, "%s", bad[i]);
        ck_assert_int_eq(problems.count, 1);
    }
}
END_TEST

START_TEST(a_share_may_be_named_by_an_emulators_own_address)
{
    static const char *const urls[] = {"http://127.0.0.1:10444/acc/data",
                                       "http://localhost:10444/acc/data/",
                                       "https://127.0.0.1/acc/data"};
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        const char *job = with_change(
            arena, small_job_text,
            "https://<AZURE_BATCHAI_STORAGE_ACCOUNT>.file.core.windows.net/data", urls[i]);
        ck_assert_str_eq(sound_job(job)->mounts[0], "acc/data");
    }
}
END_TEST

START_TEST(an_image_that_is_not_listed_has_an_assumed_size)
{
    Problems problems;
    const char *job =
        with_change(arena, small_job_text, "tensorflow/tensorflow:1.8.0-gpu", "my/own:7");
    const ScenarioFile *file = read_job(job, &problems);
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(file->warnings.count, 1);
    ck_assert_ptr_nonnull(strstr(file->warnings.items[0].message, "container image \"my/own:7\""));
    ck_assert_ptr_nonnull(strstr(file->warnings.items[0].message, "ASSUMED"));
    const ContainerImage *image = sound_job(job)->image;
    ck_assert_str_eq(image->name, "my/own:7");
    ck_assert_int_ge(image->compressed_bytes, 43000000);
    ck_assert_int_le(image->compressed_bytes, INT64_C(2800000000));
    ck_assert_int_eq(sound_job(job)->image->compressed_bytes, image->compressed_bytes);
    const char *other =
        with_change(arena, small_job_text, "tensorflow/tensorflow:1.8.0-gpu", "another:1");
    ck_assert_int_ne(sound_job(other)->image->compressed_bytes, image->compressed_bytes);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("job_config");
    TCase *tests = tcase_create("job_config");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, paths_and_defaults_of_a_job_are_resolved);
    tcase_add_test(tests, a_program_is_resolved_for_its_job);
    tcase_add_test(tests, a_program_resumes_if_its_checkpoint_says_so);
    tcase_add_test(tests, checkpoints_of_a_training_follow_epochs_steps_or_a_time);
    tcase_add_test(tests, a_checkpoint_on_notice_needs_a_share_and_an_attempt_that_reads_it);
    tcase_add_test(tests, a_program_saves_where_its_command_line_points);
    tcase_add_test(tests, an_option_in_a_path_may_have_a_default);
    tcase_add_test(tests, an_owner_can_state_the_duration_of_a_job);
    tcase_add_test(tests, programs_take_precedence_over_shells_and_shells_over_the_default);
    tcase_add_test(tests, a_script_has_the_mounts_of_its_job);
    tcase_add_test(tests, a_preparation_of_simple_commands_runs_after_the_usual_overhead);
    tcase_add_test(tests, the_environment_matches_the_documentation);
    tcase_add_test(tests, tensorflow_hosts_follow_the_port_rule);
    tcase_add_test(tests, every_toolkit_has_its_name_and_its_processes);
    tcase_add_test(tests, values_listed_in_the_documentation_are_checked_in_any_letter_case);
    tcase_add_test(tests, dots_in_the_names_of_output_folders_do_not_lead_up);
    tcase_add_test(tests, a_path_that_no_mount_or_variable_explains_is_refused);
    tcase_add_test(tests, a_job_has_nodes_processes_and_one_toolkit_that_fit);
    tcase_add_test(tests, a_mount_or_file_that_is_not_there_is_refused);
    tcase_add_test(tests, wrong_names_and_values_of_a_job_are_refused);
    tcase_add_test(tests, a_likely_mistake_in_a_command_line_is_only_a_warning);
    tcase_add_test(tests, a_path_is_taken_literally_and_a_mount_is_found_by_any_of_its_spellings);
    tcase_add_test(tests, workers_and_parameter_servers_must_fit_gpus_and_nodes);
    tcase_add_test(tests, a_program_without_gpus_to_train_on_is_refused);
    tcase_add_test(tests, impossible_clusters_are_refused);
    tcase_add_test(tests, a_range_of_one_number_is_a_manual_scale_as_in_az);
    tcase_add_test(tests, cluster_mounts_serve_jobs_too);
    tcase_add_test(tests, files_are_validated_separately_by_their_kind);
    tcase_add_test(tests, an_unknown_command_line_takes_a_time_of_the_catalogue);
    tcase_add_test(tests, a_job_states_its_own_duration_and_exit_code);
    tcase_add_test(tests, a_program_may_be_a_script_of_simple_commands);
    tcase_add_test(tests, a_share_may_be_named_by_an_emulators_own_address);
    tcase_add_test(tests, folders_that_are_left_out_are_in_the_environment);
    tcase_add_test(tests, an_image_that_is_not_listed_has_an_assumed_size);
    suite_add_tcase(suite, tests);
    return suite;
}
