#include "trainer/run/checkpoint.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/memory.h"
#include "sim/base/piece.h"
#include "sim/base/text.h"
#include "sim/cli/files.h"
#include "sim/formats/keras_file.h"
#include "trainer/run/checksum.h"
#include "trainer/run/fork_guard.h"

/* --- The state as attributes --- */

enum { CHECKPOINT_BYTES_MAX = INT32_MAX };
// Of the attributes; increase them when their meaning changes.
enum { FORMAT_EPOCH = 1, FORMAT_STEP = 2 }; // after an epoch, and within one

typedef enum {
    AT_FORMAT,
    AT_NETWORK,
    AT_SEED,
    AT_RANKS,
    AT_BATCH_SIZE,
    AT_EPOCH,
    AT_ITERATION,
    AT_TRAIN_IMAGES,
    AT_AUGMENTED,
    AT_BACKEND,
    AT_PRECISION,
    AT_DIGEST,
    AT_STEP, // this and the next only within an epoch
    AT_EPOCH_STEPS,
    AT_SCORES,
    AT_COUNT,
    AT_COUNT_EPOCH = AT_STEP,
} StateAttribute;

/* Attributes whose text is not NULL here are texts. */
static const KerasAttribute attribute_names[AT_COUNT] = {
    [AT_FORMAT] = {"trainyard_checkpoint", NULL, 0},
    [AT_NETWORK] = {"trainyard_network", "", 0},
    [AT_SEED] = {"trainyard_seed", NULL, 0},
    [AT_RANKS] = {"trainyard_ranks", NULL, 0},
    [AT_BATCH_SIZE] = {"trainyard_batch_size", NULL, 0},
    [AT_EPOCH] = {"trainyard_epoch", NULL, 0},
    [AT_ITERATION] = {"trainyard_iteration", NULL, 0},
    [AT_TRAIN_IMAGES] = {"trainyard_train_images", NULL, 0},
    [AT_AUGMENTED] = {"trainyard_augmented", NULL, 0},
    [AT_BACKEND] = {"trainyard_backend", "", 0},
    [AT_PRECISION] = {"trainyard_precision", "", 0},
    [AT_DIGEST] = {"trainyard_digest", "", 0},
    [AT_STEP] = {"trainyard_step", NULL, 0},
    [AT_EPOCH_STEPS] = {"trainyard_epoch_steps", NULL, 0},
    [AT_SCORES] = {"trainyard_scores", "", 0},
};

/* --- Scores as a text: for each rank the bits of its loss, its right images and its images --- */

static const char *scores_text(Arena *arena, const Score *scores, int32_t ranks)
{
    Text text = {0};
    for (int32_t rank = 0; rank < ranks; rank++) {
        uint64_t bits;
        memcpy(&bits, &scores[rank].loss_sum, sizeof bits);
        text_printf(&text, "%" PRIu64 " %" PRId64 " %" PRId64 "\n", bits, scores[rank].correct,
                    scores[rank].images);
    }
    return text_move(arena, &text);
}

static bool read_score(Piece line, Score *score)
{
    Piece rest = line, cell;
    uint64_t bits, correct, images;
    piece_cut(&rest, ' ', &cell);
    if (!piece_digits(cell, UINT64_MAX, &bits) || !piece_cut(&rest, ' ', &cell) ||
        !piece_digits(cell, INT32_MAX, &correct) || !rest.text ||
        !piece_digits(rest, INT32_MAX, &images) || correct > images)
        return false;
    memcpy(&score->loss_sum, &bits, sizeof bits);
    score->correct = (int64_t)correct;
    score->images = (int64_t)images;
    return isfinite(score->loss_sum);
}

/* NULL: the text is not that of so many ranks. */
static const Score *scores_of_text(Arena *arena, const char *text, int32_t ranks)
{
    Piece rest = piece_of("", text, strlen(text)), line;
    Status none;
    if (piece_line_count(rest) != ranks)
        return NULL;
    Score *scores = ARENA_ARRAY(arena, Score, ranks);
    for (int32_t rank = 0; rank < ranks; rank++)
        if (!piece_take_line(&rest, "", &line, &none) || !read_score(line, &scores[rank]))
            return NULL;
    return scores;
}

static void attributes_of_state(const Net *net, const TrainingState *state, Arena *arena,
                                KerasAttribute attributes[AT_COUNT])
{
    invariant(state->backend[0] && state->precision[0]);
    memcpy(attributes, attribute_names, sizeof attribute_names);
    attributes[AT_FORMAT].integer = state->step > 0 ? FORMAT_STEP : FORMAT_EPOCH;
    attributes[AT_NETWORK].text = net->keras->name;
    attributes[AT_SEED].integer = (int64_t)state->seed; // the same 64 bits
    attributes[AT_RANKS].integer = state->ranks;
    attributes[AT_BATCH_SIZE].integer = state->batch_size;
    attributes[AT_EPOCH].integer = state->epoch;
    attributes[AT_ITERATION].integer = state->iteration;
    attributes[AT_TRAIN_IMAGES].integer = state->train_images;
    attributes[AT_AUGMENTED].integer = state->is_augmented;
    attributes[AT_BACKEND].text = state->backend;
    attributes[AT_PRECISION].text = state->precision;
    attributes[AT_DIGEST].text = checksum_blank;
    if (state->step == 0)
        return;
    attributes[AT_STEP].integer = state->step;
    attributes[AT_EPOCH_STEPS].integer = state->epoch_steps;
    attributes[AT_SCORES].text = scores_text(arena, state->scores, state->ranks);
}

