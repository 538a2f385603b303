/* The number of threads is a setting of each model, also if another model has a different number.
 * The same number gives the same bits again; a different number gives the same values except for
 * rounding. */
#include <string.h>

#include "tests/support/small_training.h"
#include "tests/support/suite.h"
#include "trainer/run/backends.h"

enum { IMAGES = 16 };

static Trained open_with_threads(const Backend *backend, const Net *net, int32_t threads)
{
    const BackendSettings settings = {
        .net = net, .batch_max = IMAGES, .threads = threads, .seed = 5};
    return trained_open(backend, &settings);
}

static void check_threads(const Backend *backend, const Net *net, const ImageSet *set)
{
    const size_t bytes = (size_t)net->parameter_count * sizeof(float);
    Trained one = open_with_threads(backend, net, 1);
    Trained two = open_with_threads(backend, net, 2), again = open_with_threads(backend, net, 2);
    for (uint64_t step = 0; step < 2; step++) {
        trained_step(&two, set, 0, IMAGES, step);
        trained_step(&one, set, 0, IMAGES, step);
        trained_step(&again, set, 0, IMAGES, step);
        if (step == 0) // later steps increase differences of rounding
            ck_assert_double_le(relative_distance(trained_arena(&two, ARENA_GRADIENTS),
                                                  trained_arena(&one, ARENA_GRADIENTS),
                                                  net->parameter_count),
                                1e-4);
        ck_assert_msg(memcmp(trained_arena(&two, ARENA_WEIGHTS),
                             trained_arena(&again, ARENA_WEIGHTS), bytes) == 0,
                      "%s: two threads gave other bits in step %d", backend->name, (int)step);
    }
    trained_close(&one);
    trained_close(&two);
    trained_close(&again);
}

START_TEST(a_number_of_threads_gives_its_bits_again_and_nearly_those_of_one)
{
    Arena *arena = arena_create();
    const Net net = slim_net("keras_cifar10_cnn", 1);
    const ImageSet set = make_images(arena, 31, IMAGES);
    for (int32_t i = 0; backends[i]; i++) {
        Status status = {0};
        if (backends[i] != &backend_ref && backends[i]->probe(PRECISION_FP32, &status))
            check_threads(backends[i], &net, &set);
    }
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("backend_threads");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_number_of_threads_gives_its_bits_again_and_nearly_those_of_one);
    suite_add_tcase(suite, tests);
    return suite;
}
