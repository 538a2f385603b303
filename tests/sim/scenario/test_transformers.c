/* Scenarios that train transformers: what a program says becomes a plan, and is refused with place
 * and hint if it cannot. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/scenario/transformer/prediction.h"
#include "sim/scenario/transformer/tokens.h"
#include "tests/support/memory_files.h"
#include "tests/support/suite.h"

static Arena *arena;
static MemoryFiles files;

static const char text[] =
    "{\"trainyard\": 1, \"quotas\": \"unlimited\",\n"
    "\"catalog\": [\"catalog/azure-2018.json\", \"catalog/transformers.json\", "
    "\"catalog/transformer_software.json\"],\n"
    "\"storage\": [{\"account\": \"a\", \"shares\": [{\"name\": \"s\"}]}],\n"
    "\"programs\": [{\"match\": \"*\", \"transformer\": {\n"
    "  \"model\": \"llama3-8b\",\n"
    "  \"layout\": \"tp=2,fsdp\",\n"
    "  \"sequence\": 8192, \"global_batch\": 128,\n"
    "  \"tokens\": \"1B\",\n"
    "  \"checkpoint\": {\"path\": \"$AZ_BATCHAI_MOUNT_ROOT/m\", \"every\": 100}}}],\n"
    "\"commands\": [\n"
    "{\"at\": \"0s\", \"do\": \"cluster.create\", \"name\": \"c\", \"config\": {\"properties\": {"
    "\"vmSize\": \"Standard_ND96isr_H100_v5\", \"scaleSettings\": {\"manual\": "
    "{\"targetNodeCount\": 4}}, \"nodeSetup\": {\"mountVolumes\": {\"azureFileShares\": "
    "[{\"azureFileUrl\": \"https://a.file.core.windows.net/s\", \"relativeMountPath\": "
    "\"m\"}]}}}}},\n"
    "{\"at\": \"0s\", \"do\": \"job.create\", \"name\": \"j\", \"config\": {\"properties\": {"
    "\"cluster\": {\"id\": \"c\"}, \"nodeCount\": 4, \"stdOutErrPathPrefix\": "
    "\"$AZ_BATCHAI_MOUNT_ROOT/m\", \"customToolkitSettings\": {\"commandLine\": \"train\"}}}}]}";

static void set_up(void)
{
    arena = arena_create();
    files = (MemoryFiles){0};
    memory_files_set_catalog(&files, arena, "catalog/");
    memory_files_set_transformers(&files, arena, "catalog/");
}

static void tear_down(void)
{
    arena_destroy(arena);
}

static ScenarioFile *read(const char *old, const char *new, Problems *problems)
{
    const char *changed = with_change(arena, text, old, new);
    *problems = problems_create(arena);
    memory_files_set(&files, "scenario.json", changed, strlen(changed));
    return scenario_read(arena, memory_files_source(&files), "scenario.json",
                         (ScenarioOverrides){0}, problems);
}

static const Program *job_program(const ScenarioFile *file)
{
    for (int32_t i = 0; i < file->scenario.command_count; i++)
        if (file->scenario.commands[i].kind == COMMAND_JOB_CREATE)
            return file->scenario.commands[i].as.job_create.spec->program;
    ck_abort_msg("no job");
    return NULL;
}

/* The program of the job, with the first `old` of the scenario replaced. */
static const Program *program_with(const char *old, const char *new)
{
    Problems problems;
    const ScenarioFile *file = read(old, new, &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    return job_program(file);
}

START_TEST(a_step_takes_the_time_that_predict_states)
{
    Problems problems = problems_create(arena);
    const ScenarioFile *file = read("llama3-8b", "llama3-8b", &problems);
    TransformerRequest request = {.model = "llama3-8b",
                                  .shape = *catalog_transformer(file->catalog, "llama3-8b"),
                                  .vm_size = "Standard_ND96isr_H100_v5",
                                  .software = "megatron-core",
                                  .wire = WIRE_ANY,
                                  .gpus = 32,
                                  .global_batch = 128,
                                  .layout = "tp=2,fsdp"};
    TransformerPrediction *predicted = ARENA_NEW(arena, TransformerPrediction);
    Status status = {0};
    ck_assert(transformer_prediction_make(file->catalog, &request, predicted, &status));
    const Program *program = program_with("llama3-8b", "llama3-8b");
    const TransformerTraining *planned = program->transformer;
    const double step_ns = 1e9 * predicted->search.ranked[0].step.step_s;
    // Each of four parts is rounded up to whole nanoseconds.
    ck_assert_double_ge((double)transformer_step_ns(planned), step_ns - 1e-3);
    ck_assert_double_le((double)transformer_step_ns(planned), step_ns + 4);
    ck_assert_int_eq(planned->gpus, 32);
    ck_assert_int_eq(planned->memory_bytes, predicted->search.ranked[0].memory.total_bytes);
    // MFU, from the plan alone.
    const double mfu = (double)planned->flops_per_token * (double)planned->tokens_per_step * 1e9 /
                       (double)transformer_step_ns(planned) /
                       ((double)planned->peak_flops_per_s * planned->gpus);
    ck_assert_double_eq_tol(mfu,
                            transformer_mfu(&predicted->job, &predicted->search.ranked[0].layout,
                                            predicted->machine.gpu, ATTENTION_AS_COMPUTED,
                                            predicted->search.ranked[0].step.step_s),
                            1e-6);
}
END_TEST

START_TEST(work_is_counted_in_whole_steps)
{
    // 128 x 8192 tokens a step: 10^9 tokens are 953.7 steps, 9 times 100 and 54.
    const Program *program = program_with("1B", "1B");
    ck_assert_int_eq(program->transformer->tokens_per_step, 1048576);
    ck_assert_int_eq(program->transformer->steps, 954);
    ck_assert_int_eq(program->steps_per_epoch, 100);
    ck_assert_int_eq(program->epochs, 10);
    ck_assert_int_eq(program->missing_steps, 46);
    // 8,030,261,248 parameters of 14 bytes; all 32 ranks write.
    ck_assert_int_eq(program->checkpoint_bytes, INT64_C(8030261248) * 14);
    ck_assert_int_eq(program->checkpoint_files, 32);
    ck_assert_str_eq(program->checkpoint_share, "a/s");
    ck_assert(program->resumes);
    // Steps instead of tokens, fewer than the interval.
    program = program_with("\"tokens\": \"1B\"", "\"steps\": 70");
    ck_assert_int_eq(program->transformer->steps, 70);
    ck_assert_int_eq(program->steps_per_epoch, 70);
    ck_assert_int_eq(program->epochs, 1);
    ck_assert_int_eq(program->missing_steps, 0);
    // A time becomes the nearest number of steps.
    program = program_with("\"every\": 100", "\"every\": \"10m\"");
    const int64_t step_ns = transformer_step_ns(program->transformer);
    ck_assert_int_le(llabs(program->steps_per_epoch * step_ns - 600 * NS_PER_S), step_ns / 2);
    program = program_with("\"every\": 100", "\"every\": \"1ms\"");
    ck_assert_int_eq(program->steps_per_epoch, 1);
}
END_TEST

START_TEST(a_model_may_be_in_the_scenario)
{
    const Program *named = program_with("llama3-8b", "llama3-8b");
    const Program *own =
        program_with("\"llama3-8b\"", "{\"layers\": 32, \"hidden\": 4096, \"mlp\": 14336, "
                                      "\"heads\": 32, \"kv_heads\": 8, \"vocabulary\": 128256, "
                                      "\"sequence\": 8192}");
    ck_assert_int_eq(transformer_step_ns(own->transformer),
                     transformer_step_ns(named->transformer));
    ck_assert_str_eq(own->transformer->layout, named->transformer->layout);
}
END_TEST

START_TEST(experts_are_planned_with_the_assumptions_of_the_catalogue)
{
    const char *const model = "\"model\": \"mixtral-8x7b\",\n  \"layout\": \"ep=8,fsdp\"";
    const char *const dense = "\"model\": \"llama3-8b\",\n  \"layout\": \"tp=2,fsdp\"";
    const Program *program = program_with(dense, model);
    const TransformerTraining *planned = program->transformer;
    ck_assert_str_eq(planned->routing, "any");
    ck_assert_ptr_nonnull(strstr(planned->layout, ",ep=8,"));
    // All parameters are in a checkpoint; operations are those of the active ones.
    ck_assert_int_eq(program->checkpoint_bytes, INT64_C(46702792704) * 14);
    ck_assert_int_eq(planned->flops_per_token,
                     INT64_C(6) * 12748587008 + INT64_C(6) * 32 * 4096 * 8192);
    ck_assert_ptr_null(program_with("llama3-8b", "llama3-8b")->transformer->routing);
    // A scenario may assume another balance, and a model may have its own.
    const int64_t step_ns = transformer_step_ns(planned);
    const char *const balanced = arena_printf(
        arena, "\"assume\": {\"transformer_routing/any/imbalance\": \"100%%\"},\n\"programs\"");
    const char *changed = with_change(arena, text, dense, model);
    changed = with_change(arena, changed, "\"programs\"", balanced);
    Problems problems = problems_create(arena);
    memory_files_set(&files, "scenario.json", changed, strlen(changed));
    const ScenarioFile *file = scenario_read(arena, memory_files_source(&files), "scenario.json",
                                             (ScenarioOverrides){0}, &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    ck_assert_int_lt(transformer_step_ns(job_program(file)->transformer), step_ns);
    program = program_with(
        dense, "\"model\": {\"layers\": 32, \"hidden\": 4096, \"mlp\": 14336, \"heads\": 32, "
               "\"kv_heads\": 8, \"vocabulary\": 32000, \"sequence\": 4096, \"experts\": "
               "{\"count\": 8, \"per_token\": 2, \"imbalance\": \"200%\"}},\n"
               "  \"layout\": \"ep=8,fsdp\"");
    ck_assert_int_gt(transformer_step_ns(program->transformer), step_ns);
}
END_TEST

START_TEST(what_cannot_run_is_refused_with_place_and_hint)
{
    static const struct {
        const char *old, *new, *message, *hint;
        int32_t line, column;
    } rows[] = {
        {"llama3-8b", "llama3-9b", "unknown model \"llama3-9b\"", "llama3-8b", 5, 12},
        {"\"llama3-8b\"", "7", "", "", 5, 12},
        {"\"llama3-8b\"",
         "{\"layers\": 2, \"hidden\": 64, \"mlp\": 64, \"heads\": 3, \"vocabulary\": 9, "
         "\"sequence\": 8}",
         "heads", "", 5, 12},
        {"\"layout\": \"tp=2,fsdp\"", "\"layout\": \"tp=2,tp=4\"", "a second choice of tp", "", 6,
         18},
        {"\"layout\": \"tp=2,fsdp\"", "\"layout\": \"tp=3\"", "", "", 6, 13},
        {"\"layout\": \"tp=2,fsdp\"", "\"layout\": \"ddp,mb=4\"",
         "llama3-8b does not fit: with dp=32",
         "the nearest layout that fits is \"dp=32,tp=1,pp=1,cp=1,", 6, 13},
        {"\"layout\": \"tp=2,fsdp\"", "\"layout\": \"ep=2,fsdp\"",
         "this model has none: leave ep out", "", 6, 13},
        {"\"llama3-8b\"",
         "{\"layers\": 2, \"hidden\": 64, \"mlp\": 64, \"heads\": 4, \"vocabulary\": 9, "
         "\"sequence\": 8, \"experts\": {\"count\": 4, \"per_token\": 5}}",
         "a token takes 5 of 4 experts", "", 5, 106},
        {"\"llama3-8b\"",
         "{\"layers\": 2, \"hidden\": 64, \"mlp\": 64, \"heads\": 4, \"vocabulary\": 9, "
         "\"sequence\": 8, \"experts\": {\"count\": 4, \"pertoken\": 2}}",
         "pertoken", "did you mean \"per_token\"?", 5, 0},
        {"llama3-8b", "llama3-405b", "llama3-405b does not fit",
         "no layout fits on 32 GPUs; use more", 6, 13},
        {"\"1B\"", "\"1X\"", "is not a number of tokens", "", 8, 13},
        {"\"1B\"", "0", "tokens must be a whole number above 0", "", 8, 13},
        {"\"tokens\": \"1B\"", "\"tokens\": 1000, \"steps\": 7",
         "has both of \"tokens\" and \"steps\"", "", 4, 44},
        {"\"tokens\": \"1B\",", "", "has none of \"tokens\" and \"steps\"", "", 4, 44},
        {"\"every\": 100", "\"every\": 0", "every is not a number of steps above 0", "", 9, 63},
        {"\"every\": 100", "\"every\": \"2 epochs\"",
         "every \"2 epochs\" is not a number of steps above 0", "", 9, 63},
        {"\"every\": 100", "\"every\": \"soon\"", "every \"soon\" is not a number of steps above 0",
         "", 9, 63},
        {"$AZ_BATCHAI_MOUNT_ROOT/m\", \"every\": 100",
         "/tmp/m\", \"every\": 100, \"blocks\": \"2s\"",
         "\"blocks\" is for checkpoints on a share, and \"/tmp/m\" is not", "", 9, 0},
        {"$AZ_BATCHAI_MOUNT_ROOT/m\", \"every\": 100",
         "/tmp/m\", \"every\": 100, \"on_notice\": true",
         "\"on_notice\" is for checkpoints on a share, and \"/tmp/m\" is not", "", 9, 0},
        {"\"sequence\": 8192", "\"software\": \"torch\"", "unknown", "", 7, 15},
        {", \"catalog/transformer_software.json\"", "", "unknown software \"megatron-core\"",
         "add \"catalog/transformer_software.json\" to the scenario's \"catalog\"", 4, 44},
        {"\"match\": \"*\",", "\"match\": \"*\", \"duration\": \"1s\",",
         "several of \"model\", \"transformer\"", "", 4, 14},
        {"\"match\": \"*\",", "\"match\": \"*\", \"jitter\": \"wild\",", "unknown jitter \"wild\"",
         "", 4, 39},
        {"Standard_ND96isr_H100_v5", "Standard_NC6", "", "", 0, 0},
        {"Standard_ND96isr_H100_v5", "Standard_D2", "", "", 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Problems problems;
        ck_assert_msg(read(rows[i].old, rows[i].new, &problems) == NULL, "%s", rows[i].new);
        const Status *problem = &problems.items[0];
        ck_assert_msg(strstr(problem->message, rows[i].message) != NULL, "%s", problem->message);
        ck_assert_msg(strstr(problem->hint, rows[i].hint) != NULL, "%s: %s", problem->message,
                      problem->hint);
        ck_assert_msg(rows[i].column == 0 || (problem->at.line == rows[i].line &&
                                              problem->at.column == rows[i].column),
                      "%s: %d:%d", problem->message, problem->at.line, problem->at.column);
        ck_assert_msg(problems.count == 1, "%s: %s", rows[i].new, problems.items[1].message);
    }
}
END_TEST

START_TEST(tokens_are_written_with_their_unit)
{
    static const struct {
        const char *text;
        int64_t tokens; /* 0: refused */
    } rows[] = {{"1T", 1000000000000},
                {"15.6T", 15600000000000},
                {"300B", 300000000000},
                {"2M", 2000000},
                {"1.5K", 1500},
                {"7", 7},
                {"9000000T", INT64_C(9000000000000000000)},
                {"", 0},
                {"0", 0},
                {"T", 0},
                {"-1T", 0},
                {"1e3", 0},
                {"1 T", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t tokens = 0;
        Status status = {0};
        ck_assert_int_eq(tokens_parse(rows[i].text, (Place){0}, &tokens, &status),
                         rows[i].tokens > 0);
        if (rows[i].tokens > 0)
            ck_assert_int_eq(tokens, rows[i].tokens);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("scenario/transformers");
    TCase *tests = tcase_create("transformers");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_step_takes_the_time_that_predict_states);
    tcase_add_test(tests, work_is_counted_in_whole_steps);
    tcase_add_test(tests, a_model_may_be_in_the_scenario);
    tcase_add_test(tests, experts_are_planned_with_the_assumptions_of_the_catalogue);
    tcase_add_test(tests, what_cannot_run_is_refused_with_place_and_hint);
    tcase_add_test(tests, tokens_are_written_with_their_unit);
    suite_add_tcase(suite, tests);
    return suite;
}
