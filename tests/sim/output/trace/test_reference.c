#include "sim/output/trace/reference.h"

#include <string.h>

#include "sim/output/trace/tsv.h"
#include "tests/support/suite.h"

static Text text;

static void has(const char *part)
{
    ck_assert_msg(strstr(text_string(&text), part) != NULL, "the reference lacks \"%s\"", part);
}

START_TEST(columns_records_and_causes_of_a_trace_are_in_its_reference)
{
    Text name = {0}, header = {0};
    trace_reference(&text);
    trace_tsv_print_header(&header, &(TraceHeader){.scenario = "any"});
    char *columns = strchr(text_string(&header), '\n') + 1;
    for (char *at = strtok(columns, "\t\n"); at != NULL; at = strtok(NULL, "\t\n")) {
        text_clear(&name);
        text_printf(&name, "\n| `%s` | ", at);
        has(text_string(&name));
    }
    for (int kind = 0; kind < TRACE_KIND_COUNT; kind++) {
        text_clear(&name);
        text_printf(&name, "\n| `%s` | ", trace_kind_name((TraceKind)kind));
        has(text_string(&name));
        ck_assert_ptr_null(strchr(trace_kind_meaning((TraceKind)kind), '|')); // ends a cell
    }
    has("| `job_state` | `jobs` | cluster, job, name | `exit_code` or -1 | span: the state that ");
    has(", `time_limit`, ");
    text_free(&name);
    text_free(&header);
    text_free(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("trace reference");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, columns_records_and_causes_of_a_trace_are_in_its_reference);
    suite_add_tcase(suite, tests);
    return suite;
}
