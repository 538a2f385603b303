#include "sim/scenario/config/program_config.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/cloud/training/training.h"
#include "sim/formats/keras_network.h"
#include "sim/scenario/config/checkpoint_config.h"
#include "sim/scenario/config/shell_read.h"
#include "sim/scenario/config/speed_config.h"
#include "sim/scenario/config/transformer_config.h"
#include "sim/schema/expression.h"
#include "sim/schema/glob.h"

/* --- Checks that need no job --- */

static void report_missing(const ConfigContext *context, const ProgramText *text, const char *key)
{
    problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->node),
                 "a program with a \"model\" needs \"%s\", which is missing", key);
}

/* A count is an integer, or an expression that needs a job to be evaluated. */
static void check_count(const ConfigContext *context, const char *key, const Json *count)
{
    if (!count->is_integer && count->kind != JSON_STRING)
        problems_add(context->problems, STATUS_BAD_INPUT, count->at,
                     "%s is neither an integer nor an expression", key);
}

/* Reports a missing or unknown name. `found` is the catalogue's entry of that name, or NULL. */
static void check_name(const ConfigContext *context, const ProgramText *text, const char *key,
                       BoundText name, CatalogSection section, const void *found)
{
    if (name.is_refused)
        return;
    if (name.value == NULL)
        report_missing(context, text, key);
    else if (found == NULL && context->catalog != NULL)
        config_unknown_entry(context, section, key, name);
}

/* The entry called `name`; NULL without a name or a catalogue. */
#define LOOKUP(find, name)                                                                         \
    ((name).value == NULL || context->catalog == NULL                                              \
         ? NULL                                                                                    \
         : (const void *)find(context->catalog, (name).value))

static void check_jitter(const ConfigContext *context, const ProgramText *text)
{
    if (text->jitter.value != NULL)
        check_name(context, text, "jitter", text->jitter, CATALOG_JITTERS,
                   LOOKUP(catalog_jitter, text->jitter));
}

static void check_training(const ConfigContext *context, const ProgramText *text)
{
    check_name(context, text, "model", text->model, CATALOG_NETWORKS,
               LOOKUP(catalog_network, text->model));
    check_name(context, text, "data_set", text->data_set, CATALOG_DATA_SETS,
               LOOKUP(catalog_data_set, text->data_set));
    check_name(context, text, "framework", text->framework, CATALOG_FRAMEWORKS,
               LOOKUP(catalog_framework, text->framework));
    check_name(context, text, "exchange", text->exchange, CATALOG_EXCHANGES,
               LOOKUP(catalog_exchange, text->exchange));
    check_name(context, text, "learning", text->learning, CATALOG_LEARNING_CURVES,
               LOOKUP(catalog_learning_curve, text->learning));
    check_jitter(context, text);
    if (text->batch_per_rank.node == NULL)
        report_missing(context, text, "batch_per_rank");
    if (text->epochs == NULL)
        report_missing(context, text, "epochs");
    else
        check_count(context, "epochs", text->epochs);
    check_count(context, "steps_per_epoch", text->steps_per_epoch);
    check_count(context, "evaluate_samples", text->evaluate_samples);
}

static void check_duration(const ConfigContext *context, const Json *duration)
{
    Distribution unused;
    Status status = {0};
    if (!distribution_read(context->arena, duration, &unused, &status))
        problems_add_status(context->problems, &status);
}

/* A script with variables is checked with the values of each job. */
static void check_script(const ConfigContext *context, const ProgramText *text)
{
    static const Mounts none = {0};
    ShellRefusal refusal;
    if (strchr(text->script.value, '$') == NULL &&
        shell_read(context->arena, text->script.value, 0, NULL, &none, &refusal) == NULL)
        shell_refusal_add(context->problems, json_at(text->script.node), &refusal, "");
    if (text->exit_code.node != NULL)
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->exit_code.node),
                     "a script has its own exit code, so \"exit_code\" has no meaning");
}

