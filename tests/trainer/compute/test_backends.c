/* Every backend that works here against `ref`: layer by layer, after 20 steps, in parts of a batch.
 *
 * Outputs differ by rounding. Derivatives do so, too, unless the difference switches a ReLU or the
 * maximum of a pool. That is rare in fp32, but then one value of one image has a different
 * derivative. With RMSprop, which moves all weights by about the same amount, later steps then
 * diverge. In fp32, derivatives must therefore agree closely for one of a few sets of images, in
 * which nothing switches, and roughly for all sets. In bf16 some values always switch.
 *
 * With SHOW_DIFFERENCES in the environment each difference is printed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"
#include "tests/support/small_training.h"
#include "tests/support/suite.h"
#include "trainer/run/backends.h"

/* For layers and tensors: Euclidean distance / length, unless a comment says otherwise. Measured
 * in fp32 with oneDNN on a processor with AVX2; in bf16 with ref whose weights, activations and
 * derivatives between layers were rounded to bf16. tf32 is between them. On an emulated GPU with
 * slim networks, outputs differed by 9.8e-4 and derivatives by 0.042. */
typedef struct {
    double output;      /* largest difference / largest value; measured 1.2e-6 and 9e-3 */
    double probability; /* absolute; measured 3e-8 and 3e-4 */
    double loss;        /* relative; measured 6e-8 and 4e-4 */
    double gradients;   /* of a tensor, if nothing switched; measured 6e-6, in bf16 0.29 */
    double turned;      /* of a tensor, if something switched */
    double way;         /* of all weights from their start in 20 steps; measured 0.05 and 0.19 */
    double late_loss;   /* relative, after them; measured 2e-4 and 5e-5 */
} Tolerance;

static const Tolerance tolerances[PRECISION_COUNT] = {
    [PRECISION_FP32] = {.output = 1e-5,
                        .probability = 1e-6,
                        .loss = 1e-6,
                        .gradients = 1e-4,
                        .turned = 0.25,
                        .way = 0.15,
                        .late_loss = 5e-3},
    [PRECISION_TF32] = {.output = 3e-3,
                        .probability = 1e-3,
                        .loss = 1e-3,
                        .gradients = 0.1,
                        .turned = 0.3,
                        .way = 0.3,
                        .late_loss = 0.01},
    [PRECISION_BF16] = {.output = 0.025,
                        .probability = 0.01,
                        .loss = 0.005,
                        .gradients = 0.4,
                        .turned = 0.4,
                        .way = 0.4,
                        .late_loss = 0.03},
};

/* --- The backends to compare --- */

typedef struct {
    const Backend *backend;
    Precision precision;
} Candidate;

enum { CANDIDATES_MAX = 16 };

/* Finds all backends except ref, in all precisions in which they work on this machine. */
static int32_t find_candidates(Candidate candidates[CANDIDATES_MAX], bool says_who_is_left_out)
{
    int32_t count = 0;
    for (int32_t i = 0; backends[i]; i++)
        for (Precision precision = 0; precision < PRECISION_COUNT; precision++) {
            Status status = {0};
            if (backends[i] == &backend_ref)
                continue;
            if (backends[i]->probe(precision, &status))
                candidates[count++] = (Candidate){backends[i], precision};
            else if (says_who_is_left_out)
                printf("skipped: %s in %s: %s\n", backends[i]->name, precision_names[precision],
                       status.message);
        }
    return count;
}

static Trained open_candidate(Candidate candidate, const Net *net, int32_t batch_max, uint32_t rank)
{
    const BackendSettings settings = {.net = net,
                                      .batch_max = batch_max,
                                      .precision = candidate.precision,
                                      .threads = 1,
                                      .seed = 11,
                                      .rank = rank};
    return trained_open(candidate.backend, &settings);
}

static const Candidate reference = {&backend_ref, PRECISION_FP32};

/* --- One step, layer by layer --- */

/* The results of a forward and a backward pass. */
typedef struct {
    Score score;
    float *outputs[NET_LAYERS_MAX]; /* NULL if a backend does not store it */
    float *probabilities;
    float *gradients; /* NULL after an inference */
} Outcome;

static float *copy_of(Arena *arena, const float *values, int64_t count)
{
    return memcpy(arena_alloc(arena, (size_t)count * sizeof *values), values,
                  (size_t)count * sizeof *values);
}

