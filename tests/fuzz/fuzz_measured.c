/* For any timelines of ranks, the parts of each step add up to the step, and a comparison ends. The
 * input is the timelines of ranks, one after the other, each ended by a form feed. */
#include <stdint.h>
#include <string.h>

#include "real/compare/compare.h"
#include "real/compare/print.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RANKS_MAX = 8 };

/* Those that are of one training, from rank 0 on. */
static int32_t files_parse(Arena *arena, const char *text, size_t size, TimelineFile *files)
{
    int32_t count = 0;
    while (size > 0 && count < RANKS_MAX) {
        const char *end = memchr(text, '\f', size);
        const size_t length = end ? (size_t)(end - text) : size;
        Status status;
        if (!timeline_parse("fuzz", text, length, arena, &files[count], &status) ||
            files[count].rank != count || files[count].ranks != files[0].ranks)
            break;
        count++;
        text += end ? length + 1 : length;
        size -= end ? length + 1 : length;
    }
    return count > 0 && count == files[0].ranks ? count : 0;
}

static void check_steps(const MeasuredRun *run)
{
    for (int32_t rank = 0; rank < run->ranks; rank++) {
        for (int64_t i = 0; i < run->step_count; i++) {
            const MeasuredStep *step = &run->steps[rank][i];
            int64_t sum_ns = 0;
            for (int32_t spent = 0; spent < SPENT_COUNT; spent++) {
                invariant(step->spent_ns[spent] >= 0);
                sum_ns += step->spent_ns[spent];
            }
            invariant(sum_ns == step->end_ns - step->begin_ns);
            invariant(step->step == run->steps[0][i].step);
            invariant(i == 0 || step->step > step[-1].step);
        }
    }
}

static void check_comparison(Arena *arena, const TimelineFile *files, int32_t ranks)
{
    static const QuantileKnot as_modelled[] = {{.probability_ppm = 0, .value = PPM}};
    static const NetworkModel network = {.name = "net"};
    static const Program program = {
        .kind = PROGRAM_TRAIN, .network = &network, .batch_per_rank = 8};
    const PredictedJob job = {.job = "fuzz",
                              .program = &program,
                              .plan = {.ranks = ranks,
                                       .epochs = 3,
                                       .steps_per_epoch = 2,
                                       .compute_ns = NS_PER_MS,
                                       .jitter_ppm = {.count = 1, .knots = as_modelled}}};
    const MeasuredFiles run = {files, ranks};
    CompareJob compared;
    if (!compare_job(arena, &job, &run, 1, &compared))
        return;
    const Comparison all = compare_sum_up((Tolerance){0.12, 0.05}, &compared, 1);
    Text text = {0};
    compare_print(&text, arena, &all);
    json_print(&text, compare_json(arena, &all), JSON_COMPACT);
    text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_create();
    TimelineFile files[RANKS_MAX] = {0};
    const int32_t ranks = files_parse(arena, (const char *)data, size, files);
    if (ranks > 0) {
        const MeasuredRun run = measured_run(arena, files, ranks);
        check_steps(&run);
        check_comparison(arena, files, ranks);
    }
    arena_destroy(arena);
    return 0;
}