bool program_check(const ConfigContext *context, const ProgramText *text)
{
    if (text->node == NULL)
        return false;
    int32_t problems_before = context->problems->count;
    bool trains = text->model.node != NULL;
    bool takes_time = text->duration != NULL;
    bool has_script = text->script.value != NULL;
    const bool is_transformer = text->transformer != NULL;
    if (trains + is_transformer + takes_time + has_script != 1 && !text->script.is_refused)
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->node),
                     "a program has %s of \"model\", \"transformer\", \"duration\" and \"script\", "
                     "expected one",
                     trains || is_transformer || takes_time || has_script ? "several" : "none");
    if (is_transformer) {
        check_jitter(context, text);
        transformer_check(context, text->transformer);
    }
    if (has_script)
        check_script(context, text);
    if (trains)
        check_training(context, text);
    if (takes_time)
        check_duration(context, text->duration);
    if (takes_time)
        (void)speeds_check(context, text->speeds);
    else if (text->speeds != NULL)
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->speeds),
                     "\"speeds\" is for a program with a \"duration\"");
    if (takes_time)
        checkpoint_read_work(context->problems, text->checkpoint, &(Program){0});
    else if (text->checkpoint != NULL)
        checkpoint_check_training(context->problems, text->checkpoint);
    return context->problems->count == problems_before && context->catalog != NULL &&
           bind_is_whole(&program_type, text);
}

const KnownProgram *program_find(const ConfigContext *context, const char *command,
                                 const char *script)
{
    for (int32_t i = 0; i < context->program_count; i++) {
        const char *pattern = context->programs[i].text->match.value;
        if (pattern == NULL)
            continue; // refused
        if (glob_matches(pattern, command) || (script != NULL && glob_matches(pattern, script)))
            return &context->programs[i];
    }
    return NULL;
}

/* --- The program of one job --- */

typedef struct {
    const ConfigContext *context;
    ExpressionVariable values[6];
    int32_t value_count;
} Formulas;

/* A count that is written as a number or as an expression. */
static int64_t count_read(const Formulas *formulas, const char *key, const Json *node,
                          int64_t minimum)
{
    Problems *problems = formulas->context->problems;
    Status status = {0};
    int64_t value = minimum;
    if (node->kind == JSON_STRING) {
        Place at = node->at;
        at.column += 1; // after the quotation mark
        if (!expression_evaluate_whole(node->text, formulas->values, formulas->value_count, at,
                                       &value, &status)) {
            problems_add_status(problems, &status);
            return minimum;
        }
    } else {
        value = node->integer;
    }
    if (value < minimum || value > INT32_MAX)
        problems_add(problems, STATUS_BAD_INPUT, node->at,
                     "%s is %" PRId64 ", expected %" PRId64 " to %d", key, value, minimum,
                     INT32_MAX);
    return value;
}

/* The value that `command` gives the option `name`, as "--name=value" or "--name value"; NULL
 * without the option. */
static const char *option_value(Arena *arena, const char *command, const char *name)
{
    static const char blanks[] = " \t\n";
    size_t length = strlen(name);
    for (const char *word = command + strspn(command, blanks); *word != '\0';) {
        size_t word_length = strcspn(word, blanks);
        const char *next = word + word_length + strspn(word + word_length, blanks);
        if (strncmp(word, name, length) == 0) {
            if (word[length] == '=')
                return arena_strndup(arena, word + length + 1, word_length - length - 1);
            if (word_length == length && *next != '\0')
                return arena_strndup(arena, next, strcspn(next, blanks));
        }
        word = next;
    }
    return NULL;
}

/* `path` with each "{--name=default}" replaced by the value of that option on the job's command
 * line; without a default the option is required. */
static BoundText fill_in(const Variables *variables, const char *command, BoundText path)
{
    Text out = {0};
    const char *in = path.value != NULL ? path.value : "";
    for (const char *brace; (brace = strstr(in, "{-")) != NULL;) {
        size_t length = strcspn(brace, "}"), name_length = strcspn(brace + 1, "=}");
        const char *name = arena_strndup(variables->arena, brace + 1, name_length);
        const char *value = option_value(variables->arena, command, name);
        if (value == NULL && brace[1 + name_length] == '=')
            value =
                arena_strndup(variables->arena, brace + 2 + name_length, length - name_length - 2);
        if (value == NULL)
            problems_add(variables->problems, STATUS_BAD_INPUT, json_at(path.node),
                         "the job's command line has no %s for \"%s\"", name, path.value);
        text_append(&out, in, (size_t)(brace - in));
        text_add(&out, value != NULL ? value : ".");
        in = brace + length + (brace[length] == '}');
    }
    text_add(&out, in);
    if (path.value != NULL)
        path.value = arena_strdup(variables->arena, text_string(&out));
    text_free(&out);
    return path;
}

