/* Reports of test runs: TAP 13 for people and harnesses, JUnit XML for build servers.
 *
 *     TAP version 13
 *     ok 1 - scenarios/cifar10/scenario.json: runs
 *     not ok 2 - scenarios/cifar10/scenario.json: jobs.cifar.run_s between 45m and 75m
 *       ---
 *       expected: "2700 to 4500"
 *       got: "5012.25"
 *       at: "scenarios/cifar10/scenario.json:31:5"
 *       reproduce: "trainyard run scenarios/cifar10/scenario.json --json"
 *       records:
 *         - "612.5 s  job_state  nc6cluster cifar running"
 *       ...
 *     1..2 */
#ifndef SIM_OUTPUT_TEST_REPORT_H
#define SIM_OUTPUT_TEST_REPORT_H

#include "sim/base/arena.h"
#include "sim/base/status.h"
#include "sim/base/text.h"

typedef struct {
    const char *scenario; /* path of its file, as given */
    const char *name;     /* the expectation, in a line */
    bool holds;
    int64_t time_ns;      /* that it took on this machine */
    const char *expected; /* the members below are for expectations that do not hold */
    const char *got;
    Place at;
    const char *reproduce; /* the arguments of trainyard; NULL: a run of the scenario */
    int32_t record_count;  /* records of the run that show it, one line each */
    const char *const *records;
} TestCase;

/* Receives cases one by one. */
typedef struct {
    void *to;
    void (*add)(void *to, TestCase test);
} TestCaseSink;

/* The first line. */
void test_report_tap_begin(Text *out);
/* The case's line and, if it does not hold, the reason. `number` counts from 1. */
void test_report_tap(Text *out, int32_t number, const TestCase *test);
/* The last line: the plan. */
void test_report_tap_end(Text *out, int32_t count);

/* The command line that shows the case, in `arena`. */
const char *test_report_command(Arena *arena, const TestCase *test);

/* A whole JUnit file: one suite with all `count` cases and their times in seconds, the scenario as
 * class name. */
void test_report_junit(Text *out, const TestCase *tests, int32_t count);

#endif