static Outcome compute(Arena *arena, const Trained *trained, const ImageSet *set, bool is_training)
{
    const Net *net = trained->net;
    Outcome outcome = {0};
    trained_load(trained, set, 0, set->count, 7, is_training);
    outcome.score = trained_forward(trained, is_training);
    for (int32_t i = 0; i < net->layer_count; i++) {
        const int64_t count = set->count * net_size(net->layers[i].out);
        float *output = arena_alloc(arena, (size_t)count * sizeof *output);
        if (trained->backend->layer_output(trained->model, i, output))
            outcome.outputs[i] = output;
    }
    outcome.probabilities = copy_of(arena, trained->backend->probabilities(trained->model),
                                    (int64_t)set->count * net->class_count);
    if (is_training) {
        trained_backward(trained);
        outcome.gradients =
            copy_of(arena, trained_arena(trained, ARENA_GRADIENTS), net->parameter_count);
    }
    return outcome;
}

/* The message names the comparison: "onednn in fp32, 32 images, gradients of conv2d_1". */
static void within(const char *subject, const char *what, const char *layer, double difference,
                   double tolerance)
{
    if (getenv("SHOW_DIFFERENCES"))
        printf("%s, %s %s: %.2e of %.0e\n", subject, what, layer, difference, tolerance);
    ck_assert_msg(difference <= tolerance, "%s: %s %s differ by %.3g, allowed is %.3g", subject,
                  what, layer, difference, tolerance);
}

/* Returns the largest distance of any kernel or bias; fails if one is above `tolerance`. */
static double compare_gradients(const char *subject, const Net *net, const float *gradients,
                                const float *expected, double tolerance)
{
    double largest = 0.0;
    for (int32_t i = 0; i < net->layer_count; i++) {
        const NetLayer *layer = &net->layers[i];
        if (layer->kernel_count == 0)
            continue;
        const double kernel = relative_distance(gradients + layer->kernel_at,
                                                expected + layer->kernel_at, layer->kernel_count);
        const double bias = relative_distance(gradients + layer->bias_at, expected + layer->bias_at,
                                              layer->bias_count);
        within(subject, "derivatives by the kernel of", layer->name, kernel, tolerance);
        within(subject, "derivatives by the bias of", layer->name, bias, tolerance);
        largest = fmax(largest, fmax(kernel, bias));
    }
    return largest;
}

/* Returns true if derivatives, if there are any, agree closely. */
static bool compare_outcomes(const char *subject, const Net *net, int32_t images,
                             const Outcome *outcome, const Outcome *expected, Tolerance tolerance)
{
    int32_t compared = 0;
    for (int32_t i = 0; i < net->layer_count; i++) {
        const NetLayer *layer = &net->layers[i];
        if (!outcome->outputs[i])
            continue;
        compared++;
        within(subject, "outputs of", layer->name,
               largest_difference(outcome->outputs[i], expected->outputs[i],
                                  images * net_size(layer->out)),
               tolerance.output);
    }
    ck_assert_msg(compared > net->layer_count / 3, "%s: shows %d layers only", subject, compared);
    for (int32_t i = 0; i < images * net->class_count; i++)
        within(subject, "probabilities", "",
               fabs((double)outcome->probabilities[i] - (double)expected->probabilities[i]),
               tolerance.probability);
    within(subject, "losses", "", fabs(outcome->score.loss_sum / expected->score.loss_sum - 1.0),
           tolerance.loss);
    ck_assert_int_eq(outcome->score.images, images);
    return !expected->gradients ||
           compare_gradients(subject, net, outcome->gradients, expected->gradients,
                             tolerance.turned) <= tolerance.gradients;
}

enum { ATTEMPTS = 4 };

/* The results of ref for a set of images, in training and then in an inference with the same
 * weights. */
typedef struct {
    const Net *net;
    int32_t batch_max;
    ImageSet set;
    Outcome training, inference;
} Example;

static Example make_example(Arena *arena, const Net *net, int32_t images, int32_t batch_max,
                            uint64_t seed)
{
    Example example = {.net = net, .batch_max = batch_max, .set = make_images(arena, seed, images)};
    Trained ref = open_candidate(reference, net, batch_max, 2);
    example.training = compute(arena, &ref, &example.set, true);
    example.inference = compute(arena, &ref, &example.set, false);
    trained_close(&ref);
    return example;
}

