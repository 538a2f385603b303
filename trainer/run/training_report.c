#include "trainer/run/training_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "sim/base/table.h"
#include "sim/base/text.h"
#include "sim/cli/machine_clock.h"
#include "sim/formats/keras_bar.h"
#include "trainer/record/computing.h"

/* --- Numbers --- */

static KerasMeans means_of(const Score *score)
{
    const double images = (double)score->images;
    return (KerasMeans){.loss_micro = llround(1e6 * score->loss_sum / images),
                        .accuracy_ppm = llround(1e6 * (double)score->correct / images)};
}

/* Prints and flushes, so that readers of a file or a pipe see the line at once. */
static void put_line(const char *line, const char *end)
{
    fwrite(line, 1, (size_t)(end - line), stdout);
    fflush(stdout);
}

/* --- Before the training --- */

TrainingReport training_report_begin(Verbosity verbose, bool is_json, int32_t rank,
                                     const TrainingPlan *plan)
{
    const bool prints_none = is_json || verbose == VERBOSE_SILENT;
    const int64_t before = plan->epochs_done * plan->steps + plan->steps_done;
    const int64_t steps = plan->epochs * plan->steps - before;
    return (TrainingReport){.verbose = verbose,
                            .is_silent = is_json || rank > 0,
                            .is_terminal = isatty(STDOUT_FILENO),
                            .epochs = plan->epochs,
                            .steps = plan->steps,
                            .steps_before = before,
                            .progress = progress_start("train", steps, rank > 0 || !prints_none)};
}

void training_report_end(TrainingReport *report)
{
    progress_end(&report->progress);
}

static void add_row(Table *table, const char *setting, const char *value)
{
    table_row(table, (const char *const[]){setting, value});
}

/* Rows about network, data and machine. */
static void add_machine(Table *table, const TrainingPlan *plan, Arena *arena)
{
    const int64_t macs = net_forward_macs(plan->net) + net_backward_macs(plan->net);
    add_row(table, "Network",
            arena_printf(arena, "%s, %" PRId64 " parameters, %.1f MFLOP an image",
                         plan->net->keras->name, plan->net->parameter_count, 2e-6 * (double)macs));
    add_row(table, "Data", arena_printf(arena, "%s (%s)", plan->data_folder, plan->encoding));
    const Computing computing = {plan->backend, plan->precision, plan->device};
    add_row(table, "Backend", computing_text(arena, computing));
    add_row(table, "Ranks",
            arena_printf(arena, "%" PRId32 " (%s) of %" PRId64 " thread%s", plan->ranks, plan->comm,
                         plan->threads, plural(plan->threads)));
}

/* Rows about the course of the training. */
static void add_course(Table *table, const TrainingPlan *plan, Arena *arena)
{
    const char *begin =
        plan->steps_done > 0
            ? arena_printf(arena, ", %" PRId64 " and %" PRId64 " step%s done", plan->epochs_done,
                           plan->steps_done, plural(plan->steps_done))
        : plan->epochs_done > 0 ? arena_printf(arena, ", %" PRId64 " done", plan->epochs_done)
                                : "";
    const double rate = plan->learning_rate;
    add_row(table, "Batch",
            arena_printf(arena, "%" PRId64 " image%s a rank, %" PRId64 " in all", plan->batch_size,
                         plural(plan->batch_size), plan->batch_size * plan->ranks));
    add_row(table, "Epochs",
            arena_printf(arena, "%" PRId64 " of %" PRId64 " step%s%s", plan->epochs, plan->steps,
                         plural(plan->steps), begin));
    add_row(table, "Learning rate",
            arena_printf(arena, "%g = %g * %" PRId32 " rank%s", rate * plan->ranks, rate,
                         plan->ranks, plural(plan->ranks)));
    add_row(table, "Seed", arena_printf(arena, "%" PRId64, plan->seed));
    add_row(table, "Logs", plan->log_folder);
}

static void put_settings(const TrainingPlan *plan)
{
    static const TableColumn columns[] = {{"Setting", TABLE_TEXT}, {"Value", TABLE_TEXT}};
    Arena *arena = arena_create();
    Table *table = table_create(arena, columns, 2);
    add_machine(table, plan, arena);
    add_course(table, plan, arena);
    Text text = {0};
    table_print(table, &text);
    printf("\n%s\n", text_string(&text));
    text_free(&text);
    arena_destroy(arena);
}

void training_report_plan(const TrainingReport *report, const TrainingPlan *plan)
{
    if (report->is_silent)
        return;
    printf("x_train shape: (%" PRId64 ", 32, 32, 3)\n%" PRId64 " train samples\n%" PRId64
           " test samples\n",
           plan->train_images, plan->train_images, plan->test_images);
    if (report->verbose != VERBOSE_SILENT)
        put_settings(plan);
    puts(plan->is_augmented ? "Using real-time data augmentation."
                            : "Not using data augmentation.");
    fflush(stdout);
}

/* --- Epochs --- */

static void bar_begin(TrainingReport *report)
{
    report->begin_ns = report->shown_ns = machine_clock_ns();
    report->shown_tenths = 0;
    report->width = 0;
}

/* True if an update before `target` is shown now: on a terminal by the rules of Keras' Progbar. */
static bool is_due(TrainingReport *report, int64_t current, int64_t target, int64_t now_ns)
{
    const int64_t tenths = current * 10 / target;
    const bool is_due =
        report->is_terminal
            ? current == 1 || now_ns - report->shown_ns >= KERAS_UPDATE_INTERVAL_NS
            : tenths > report->shown_tenths && now_ns - report->shown_ns >= NS_PER_S;
    if (is_due) {
        report->shown_ns = now_ns;
        report->shown_tenths = tenths;
    }
    return is_due;
}