static void read_data(const ProgramText *text, const char *command, const Variables *variables,
                      Program *program)
{
    program->downloads_data = text->data == NULL;
    if (text->data == NULL)
        return;
    OutputPlace place = variables_place(variables, fill_in(variables, command, text->data->path));
    if (place.share == NULL && place.directory != NULL)
        mounts_hint(
            problems_add(variables->problems, STATUS_BAD_INPUT, json_at(text->data->path.node),
                         "data path \"%s\" is not on a mounted share", text->data->path.value),
            variables->mounts);
    program->data_share = place.share;
    program->data_path = place.directory;
    program->data_bytes = text->data->bytes.value;
}

static void put_checkpoint(BoundText path, const char *command, const Variables *variables,
                           Program *program)
{
    const OutputPlace place = variables_place(variables, fill_in(variables, command, path));
    program->checkpoint_place = place.share != NULL ? PLACE_SHARE : PLACE_LOCAL;
    program->checkpoint_share = place.share;
    program->checkpoint_path = place.directory;
}

/* `on_notice` of a checkpoint that the program may resume from. */
static void put_on_notice(BoundInteger on_notice, BoundText path, const Variables *variables,
                          Program *program)
{
    program->saves_on_notice = on_notice.value != 0;
    if (!program->saves_on_notice)
        return;
    if (!program->resumes)
        problems_add(variables->problems, STATUS_BAD_INPUT, json_at(on_notice.node),
                     "\"on_notice\" needs \"resume\": true: without it no attempt reads the "
                     "checkpoint");
    if (program->checkpoint_place != PLACE_SHARE && path.value != NULL)
        mounts_hint(problems_add(variables->problems, STATUS_BAD_INPUT, json_at(on_notice.node),
                                 "\"on_notice\" is for checkpoints on a share, and \"%s\" is not "
                                 "on a mounted one: it is lost with the node",
                                 path.value),
                    variables->mounts);
}

static void read_saves(const ProgramText *text, const char *command, const Variables *variables,
                       Program *program)
{
    if (text->transformer != NULL && text->transformer->checkpoint != NULL) {
        const StateText *state = text->transformer->checkpoint;
        put_checkpoint(state->path, command, variables, program);
        program->resumes = true;
        put_on_notice(state->on_notice, state->path, variables, program);
    }
    if (text->checkpoint != NULL) {
        put_checkpoint(text->checkpoint->path, command, variables, program);
        program->checkpoint_bytes = text->checkpoint->bytes.value;
        program->checkpoint_every = checkpoint_every_of(text->checkpoint).epochs;
        program->resumes = text->checkpoint->resume.value != 0;
        put_on_notice(text->checkpoint->on_notice, text->checkpoint->path, variables, program);
    }
    if (text->save != NULL) {
        BoundText path = fill_in(variables, command, text->save->path);
        OutputPlace place = variables_place(variables, path);
        program->model_bytes = text->save->bytes.value;
        program->model_share = place.share;
        program->model_path = place.directory;
        if (place.directory != NULL)
            program->model_shown_path =
                path_tidy(variables->arena, variables_expand(variables, path));
    }
}

/* The program's data set, with the trainer's number of images if the trainer knows the network. */
static const DataSet *data_set_of(const ConfigContext *context, const ProgramText *text)
{
    const DataSet *known = catalog_data_set(context->catalog, text->data_set.value);
    if (context->samples.train == 0 || keras_network_find(text->model.value) == NULL)
        return known;
    DataSet *available = ARENA_NEW(context->arena, DataSet);
    *available = *known;
    available->train_samples = context->samples.train;
    available->test_samples = context->samples.test;
    return available;
}

static Quantiles jitter_of(const ConfigContext *context, const ProgramText *text)
{
    static const QuantileKnot as_modelled[] = {{.probability_ppm = 0, .value = PPM}};
    return text->jitter.value != NULL ? *catalog_jitter(context->catalog, text->jitter.value)
                                      : (Quantiles){.count = 1, .knots = as_modelled};
}

/* The steps from one checkpoint to the next; 0: they follow epochs. */
static int64_t steps_between(const Program *program, JobShape shape, CheckpointEvery every)
{
    if (every.ns == 0)
        return every.steps;
    if (shape.vm_size->gpu == NULL)
        return 1; // training_check refuses the job
    const StepPlan plan =
        step_plan(program, shape.vm_size, rank_places_spread(shape.nodes, shape.processes));
    return checkpoint_steps_of(every.ns, step_parts_sum(step_parts_mean(&plan)));
}

