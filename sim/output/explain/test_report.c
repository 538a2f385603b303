#include "sim/output/explain/test_report.h"

#include <inttypes.h>

#include "sim/json/decimal.h"

/* --- TAP --- */

/* Prints a description in one line, without characters that would end it or start a directive. */
static void add_plain(Text *out, const char *text)
{
    for (; *text != '\0'; text++)
        text_append(out, (unsigned char)*text < ' ' ? " " : *text == '#' ? "_" : text, 1);
}

/* A JSON string is valid YAML. */
static void add_yaml(Text *out, const char *key, const char *value)
{
    text_printf(out, "  %s: ", key);
    json_print_string(out, value);
    text_add(out, "\n");
}

static void add_place(Text *out, Place at)
{
    text_printf(out, "%s", at.source);
    if (at.line > 0)
        text_printf(out, ":%" PRId32 ":%" PRId32, at.line, at.column);
}

static void add_command(Text *out, const TestCase *test)
{
    if (test->reproduce != NULL)
        text_printf(out, "trainyard %s", test->reproduce);
    else
        text_printf(out, "trainyard run %s --json", test->scenario);
}

void test_report_tap_begin(Text *out)
{
    text_add(out, "TAP version 13\n");
}

void test_report_tap(Text *out, int32_t number, const TestCase *test)
{
    text_printf(out, "%s %" PRId32 " - ", test->holds ? "ok" : "not ok", number);
    add_plain(out, test->scenario);
    text_add(out, ": ");
    add_plain(out, test->name);
    text_add(out, "\n");
    if (test->holds)
        return;
    Text words = {0};
    text_add(out, "  ---\n");
    add_yaml(out, "expected", test->expected);
    add_yaml(out, "got", test->got);
    add_place(&words, test->at);
    add_yaml(out, "at", text_string(&words));
    text_clear(&words);
    add_command(&words, test);
    add_yaml(out, "reproduce", text_string(&words));
    if (test->record_count > 0)
        text_add(out, "  records:\n");
    for (int32_t i = 0; i < test->record_count; i++) {
        text_add(out, "    - ");
        json_print_string(out, test->records[i]);
        text_add(out, "\n");
    }
    text_add(out, "  ...\n");
    text_free(&words);
}

void test_report_tap_end(Text *out, int32_t count)
{
    text_printf(out, "1..%" PRId32 "\n", count);
}

const char *test_report_command(Arena *arena, const TestCase *test)
{
    Text words = {0};
    add_command(&words, test);
    const char *command = arena_strdup(arena, text_string(&words));
    text_free(&words);
    return command;
}

/* --- JUnit --- */

enum { TIME_DECIMALS = 3 };

static void add_time(Text *out, int64_t time_ns)
{
    text_add(out, "\" time=\"");
    decimal_print_rounded(out, time_ns, DECIMALS_S, TIME_DECIMALS);
}

/* XML 1.0 has no control characters, not even escaped ones. */
static void add_xml(Text *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&':
            text_add(out, "&amp;");
            break;
        case '<':
            text_add(out, "&lt;");
            break;
        case '>':
            text_add(out, "&gt;");
            break;
        case '"':
            text_add(out, "&quot;");
            break;
        default:
            text_append(out, (unsigned char)*text < ' ' && *text != '\n' ? "?" : text, 1);
        }
    }
}

static void add_junit_case(Text *out, const TestCase *test)
{
    text_add(out, "  <testcase classname=\"");
    add_xml(out, test->scenario);
    text_add(out, "\" name=\"");
    add_xml(out, test->name);
    add_time(out, test->time_ns);
    if (test->holds) {
        text_add(out, "\"/>\n");
        return;
    }
    text_add(out, "\">\n    <failure message=\"expected ");
    add_xml(out, test->expected);
    text_add(out, ", got ");
    add_xml(out, test->got);
    text_add(out, "\">");
    Text words = {0};
    add_place(&words, test->at);
    text_add(&words, "\n");
    add_command(&words, test);
    add_xml(out, text_string(&words));
    text_free(&words);
    for (int32_t i = 0; i < test->record_count; i++) {
        text_add(out, "\n");
        add_xml(out, test->records[i]);
    }
    text_add(out, "</failure>\n  </testcase>\n");
}

void test_report_junit(Text *out, const TestCase *tests, int32_t count)
{
    int32_t failures = 0;
    int64_t time_ns = 0;
    for (int32_t i = 0; i < count; i++) {
        failures += !tests[i].holds;
        time_ns += tests[i].time_ns;
    }
    text_printf(out,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<testsuite name=\"trainyard\" tests=\"%" PRId32 "\" failures=\"%" PRId32,
                count, failures);
    add_time(out, time_ns);
    text_add(out, "\">\n");
    for (int32_t i = 0; i < count; i++)
        add_junit_case(out, &tests[i]);
    text_add(out, "</testsuite>\n");
}