static bool compare_with(Arena *arena, const Example *example, Candidate it)
{
    const Tolerance tolerance = tolerances[it.precision];
    const int32_t images = example->set.count;
    Trained trained = open_candidate(it, example->net, example->batch_max, 2);
    Text subject = {0};
    text_printf(&subject, "%s in %s, %d of %d images in training", it.backend->name,
                precision_names[it.precision], (int)images, (int)example->batch_max);
    const Outcome training = compute(arena, &trained, &example->set, true);
    const bool is_close = compare_outcomes(text_string(&subject), example->net, images, &training,
                                           &example->training, tolerance);
    text_printf(&subject, " and then without");
    const Outcome inference = compute(arena, &trained, &example->set, false);
    compare_outcomes(text_string(&subject), example->net, images, &inference, &example->inference,
                     tolerance);
    text_free(&subject);
    trained_close(&trained);
    return is_close;
}

/* Compares a step of `images` images in models for `batch_max` images. */
static void compare_a_step(const Net *net, int32_t images, int32_t batch_max)
{
    Candidate pending[CANDIDATES_MAX];
    int32_t count = find_candidates(pending, false);
    for (uint64_t attempt = 0; attempt < ATTEMPTS && count > 0; attempt++) {
        Arena *arena = arena_create();
        const Example example = make_example(arena, net, images, batch_max, 21 + attempt);
        int32_t still = 0;
        for (int32_t i = 0; i < count; i++)
            if (!compare_with(arena, &example, pending[i]))
                pending[still++] = pending[i];
        count = still;
        arena_destroy(arena);
    }
    ck_assert_msg(count == 0, "%s in %s: derivatives agree closely for none of %d sets of images",
                  pending[0].backend->name, precision_names[pending[0].precision], ATTEMPTS);
}

START_TEST(a_step_of_32_images_is_that_of_ref)
{
    const Net net = slim_net("keras_cifar10_cnn", 1);
    compare_a_step(&net, 32, 32);
}
END_TEST

START_TEST(the_last_batch_of_an_epoch_with_16_is_that_of_ref)
{
    const Net net = slim_net("keras_cifar10_cnn", 1);
    compare_a_step(&net, 16, 32);
}
END_TEST

START_TEST(a_single_image_is_that_of_ref)
{
    const Net net = slim_net("keras_cifar10_cnn", 1);
    compare_a_step(&net, 1, 32);
    compare_a_step(&net, 1, 1);
}
END_TEST

START_TEST(a_step_of_a_deeper_network_is_that_of_ref)
{
    const Net net = slim_net("keras_cifar10_cnn_deep", 1);
    compare_a_step(&net, 5, 8);
}
END_TEST

START_TEST(a_step_of_a_network_with_odd_widths_is_that_of_ref)
{
    const Net net = slim_net("keras_cifar10_cnn", 6); // 5 and 10 filters, 85 units
    compare_a_step(&net, 15, 17);
}
END_TEST

/* --- Twenty steps --- */

enum { STEPS = 20, STEP_IMAGES = 4 };

/* Trains on a set in an order that repeats; the last batch is a smaller one. Returns the loss of an
 * inference afterwards. */
static double train(const Trained *trained, const ImageSet *set)
{
    for (int32_t step = 0; step < STEPS; step++)
        trained_step(trained, set, step % 4 * STEP_IMAGES,
                     step < STEPS - 1 ? STEP_IMAGES : STEP_IMAGES / 2, (uint64_t)step);
    trained_load(trained, set, 0, 2 * STEP_IMAGES, 0, false);
    return trained_forward(trained, false).loss_sum;
}

/* The difference between `weights` and `start`. */
static float *way(Arena *arena, const float *weights, const float *start, int64_t count)
{
    float *difference = arena_alloc(arena, (size_t)count * sizeof *difference);
    for (int64_t i = 0; i < count; i++)
        difference[i] = weights[i] - start[i];
    return difference;
}

