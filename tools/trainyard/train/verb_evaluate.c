/* `trainyard evaluate`: computes the score of a saved model on the test set. */
#include <inttypes.h>
#include <stdio.h>

#include "sim/base/units.h"
#include "sim/cli/files.h"
#include "sim/cli/machine_clock.h"
#include "sim/cli/program.h"
#include "sim/cli/progress.h"
#include "sim/cli/report.h"
#include "tools/trainyard/train/evaluate_options.h"
#include "trainer/run/backends.h"
#include "trainer/run/checkpoint.h"
#include "trainer/run/step.h"
#include "trainer/run/training_report.h"

typedef struct {
    const EvaluateOptions *options;
    Trainer trainer;
    Dataset data;
    int32_t image_count;
    Score score;
    int64_t elapsed_ns;
} Evaluation;

/* --- Predictions --- */

static void put_prediction_header(FILE *stream, int32_t classes)
{
    fputs("image\tlabel", stream);
    for (int32_t i = 0; i < classes; i++)
        fprintf(stream, "\tprobability_%" PRId32, i);
    fputc('\n', stream);
}

/* Writes nine digits, which distinguish any two floats. */
static void put_predictions(FILE *stream, const Evaluation *evaluation, int32_t first,
                            int32_t count)
{
    const int32_t classes = evaluation->trainer.net->class_count;
    const float *next = evaluation->trainer.backend->probabilities(evaluation->trainer.model);
    for (int32_t i = first; i < first + count; i++) {
        fprintf(stream, "%" PRId32 "\t%d", i, (int)evaluation->data.test.labels[i]);
        for (int32_t k = 0; k < classes; k++)
            fprintf(stream, "\t%.9g", (double)*next++);
        fputc('\n', stream);
    }
}

/* --- The evaluation --- */

/* With `predictions`, which may be NULL, batch by batch, because the next batch replaces the
 * probabilities. */
static bool evaluate(Evaluation *evaluation, FILE *predictions, Status *status)
{
    const int32_t batch_size = (int32_t)evaluation->options->batch_size;
    const int32_t images = evaluation->image_count;
    const int32_t at_once =
        predictions ? batch_size : trainer_evaluates_at_once(&evaluation->trainer, batch_size);
    Progress progress = progress_start("evaluate", images, false);
    const int64_t begin_ns = machine_clock_ns();
    bool is_fine = true;
    for (int32_t done = 0, count; is_fine && done < images; done += count) {
        count = images - done < at_once ? images - done : at_once;
        Score score;
        is_fine = trainer_evaluate(&evaluation->trainer, &evaluation->data.test, done, count,
                                   batch_size, &score, status);
        if (is_fine)
            score_add(&evaluation->score, score);
        if (is_fine && predictions)
            put_predictions(predictions, evaluation, done, count);
        progress_update(&progress, done + count);
    }
    evaluation->elapsed_ns = machine_clock_ns() - begin_ns;
    progress_end(&progress);
    return is_fine;
}

static bool evaluate_into_file(Evaluation *evaluation, Status *status)
{
    FileWriter writer;
    if (!evaluation->options->predictions)
        return evaluate(evaluation, NULL, status);
    if (!file_writer_open(&writer, evaluation->options->predictions, status))
        return false;
    put_prediction_header(writer.stream, evaluation->trainer.net->class_count);
    if (evaluate(evaluation, writer.stream, status))
        return file_writer_commit(&writer, status);
    file_writer_abandon(&writer);
    return false;
}

static void print_result(const Evaluation *evaluation)
{
    const Score *score = &evaluation->score;
    const double images = (double)score->images;
    const double seconds = (double)evaluation->elapsed_ns / NS_PER_S;
    score_lines_print(score);
    printf("%" PRId64 " images in %.2f s, %.0f images/s (%s, %s)\n", score->images, seconds,
           images / seconds, evaluation->trainer.backend->name,
           precision_names[evaluation->options->precision]);
}

/* --- Data and model --- */

static bool read_images(Evaluation *evaluation, Arena *arena, Status *status)
{
    if (!dataset_read(evaluation->options->data_folder, arena, &evaluation->data, status))
        return false;
    const int64_t limit = evaluation->options->limit;
    const int32_t images = evaluation->data.test.count;
    evaluation->image_count = limit > 0 && limit < images ? (int32_t)limit : images;
    return true;
}

static bool read_weights(const Evaluation *evaluation, const char *path, Status *status)
{
    const Trainer *trainer = &evaluation->trainer;
    float *weights = trainer->backend->arena(trainer->model, ARENA_WEIGHTS, status);
    if (!weights || !checkpoint_read(path, trainer->net, NULL, NULL, weights, NULL, status))
        return false;
    trainer->backend->arena_changed(trainer->model, ARENA_WEIGHTS);
    return true;
}

/* Warns of a checkpoint that is not as trainyard wrote it: its score says little. */
static void warn_changed(Arena *arena, const char *path)
{
    if (!checkpoint_is_changed(path))
        return;
    Problems warnings = problems_create(arena);
    status_hint(problems_add(&warnings, STATUS_CONFLICT, place_in(path, 0, 0),
                             "was changed or damaged after trainyard wrote it"),
                "its checksum does not hold; compare the score with that of another copy");
    report_warnings(&warnings);
}

/* Allocates memory for at most as many images as there are. */
static bool open_model(Evaluation *evaluation, Status *status)
{
    const EvaluateOptions *options = evaluation->options;
    const int64_t batch = options->batch_size, images = evaluation->image_count;
    Trainer *trainer = &evaluation->trainer;
    const BackendSettings settings = {.net = trainer->net,
                                      .batch_max = (int32_t)(batch < images ? batch : images),
                                      .precision = (Precision)options->precision,
                                      .threads = (int32_t)options->threads,
                                      .engine = ENGINE_OWN}; // measuring engines takes longer
    return trainer->backend->open(&settings, &trainer->model, status);
}

static bool run(const EvaluateOptions *options, const char *path, Arena *arena, Status *status)
{
    Net net;
    Evaluation evaluation = {.options = options, .trainer = {.net = &net}};
    Trainer *trainer = &evaluation.trainer;
    if (!net_build(options->network, &net, status))
        return false;
    trainer->backend =
        backend_find(backend_words[options->backend], (Precision)options->precision, status);
    if (!trainer->backend || !read_images(&evaluation, arena, status) ||
        !open_model(&evaluation, status))
        return false;
    bool is_fine =
        read_weights(&evaluation, path, status) && evaluate_into_file(&evaluation, status);
    trainer->backend->close(trainer->model);
    if (is_fine) {
        warn_changed(arena, path);
        print_result(&evaluation);
    }
    return is_fine;
}

int program_run(int argc, char **argv)
{
    Arena *arena = arena_create();
    EvaluateOptions options = evaluate_option_defaults;
    Operands operands;
    Status status = {0};
    int exit_code;
    if (options_read(&evaluate_option_table, arena, argc, argv, &options, &operands, &exit_code))
        exit_code =
            run(&options, operands.items[0], arena, &status) ? EXIT_FINE : report_status(&status);
    arena_destroy(arena);
    return exit_code;
}
