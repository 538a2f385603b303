/* trainyard validate: checks files without running them. */
#include <stdio.h>

#include "real/launch/real_run_check.h"
#include "sim/cli/disk_files.h"
#include "sim/scenario/validate.h"
#include "sim/study/check/study_check.h"
#include "tools/trainyard/answer/answer.h"
#include "tools/trainyard/options/scenario_options.h"
#include "tools/trainyard/run_scenario.h"
#include "tools/trainyard/verbs.h"

typedef struct {
    ScenarioChanges changes;
    bool is_json;
    bool is_quiet;
} ValidateArguments;

#define OWNER ValidateArguments
static const Field validate_options[] = {
    OPTIONS_OF_CHANGES(changes),
    OPTION_FLAG(0, "json", is_json, "print JSON (trainyard schema validate-answer)"),
    OPTION_FLAG('q', "quiet", is_quiet, "print nothing but problems"),
    {0},
};
#undef OWNER

static const OptionTable validate_table = {
    .name = "validate",
    .operands = "FILE...",
    .summary = "Checks scenario, study, cluster.json, job.json and catalogue files.",
    .details =
        "Every problem of a file is reported as file:line:column with a hint. Exit code 0 "
        "when there are no problems, 2 otherwise. A warning names something that will run, "
        "but probably not as intended; it does not change the exit code. A study is checked with "
        "its scenario, each level of its factors and its expectations, as `trainyard sweep` and "
        "`trainyard plan` check it before the first run. A partial "
        "catalogue is checked together with the compiled-in azure-2018.json. --param and --set "
        "change the scenario or study before it is checked.",
    .example = "trainyard validate scenarios/cifar10-horovod/scenario.json\n"
               "trainyard validate scenarios/studies/cifar-team/study.json\n"
               "trainyard validate scenarios/cifar10-horovod/job.json "
               "scenarios/cifar10-horovod/cluster.json",
    .options = validate_options,
    .operand_count_min = 1,
    .operand_count_max = INT32_MAX,
};

/* Returns whether the study has no problems. */
static bool check_study(Arena *arena, FileSource files, const char *path,
                        const ScenarioChanges *changes, Problems *problems, Problems *warnings)
{
    const StudyOptions options = {.path = path,
                                  .param_count = changes->params.count,
                                  .params = changes->params.items,
                                  .set_count = changes->sets.count,
                                  .sets = changes->sets.items};
    const Study *study = study_validate(arena, files, &options, problems);
    if (study != NULL)
        problems_merge(warnings, &study->scenario->warnings);
    return study != NULL;
}

/* Checks one file. Adds its problems to `problems` and its warnings to `warnings`. */
static AnswerFile check(Arena *arena, const char *operand, const ScenarioChanges *changes,
                        Problems *problems, Problems *warnings)
{
    AnswerFile file = {.path = scenario_operand(arena, operand, false)};
    const FileSource files = operand_files(arena, file.path);
    if (tested_kind(files, file.path) == TESTED_STUDY) {
        file.kind = "study";
        file.is_valid = check_study(arena, files, file.path, changes, problems, warnings);
        return file;
    }
    const int32_t problems_before = problems->count;
    const ScenarioFile *scenario;
    file.kind = validate_file(arena, files, file.path, scenario_overrides(changes), problems,
                              warnings, &scenario);
    if (scenario != NULL) {
        (void)expectations_metrics(arena, scenario, problems);
        real_run_check(&scenario->scenario, true, problems);
    }
    file.is_valid = problems->count == problems_before;
    return file;
}

static int validate_all(Arena *arena, const Operands *operands, const ValidateArguments *arguments)
{
    Problems problems = problems_create(arena);
    Problems warnings = problems_create(arena);
    ValidateAnswer answer = {.files = ARENA_ARRAY(arena, AnswerFile, (size_t)operands->count)};
    for (int32_t i = 0; i < operands->count; i++) {
        const AnswerFile file =
            check(arena, operands->items[i], &arguments->changes, &problems, &warnings);
        answer.files[answer.file_count++] = file;
        if (file.is_valid && !arguments->is_quiet && !arguments->is_json)
            printf("%s: %s, no problems\n", file.path, file.kind);
    }
    if (arguments->is_json) {
        answer.problems = answer_problems(arena, &problems);
        answer.warnings = answer_problems(arena, &warnings);
        answer_show(arena, &validate_answer_type, &answer);
        return exit_code_of_problems(&problems);
    }
    report_warnings(&warnings);
    return report_problems(&problems);
}

static int validate(int argc, char **argv)
{
    Arena *arena = arena_create();
    ValidateArguments arguments = {0};
    Operands operands;
    int exit_code;
    if (options_read(&validate_table, arena, argc, argv, &arguments, &operands, &exit_code))
        exit_code = validate_all(arena, &operands, &arguments);
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_validate = {.options = &validate_table, .run = validate};