static void put_bar(TrainingReport *report, KerasProgress progress, const KerasMeans *means,
                    const KerasMeans *validation)
{
    char line[KERAS_REDRAW_ROOM + KERAS_BAR_ROOM + 1];
    char *out = line;
    if (report->is_terminal)
        out = keras_redraw_put(out, true, report->width);
    else
        report->width = 0; // each update is a separate line that does not replace another
    out = keras_bar_put(out, progress, means, validation, &report->width);
    if (!report->is_terminal && out[-1] != '\n')
        *out++ = '\n';
    put_line(line, out);
}

void training_report_epoch(TrainingReport *report, int64_t epoch)
{
    bar_begin(report);
    report->epoch = epoch - 1;
    if (report->is_silent || report->verbose == VERBOSE_SILENT)
        return;
    printf("Epoch %" PRId64 "/%" PRId64 "\n", epoch, report->epochs);
    fflush(stdout);
}

void training_report_step(TrainingReport *report, int64_t steps_done, const Score *score)
{
    progress_update(&report->progress,
                    report->epoch * report->steps + steps_done - report->steps_before);
    report->steps_done = steps_done;
    report->score = *score;
    if (report->is_silent || report->verbose != VERBOSE_BAR || steps_done >= report->steps)
        return; // the last one is shown with the validation
    const int64_t now_ns = machine_clock_ns();
    if (!is_due(report, steps_done, report->steps, now_ns))
        return;
    const KerasMeans means = means_of(score);
    put_bar(report, (KerasProgress){steps_done, report->steps, now_ns - report->begin_ns}, &means,
            NULL);
}

void training_report_now(TrainingReport *report)
{
    const int64_t elapsed_ns = machine_clock_ns() - report->begin_ns;
    if (report->is_silent || report->verbose != VERBOSE_BAR || report->steps_done == 0)
        return;
    const KerasMeans means = means_of(&report->score);
    put_bar(report, (KerasProgress){report->steps_done, report->steps, elapsed_ns}, &means, NULL);
}

void training_report_epoch_end(TrainingReport *report, const Score *score, const Score *test)
{
    const KerasMeans means = means_of(score), validation = means_of(test);
    const int64_t elapsed_ns = machine_clock_ns() - report->begin_ns;
    if (report->is_silent || report->verbose == VERBOSE_SILENT)
        return;
    if (report->verbose == VERBOSE_BAR) {
        put_bar(report, (KerasProgress){report->steps, report->steps, elapsed_ns}, &means,
                &validation);
        return;
    }
    char line[KERAS_BAR_ROOM];
    put_line(line, keras_epoch_put(line, elapsed_ns, &means, &validation));
}

static void add_file(Text *line, const char *path, int64_t bytes)
{
    text_add(line, path);
    if (bytes == 0)
        return;
    text_add(line, " (");
    bytes_print(line, bytes);
    text_add(line, ")");
}

void training_report_saved(TrainingReport *report, const char *path, int64_t bytes)
{
    Text line = {0};
    if (report->is_silent || report->verbose == VERBOSE_SILENT)
        return;
    text_add(&line, report->is_terminal && report->width > 0 ? "\n    " : "    ");
    add_file(&line, path, bytes);
    puts(text_string(&line));
    fflush(stdout);
    text_free(&line);
    report->width = 0;
}

void training_report_checkpoint(const TrainingReport *report, double images_per_s, const char *path,
                                int64_t bytes)
{
    if (report->is_silent || report->verbose == VERBOSE_SILENT)
        return;
    const int64_t elapsed_ms = (machine_clock_ns() - report->progress.began_ns) / NS_PER_MS;
    const int64_t done = (report->epoch + 1) * report->steps - report->steps_before;
    Text line = {0};
    text_printf(&line, "    %.*f images/s", images_per_s < 100 ? 1 : 0, images_per_s);
    if (path) {
        text_add(&line, ", ");
        add_file(&line, path, bytes);
    }
    progress_add_time_left(&line, done, report->epochs * report->steps - report->steps_before,
                           elapsed_ms);
    puts(text_string(&line));
    fflush(stdout);
    text_free(&line);
}

/* --- After the training --- */

void training_report_model(TrainingReport *report, const char *path)
{
    training_report_end(report);
    if (report->is_silent)
        return;
    printf("Saved trained model at %s \n",
           path); // with the script's space, for programs that match lines
    fflush(stdout);
}

void training_report_evaluation(TrainingReport *report)
{
    bar_begin(report);
}

void training_report_evaluated(TrainingReport *report, int64_t done, int64_t images)
{
    const int64_t now_ns = machine_clock_ns();
    if (report->is_silent || report->verbose != VERBOSE_BAR)
        return;
    if (done >= images || is_due(report, done, images, now_ns))
        put_bar(report, (KerasProgress){done, images, now_ns - report->begin_ns}, NULL, NULL);
}

static void put_score(const char *name, double value)
{
    char number[KERAS_BAR_ROOM] = "nan";
    if (isfinite(value))
        *keras_float_put(number, llround(1e6 * value)) = '\0';
    printf("%s: %s\n", name, number);
}

void score_lines_print(const Score *test)
{
    const double images = (double)test->images;
    put_score("Test loss", test->loss_sum / images);
    put_score("Test accuracy", (double)test->correct / images);
}

void training_report_scores(const TrainingReport *report, const Score *test)
{
    if (report->is_silent)
        return;
    score_lines_print(test);
    fflush(stdout);
}

void training_report_profile(const TrainingReport *report, const Profile *profile)
{
    if (report->is_silent)
        return;
    Text text = {0};
    profile_print(profile, &text);
    printf("\n%s", text_string(&text));
    fflush(stdout);
    text_free(&text);
}
