/* Every test program defines this; tests/support/main.c runs it, forking for each test. */
#ifndef TESTS_SUPPORT_SUITE_H
#define TESTS_SUPPORT_SUITE_H

#include <check.h>

#ifdef __cplusplus
extern "C" {
#endif

Suite *test_suite(void);

#ifdef __cplusplus
}
#endif
#endif
