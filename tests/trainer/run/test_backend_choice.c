/* The backend that a word selects in this build. tools/test.sh also runs this in a build with no
 * backend except ref. */
#include <string.h>

#include "tests/support/suite.h"
#include "trainer/compute/backend.h"
#include "trainer/run/backends.h"

/* "package" where this build lacks the backend's library, else NULL. */
static const char *missing_package(const Backend *backend)
{
    (void)backend;
#ifndef TRAINYARD_HAVE_CUDA
    if (backend == &backend_cuda)
        return "CUDA toolkit";
#endif
#ifndef TRAINYARD_HAVE_ONEDNN
    if (backend == &backend_onednn)
        return "libdnnl-dev";
#endif
    return NULL;
}

START_TEST(a_backend_that_the_build_left_out_names_the_missing_package)
{
    for (int32_t i = 0; backends[i]; i++)
        for (Precision precision = 0; precision < PRECISION_COUNT; precision++) {
            Status status = {0};
            if (!missing_package(backends[i]))
                continue;
            ck_assert(!backends[i]->probe(precision, &status));
            ck_assert_int_eq(status.code, STATUS_MACHINE);
            ck_assert_ptr_nonnull(strstr(status.message, "this build has no "));
            ck_assert_ptr_nonnull(strstr(status.hint, missing_package(backends[i])));
        }
}
END_TEST

START_TEST(auto_takes_the_first_that_works)
{
    Status status = {0};
    int32_t first = 0;
    while (!backends[first]->probe(PRECISION_FP32, &status))
        first++; // ref, the last, works everywhere
    ck_assert_ptr_eq(backend_find("auto", PRECISION_FP32, &status), backends[first]);
    ck_assert_ptr_eq(backend_find("ref", PRECISION_FP32, &status), &backend_ref);
}
END_TEST

START_TEST(the_fastest_comes_first_and_words_name_all)
{
    ck_assert_ptr_eq(backends[0], &backend_cuda);
    for (int32_t i = 0; backends[i]; i++) {
        int32_t word = 0;
        while (backend_words[word] && strcmp(backend_words[word], backends[i]->name) != 0)
            word++;
        ck_assert_msg(backend_words[word] != NULL, "no word for %s", backends[i]->name);
        ck_assert(backend_word_allows(backends[i]->name, backends[i]));
        ck_assert(backend_word_allows("auto", backends[i]));
    }
}
END_TEST

START_TEST(cpu_is_not_a_gpu)
{
    ck_assert(!backend_word_allows("cpu", &backend_cuda));
    ck_assert(!backend_word_allows("cuda", &backend_onednn));
    ck_assert(backend_word_allows("cpu", &backend_onednn));
}
END_TEST

START_TEST(cpu_is_onednn_or_the_reason_why_it_does_not_work)
{
    Status status = {0}, reason = {0};
    const Backend *found = backend_find("cpu", PRECISION_FP32, &status);
    if (backend_onednn.probe(PRECISION_FP32, &reason)) {
        ck_assert_ptr_eq(found, &backend_onednn);
        return;
    }
    ck_assert_ptr_null(found);
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert_ptr_nonnull(strstr(status.message, reason.message));
    ck_assert(status.hint[0]);
}
END_TEST

START_TEST(a_name_selects_that_backend_or_fails_with_a_reason)
{
    for (int32_t i = 0; backends[i]; i++)
        for (Precision precision = 0; precision < PRECISION_COUNT; precision++) {
            Status status = {0}, reason = {0};
            const Backend *found = backend_find(backends[i]->name, precision, &status);
            if (backends[i]->probe(precision, &reason)) {
                ck_assert_ptr_eq(found, backends[i]);
                continue;
            }
            ck_assert_ptr_null(found);
            ck_assert_int_eq(status.code, STATUS_MACHINE);
            ck_assert_ptr_nonnull(strstr(status.message, reason.message));
            ck_assert_str_eq(status.hint, reason.hint);
        }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("backend_choice");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_backend_that_the_build_left_out_names_the_missing_package);
    tcase_add_test(tests, auto_takes_the_first_that_works);
    tcase_add_test(tests, the_fastest_comes_first_and_words_name_all);
    tcase_add_test(tests, cpu_is_not_a_gpu);
    tcase_add_test(tests, cpu_is_onednn_or_the_reason_why_it_does_not_work);
    tcase_add_test(tests, a_name_selects_that_backend_or_fails_with_a_reason);
    suite_add_tcase(suite, tests);
    return suite;
}