START_TEST(twenty_steps_lead_where_ref_goes)
{
    Candidate candidates[CANDIDATES_MAX];
    const int32_t count = find_candidates(candidates, false);
    const Net net = slim_net("keras_cifar10_cnn", 1);
    Arena *arena = arena_create();
    const ImageSet set = make_images(arena, 22, 4 * STEP_IMAGES);
    Trained ref = open_candidate(reference, &net, 2 * STEP_IMAGES, 0);
    const float *weights = trained_arena(&ref, ARENA_WEIGHTS);
    const float *start = copy_of(arena, weights, net.parameter_count);
    trained_load(&ref, &set, 0, 2 * STEP_IMAGES, 0, false);
    const double first_loss = trained_forward(&ref, false).loss_sum;
    const double loss = train(&ref, &set);
    const float *expected = way(arena, weights, start, net.parameter_count);
    ck_assert_double_lt(loss, 0.95 * first_loss);
    for (int32_t i = 0; i < count; i++) {
        const Candidate it = candidates[i];
        const Tolerance tolerance = tolerances[it.precision];
        Trained trained = open_candidate(it, &net, 2 * STEP_IMAGES, 0);
        Text subject = {0};
        text_printf(&subject, "%s in %s after %d steps", it.backend->name,
                    precision_names[it.precision], STEPS);
        within(text_string(&subject), "losses", "", fabs(train(&trained, &set) / loss - 1.0),
               tolerance.late_loss);
        float *its_weights = trained_arena(&trained, ARENA_WEIGHTS);
        within(text_string(&subject), "ways", "",
               relative_distance(way(arena, its_weights, start, net.parameter_count), expected,
                                 net.parameter_count),
               tolerance.way);
        // It also continues with the weights of another backend.
        memcpy(its_weights, weights, (size_t)net.parameter_count * sizeof *weights);
        it.backend->arena_changed(trained.model, ARENA_WEIGHTS);
        within(text_string(&subject), "losses with ref's weights", "",
               fabs(trained_forward(&trained, false).loss_sum / loss - 1.0), tolerance.loss);
        text_free(&subject);
        trained_close(&trained);
    }
    trained_close(&ref);
    arena_destroy(arena);
}
END_TEST

/* --- The same again --- */

static void check_the_same_again(Candidate it, const Net *net)
{
    enum { IMAGES = 5 };
    Arena *arena = arena_create();
    const ImageSet set = make_images(arena, 23, 2 * IMAGES);
    // The models alternate, so that neither can use values that the other has left in memory.
    Trained one = open_candidate(it, net, IMAGES, 1), other = open_candidate(it, net, IMAGES, 1);
    for (uint64_t step = 0; step < 3; step++) {
        const int32_t first = step % 2 ? IMAGES : 0;
        const Score score = trained_step(&one, &set, first, IMAGES, step);
        const Score again = trained_step(&other, &set, first, IMAGES, step);
        ck_assert(score.loss_sum == again.loss_sum && score.correct == again.correct);
    }
    const size_t bytes = (size_t)net->parameter_count * sizeof(float);
    for (ArenaKind kind = ARENA_WEIGHTS; kind <= ARENA_GRADIENTS; kind++)
        ck_assert_msg(memcmp(trained_arena(&one, kind), trained_arena(&other, kind), bytes) == 0,
                      "%s in %s: arena %d differs between two trainings of one seed",
                      it.backend->name, precision_names[it.precision], (int)kind);
    trained_close(&one);
    trained_close(&other);
    arena_destroy(arena);
}

START_TEST(the_same_seed_gives_the_same_bits)
{
    Candidate candidates[CANDIDATES_MAX];
    const int32_t count = find_candidates(candidates, false);
    const Net net = slim_net("keras_cifar10_cnn", 1), slim = slim_net("keras_cifar10_cnn", 4);
    check_the_same_again(reference, &slim);
    for (int32_t i = 0; i < count; i++)
        check_the_same_again(candidates[i], &net);
}
END_TEST

/* --- Two halves of a batch --- */

enum { HALF = 32 };

/* Adds the derivatives of the mean loss of images [first, first + count), times `share`, to `sum`.
 * Returns the loss. */
static double add_gradients(const Trained *trained, const ImageSet *set, int32_t first,
                            int32_t count, float share, float *sum)
{
    trained_load(trained, set, first, count, 0, false);
    const double loss_sum = trained_forward(trained, true).loss_sum;
    trained_backward(trained);
    const float *gradients = trained_arena(trained, ARENA_GRADIENTS);
    for (int64_t i = 0; i < trained->net->parameter_count; i++)
        sum[i] += share * gradients[i];
    return loss_sum;
}

/* Without dropout and augmentation, whose random numbers depend on the place in the batch, the
 * gradient of 64 images is the mean of the gradients of its halves. Ranks rely on this. Returns the
 * difference. */