static void read_training(const ConfigContext *context, const ProgramText *text, JobShape shape,
                          Program *program)
{
    const Catalog *catalog = context->catalog;
    program->network = catalog_network(catalog, text->model.value);
    program->data_set = data_set_of(context, text);
    program->framework = catalog_framework(catalog, text->framework.value);
    program->exchange = catalog_exchange(catalog, text->exchange.value);
    program->learning = catalog_learning_curve(catalog, text->learning.value);
    program->throughputs = catalog_throughputs(catalog);
    program->step_jitter_ppm = jitter_of(context, text);
    program->precision = (StepPrecision)text->precision.value;
    program->batch_per_rank = text->batch_per_rank.value;
    Formulas formulas = {
        .context = context,
        .values = {{"ranks", shape.processes, 1},
                   {"nodes", shape.nodes, 1},
                   {"gpus", shape.vm_size->gpus, 1},
                   {"batch", program->batch_per_rank, 1},
                   {"samples", program->data_set->train_samples, 1},
                   {"test_samples", program->data_set->test_samples, 1}},
        .value_count = 6,
    };
    program->epochs = count_read(&formulas, "epochs", text->epochs, 1);
    program->steps_per_epoch = count_read(&formulas, "steps_per_epoch", text->steps_per_epoch, 1);
    program->evaluate_samples =
        count_read(&formulas, "evaluate_samples", text->evaluate_samples, 0);
    program->evaluates_at_end = text->evaluates_at_end.value != 0;
    if (text->checkpoint != NULL)
        program->checkpoint_steps =
            steps_between(program, shape, checkpoint_every_of(text->checkpoint));
    program->is_keras = text->output.value == OUTPUT_KERAS;
}

/* The values of the job's variables may be such that the shell's effect is not modelled. */
static const Program *read_script(const Variables *variables, const ProgramText *text,
                                  Program *program)
{
    ShellRefusal refusal;
    program->kind = PROGRAM_SHELL;
    program->script = shell_read(variables->arena, text->script.value, variables->count,
                                 variables->items, variables->mounts, &refusal);
    if (program->script == NULL)
        shell_refusal_add(variables->problems, json_at(text->script.node), &refusal,
                          " with the variables of this job");
    return program;
}

static const char *program_name(const ProgramText *text)
{
    return text->name.value != NULL ? text->name.value : text->match.value;
}

const Program *program_fixed(Arena *arena, const ProgramText *text, bool is_sound)
{
    if (text->duration == NULL || text->script.value != NULL)
        return NULL;
    Status status = {0};
    Program *program = ARENA_NEW(arena, Program);
    program->kind = PROGRAM_FIXED;
    program->name = program_name(text);
    program->exit_code = (int32_t)text->exit_code.value;
    const bool is_read = distribution_read(arena, text->duration, &program->duration, &status);
    Problems reported = problems_create(arena); // program_check has added them
    checkpoint_read_work(&reported, text->checkpoint, program);
    invariant((is_read && reported.count == 0) || !is_sound);
    return program;
}

const Json *program_speeds(const ConfigContext *context, const Program *program)
{
    for (int32_t i = 0; i < context->program_count; i++)
        if (context->programs[i].fixed == program)
            return context->programs[i].text->speeds;
    return NULL;
}

const Program *program_build(const ConfigContext *context, const KnownProgram *known,
                             const char *command, JobShape shape, const Variables *variables)
{
    const ProgramText *text = known->text;
    const Program *fixed =
        known->fixed != NULL ? known->fixed : program_fixed(context->arena, text, known->is_sound);
    if (fixed != NULL)
        return fixed;
    Program *program = ARENA_NEW(context->arena, Program);
    program->name = program_name(text);
    if (text->script.value != NULL)
        return read_script(variables, text, program);
    program->kind = PROGRAM_TRAIN;
    read_saves(text, command, variables, program);
    if (text->transformer == NULL)
        read_data(text, command, variables, program);
    if (!known->is_sound || !shape.is_known)
        return program;
    if (text->transformer == NULL) {
        read_training(context, text, shape, program);
        return program;
    }
    program->step_jitter_ppm = jitter_of(context, text);
    transformer_build(context, text->transformer, shape, program);
    return program;
}

const Program *program_shell(Arena *arena, const ShellScript *script)
{
    Program *program = ARENA_NEW(arena, Program);
    *program = (Program){.kind = PROGRAM_SHELL, .name = "shell", .script = script};
    return program;
}

const Program *program_real(Arena *arena, const Mounts *mounts, const Program *training)
{
    Program *program = ARENA_NEW(arena, Program);
    *program = (Program){.kind = PROGRAM_REAL,
                         .name = training != NULL ? training->name : "real",
                         .training = training};
    program->mounts = mounts_shell(arena, mounts, &program->mount_count);
    return program;
}