static bool is_within(int64_t value, int64_t minimum, int64_t maximum)
{
    return value >= minimum && value <= maximum;
}

static bool copy_word(char *to, size_t size, const char *word)
{
    size_t length = strlen(word);
    if (length == 0 || length >= size)
        return false;
    memcpy(to, word, length + 1);
    return true;
}

/* Checks the values as well: a correct checksum only proves that the file is unchanged. */
static bool state_of_attributes(const char *source, const KerasParts *parts, Arena *arena,
                                TrainingState *state, Status *status)
{
    const KerasAttribute *attributes = parts->attributes;
    const Place at = place_in(source, 0, 0);
    const int64_t format = attributes[AT_FORMAT].integer;
    if (!is_within(format, FORMAT_EPOCH, FORMAT_STEP))
        return status_fail(status, STATUS_BAD_INPUT, at,
                           "is a checkpoint of format %" PRId64 ", expected %d or %d: another "
                           "version of trainyard wrote it",
                           format, FORMAT_EPOCH, FORMAT_STEP);
    *state = (TrainingState){.seed = (uint64_t)attributes[AT_SEED].integer,
                             .ranks = (int32_t)attributes[AT_RANKS].integer,
                             .batch_size = (int32_t)attributes[AT_BATCH_SIZE].integer,
                             .epoch = attributes[AT_EPOCH].integer,
                             .iteration = attributes[AT_ITERATION].integer,
                             .train_images = attributes[AT_TRAIN_IMAGES].integer,
                             .is_augmented = attributes[AT_AUGMENTED].integer == 1};
    bool is_possible =
        is_within(attributes[AT_RANKS].integer, 1, INT32_MAX) &&
        is_within(attributes[AT_BATCH_SIZE].integer, 1, INT32_MAX) &&
        is_within(attributes[AT_AUGMENTED].integer, 0, 1) && state->epoch >= 0 &&
        state->iteration >= 0 && state->train_images >= 1 &&
        state->iteration == parts->iterations &&
        strcmp(attributes[AT_NETWORK].text, parts->network->name) == 0 &&
        copy_word(state->backend, sizeof state->backend, attributes[AT_BACKEND].text) &&
        copy_word(state->precision, sizeof state->precision, attributes[AT_PRECISION].text);
    if (is_possible && format == FORMAT_STEP) {
        state->step = attributes[AT_STEP].integer;
        state->epoch_steps = attributes[AT_EPOCH_STEPS].integer;
        state->scores = scores_of_text(arena, attributes[AT_SCORES].text, state->ranks);
        is_possible = is_within(state->epoch_steps, 1, INT32_MAX) &&
                      is_within(state->step, 1, state->epoch_steps - 1) && state->scores;
    }
    return is_possible || status_fail(status, STATUS_BAD_INPUT, at,
                                      "its trainyard attributes contradict each other");
}

/* --- Writing --- */

static const char *optimizer_settings(Arena *arena, const RmsProp *optimizer)
{
    const struct {
        const char *name;
        double value;
    } members[] = {{"lr", optimizer->learning_rate},
                   {"rho", optimizer->rho},
                   {"decay", optimizer->decay},
                   {"epsilon", optimizer->epsilon}};
    Text text = {0};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        text_printf(&text, "%s\"%s\": ", i > 0 ? ", " : "", members[i].name);
        keras_add_number(&text, members[i].value);
    }
    return text_move(arena, &text);
}

static void append(void *to, const char *bytes, size_t length)
{
    text_append(to, bytes, length);
}

bool checkpoint_write(const char *path, const Net *net, const RmsProp *optimizer,
                      const TrainingState *state, const float *weights, const float *accumulators,
                      int64_t *bytes, Status *status)
{
    Arena *arena = arena_create();
    KerasAttribute attributes[AT_COUNT];
    attributes_of_state(net, state, arena, attributes);
    const KerasFile file = {.network = net->keras,
                            .version = KERAS_2_3_1,
                            .optimizer_settings = optimizer_settings(arena, optimizer),
                            .iterations = state->iteration,
                            .weights = weights,
                            .slots = accumulators,
                            .attributes = attributes,
                            .attribute_count = state->step > 0 ? AT_COUNT : AT_COUNT_EPOCH};
    Text image = {0};
    bool is_written = keras_file_write(&file, (ByteSink){&image, append}, status);
    if (is_written) {
        checksum_fill(image.data, image.length);
        *bytes = (int64_t)image.length;
        is_written =
            file_write(path, image.data, image.length, status) && file_name_settle(path, status);
    }
    text_free(&image);
    arena_destroy(arena);
    return is_written;
}