static double compare_halves(Candidate it, const Net *with_dropout, uint64_t seed)
{
    const Net net = net_without_dropout(with_dropout);
    const size_t bytes = (size_t)net.parameter_count * sizeof(float);
    Arena *arena = arena_create();
    const ImageSet set = make_images(arena, seed, 2 * HALF);
    Trained whole = open_candidate(it, &net, 2 * HALF, 0);
    Trained half = open_candidate(it, &net, HALF, 1);
    float *of_whole = memset(arena_alloc(arena, bytes), 0, bytes);
    float *mean = memset(arena_alloc(arena, bytes), 0, bytes);
    Text subject = {0};
    text_printf(&subject, "two halves of a batch by %s in %s", it.backend->name,
                precision_names[it.precision]);
    const double loss = add_gradients(&whole, &set, 0, 2 * HALF, 1.0f, of_whole);
    double loss_sum = 0.0;
    for (int32_t first = 0; first < 2 * HALF; first += HALF)
        loss_sum += add_gradients(&half, &set, first, HALF, 0.5f, mean);
    within(text_string(&subject), "losses", "", fabs(loss_sum / loss - 1.0),
           tolerances[it.precision].loss);
    const double distance = compare_gradients(text_string(&subject), &net, mean, of_whole,
                                              tolerances[it.precision].turned);
    text_free(&subject);
    trained_close(&whole);
    trained_close(&half);
    arena_destroy(arena);
    return distance;
}

START_TEST(a_batch_of_64_has_the_mean_gradient_of_its_halves)
{
    Candidate candidates[CANDIDATES_MAX];
    const int32_t count = find_candidates(candidates, false);
    const Net net = slim_net("keras_cifar10_cnn", 1), slim = slim_net("keras_cifar10_cnn", 4);
    // ref sums in double; only the rounding of three gradients to float remains.
    ck_assert_double_lt(compare_halves(reference, &slim, 24), 2e-7);
    for (int32_t i = 0; i < count; i++) {
        const double tolerance = tolerances[candidates[i].precision].gradients;
        double distance = 1.0;
        for (uint64_t attempt = 0; attempt < ATTEMPTS && distance > tolerance; attempt++)
            distance = compare_halves(candidates[i], &net, 24 + attempt);
        ck_assert_double_le(distance, tolerance);
    }
}
END_TEST

/* --- All backends, including ref --- */

START_TEST(inference_drops_nothing_and_depends_on_no_step_or_rank)
{
    Candidate candidates[CANDIDATES_MAX];
    int32_t count = find_candidates(candidates, false);
    const Net net = slim_net("keras_cifar10_cnn", 4);
    Arena *arena = arena_create();
    const ImageSet set = make_images(arena, 25, 3);
    candidates[count++] = reference;
    for (int32_t i = 0; i < count; i++) {
        Trained here = open_candidate(candidates[i], &net, 3, 0);
        Trained there = open_candidate(candidates[i], &net, 3, 9);
        trained_load(&here, &set, 0, 3, 1, false);
        trained_load(&there, &set, 0, 3, 2, false);
        ck_assert_double_eq(trained_forward(&here, false).loss_sum,
                            trained_forward(&there, false).loss_sum);
        // But training does.
        ck_assert_double_ne(trained_forward(&here, true).loss_sum,
                            trained_forward(&there, true).loss_sum);
        trained_close(&here);
        trained_close(&there);
    }
    arena_destroy(arena);
}
END_TEST

START_TEST(probabilities_add_up_and_the_score_is_theirs)
{
    Candidate candidates[CANDIDATES_MAX];
    int32_t count = find_candidates(candidates, false);
    const Net net = slim_net("keras_cifar10_cnn", 4);
    Arena *arena = arena_create();
    const ImageSet set = make_images(arena, 26, 8);
    candidates[count++] = reference;
    for (int32_t i = 0; i < count; i++) {
        Trained trained = open_candidate(candidates[i], &net, 8, 0);
        trained_load(&trained, &set, 0, 8, 0, false);
        const Score score = trained_forward(&trained, false);
        const float *probabilities = trained.backend->probabilities(trained.model);
        const Score expected = score_of(probabilities, set.labels, 8, net.class_count);
        ck_assert_double_eq_tol(score.loss_sum, expected.loss_sum, 1e-5);
        ck_assert_int_eq(score.correct, expected.correct);
        ck_assert_int_eq(score.images, 8);
        for (int32_t k = 0; k < 8; k++) {
            double sum = 0.0;
            for (int32_t c = 0; c < net.class_count; c++)
                sum += (double)probabilities[k * net.class_count + c];
            ck_assert_double_eq_tol(sum, 1.0, 1e-6);
        }
        trained_close(&trained);
    }
    arena_destroy(arena);
}
END_TEST

START_TEST(ref_refuses_bf16)
{
    Status status = {0};
    ck_assert(backend_ref.probe(PRECISION_FP32, &status));
    ck_assert(!backend_ref.probe(PRECISION_BF16, &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_str_eq(status.message, "plain C computes in fp32 only");
}
END_TEST

/* Profiles a step of a backend on the processor: every stage is in the profile, one after the
 * other, and the bits do not change. */
static void check_profile(const Backend *backend)
{
    const Net net = slim_net("keras_cifar10_cnn", 4);
    Arena *arena = arena_create();
    const ImageSet set = make_images(arena, 27, 2);
    BackendSettings settings = {.net = &net, .batch_max = 2, .threads = 1};
    Trained plain = trained_open(backend, &settings);
    settings.profile = profile_create(arena, &net);
    Trained profiled = trained_open(backend, &settings);
    const ProfileFigures *figures = profile_figures(settings.profile);
    trained_step(&plain, &set, 0, 2, 0);
    profile_begin(settings.profile, 0);
    trained_step(&profiled, &set, 0, 2, 0);
    profile_end(settings.profile);
    trained_forward(&profiled, false); // an evaluation is not profiled
    int64_t sum_ns = 0;
    for (int32_t i = 0; i < PROFILE_STAGES; i++) {
        const bool is_dropout = figures->names[i] && strncmp(figures->names[i], "dropout", 7) == 0;
        if (figures->names[i] && i != PROFILE_EXCHANGE &&
            !is_dropout) // some dropouts are merged with a pool
            ck_assert_msg(figures->stages_ns[i] > 0, "%s: %s", backend->name, figures->names[i]);
        sum_ns += figures->stages_ns[i];
    }
    ck_assert_int_eq(figures->steps, 1);
    ck_assert_int_gt(sum_ns, 0);
    ck_assert_int_le(sum_ns, figures->step_ns);
    ck_assert_str_eq(figures->clock, "processor");
    const size_t bytes = (size_t)net.parameter_count * sizeof(float);
    for (ArenaKind kind = ARENA_WEIGHTS; kind <= ARENA_GRADIENTS; kind++)
        ck_assert(memcmp(trained_arena(&plain, kind), trained_arena(&profiled, kind), bytes) == 0);
    trained_close(&plain);
    trained_close(&profiled);
    arena_destroy(arena);
}

START_TEST(a_profile_has_every_stage_and_does_not_change_the_bits)
{
    for (int32_t i = 0; backends[i]; i++) {
        Status status;
        if (!backends[i]->device && backends[i]->probe(PRECISION_FP32, &status))
            check_profile(backends[i]);
    }
}
END_TEST

Suite *test_suite(void)
{
    Candidate candidates[CANDIDATES_MAX];
    Suite *suite = suite_create("backends");
    if (find_candidates(candidates, true) == 0)
        printf("skipped: comparisons, because there is only the backend ref\n");
    TCase *steps = tcase_create("steps");
    tcase_add_test(steps, a_step_of_32_images_is_that_of_ref);
    tcase_add_test(steps, the_last_batch_of_an_epoch_with_16_is_that_of_ref);
    tcase_add_test(steps, a_single_image_is_that_of_ref);
    tcase_add_test(steps, a_step_of_a_deeper_network_is_that_of_ref);
    tcase_add_test(steps, a_step_of_a_network_with_odd_widths_is_that_of_ref);
    tcase_add_test(steps, twenty_steps_lead_where_ref_goes);
    suite_add_tcase(suite, steps);
    TCase *rules = tcase_create("rules");
    tcase_add_test(rules, the_same_seed_gives_the_same_bits);
    tcase_add_test(rules, a_batch_of_64_has_the_mean_gradient_of_its_halves);
    tcase_add_test(rules, inference_drops_nothing_and_depends_on_no_step_or_rank);
    tcase_add_test(rules, probabilities_add_up_and_the_score_is_theirs);
    tcase_add_test(rules, ref_refuses_bf16);
    tcase_add_test(rules, a_profile_has_every_stage_and_does_not_change_the_bits);
    suite_add_tcase(suite, rules);
    return suite;
}