/* --- Reading --- */

typedef struct {
    const char *source;
    const char *bytes;
    size_t length;
    const Net *net;
    bool wants_accumulators;
} ForeignFile;

/* `result` has room for one or two arenas. */
static bool read_foreign_file(const void *argument, void *result, Status *status)
{
    const ForeignFile *file = argument;
    float *weights = result;
    Arena *arena = arena_create();
    KerasParts parts = {.network = file->net->keras,
                        .weights = weights,
                        .slots =
                            file->wants_accumulators ? weights + file->net->parameter_count : NULL};
    bool is_read = keras_file_read(arena, file->source, file->bytes, file->length, &parts, status);
    arena_destroy(arena);
    return is_read;
}

/* Reads a file without a valid checksum in a separate process, because the HDF5 library may crash
 * on it. */
static bool read_guarded(const char *source, const char *bytes, size_t length, const Net *net,
                         float *weights, float *accumulators, Status *status)
{
    enum { SECONDS = 5 }; // it usually takes some hundredths of a second
    const size_t arena_size = (size_t)net->parameter_count * sizeof *weights;
    const size_t result_bytes = accumulators ? 2 * arena_size : arena_size;
    const ForeignFile file = {source, bytes, length, net, accumulators != NULL};
    char *result = memory_zeroed(result_bytes);
    bool is_read = fork_guard_run(read_foreign_file, &file, result, result_bytes, SECONDS,
                                  place_in(source, 0, 0), "reading this file", status);
    if (is_read) {
        memcpy(weights, result, arena_size);
        if (accumulators)
            memcpy(accumulators, result + arena_size, arena_size);
    }
    free(result);
    return is_read;
}

static bool read_unchanged(const char *source, const char *bytes, size_t length, const Net *net,
                           Arena *results, TrainingState *state, float *weights,
                           float *accumulators, Status *status)
{
    Arena *arena = arena_create();
    KerasAttribute attributes[AT_COUNT];
    memcpy(attributes, attribute_names, sizeof attribute_names);
    KerasParts parts = {.network = net->keras,
                        .weights = weights,
                        .slots = accumulators,
                        .attributes = attributes,
                        .attribute_count = state ? AT_COUNT : 0,
                        .optional_count = state ? AT_COUNT - AT_COUNT_EPOCH : 0};
    bool is_read = keras_file_read(arena, source, bytes, length, &parts, status) &&
                   (!state || state_of_attributes(source, &parts, results, state, status));
    arena_destroy(arena);
    return is_read;
}

static bool parse(const char *source, const char *bytes, size_t length, const Net *net,
                  Arena *arena, TrainingState *state, float *weights, float *accumulators,
                  Status *status)
{
    if (!keras_file_check_header(source, bytes, length, status))
        return false;
    if (checksum_holds(bytes, length))
        return read_unchanged(source, bytes, length, net, arena, state, weights, accumulators,
                              status);
    if (!state)
        return read_guarded(source, bytes, length, net, weights, accumulators, status);
    status_fail(status, STATUS_BAD_INPUT, place_in(source, 0, 0),
                "is not an unchanged checkpoint of trainyard");
    return status_hint(status, "a training continues only from an unchanged checkpoint; "
                               "try an older one");
}

bool checkpoint_parse(const char *source, const char *bytes, size_t length, const Net *net,
                      Arena *arena, TrainingState *state, float *weights, float *accumulators,
                      Status *status)
{
    const bool is_read =
        parse(source, bytes, length, net, arena, state, weights, accumulators, status);
    if (!is_read && status->code == STATUS_CONFLICT)
        status_hint(status, "it was read as %s; --network names another network", net->keras->name);
    return is_read;
}

bool checkpoint_is_changed(const char *path)
{
    Arena *arena = arena_create();
    char *bytes;
    size_t length;
    Status ignored; // checkpoint_read reports it
    const bool is_changed =
        file_read(arena, path, CHECKPOINT_BYTES_MAX, &bytes, &length, &ignored) &&
        checksum_is_there(bytes, length) && !checksum_holds(bytes, length);
    arena_destroy(arena);
    return is_changed;
}

bool checkpoint_read(const char *path, const Net *net, Arena *arena, TrainingState *state,
                     float *weights, float *accumulators, Status *status)
{
    Arena *file = arena_create();
    char *bytes;
    size_t length;
    bool is_read =
        file_read(file, path, CHECKPOINT_BYTES_MAX, &bytes, &length, status) &&
        checkpoint_parse(path, bytes, length, net, arena, state, weights, accumulators, status);
    arena_destroy(file);
    return is_read;
}
