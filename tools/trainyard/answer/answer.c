#include "tools/trainyard/answer/answer.h"

#include "sim/cli/json_file.h"
#include "sim/cli/report.h"
#include "sim/json/decimal.h"
#include "sim/schema/plain.h"

/* --- Problems --- */

#define OWNER AnswerProblem
static const Field problem_fields[] = {
    PLAIN_TEXT("source", source, "the file, or the option of the command line", NULLABLE),
    FIELD_COUNT("line", line, "from 1; null: the file as a whole", NULLABLE),
    FIELD_COUNT("column", column, "from 1, in bytes", NULLABLE),
    PLAIN_TEXT("message", message, "what is wrong"),
    PLAIN_TEXT("hint", hint, "what helps", NULLABLE),
    {0},
};
static const ObjectType problem_type =
    OBJECT_TYPE("Problem", "A problem or a warning, at its place.", problem_fields);
#undef OWNER

/* The rows of an AnswerProblems; `noun` is the word in the keys. */
#define PROBLEM_ROWS(noun, member, text)                                                           \
    FIELD_LIST(OBJECTS, noun "s", member.items, member.count, &problem_type,                       \
               text ", in the order found; at most 100"),                                          \
        FIELD_COUNT(noun "_count", member.total, "how many there are")

#define OWNER ProblemsAnswer
static const Field problems_answer_fields[] = {
    PROBLEM_ROWS("problem", problems, "the problems"),
    {0},
};
const ObjectType problems_answer_type =
    OBJECT_TYPE("Problems answer", "The output of a verb with --json that has no answer.",
                problems_answer_fields);
#undef OWNER

static AnswerProblem answer_problem(const Status *status)
{
    const bool has_line = status->at.line > 0;
    return (AnswerProblem){.source = status->at.source,
                           .line = has_line ? status->at.line : PLAIN_UNKNOWN,
                           .column = has_line ? status->at.column : PLAIN_UNKNOWN,
                           .message = status->message,
                           .hint = status->hint[0] != '\0' ? status->hint : NULL};
}

AnswerProblems answer_problems(Arena *arena, const Problems *problems)
{
    AnswerProblems answer = {.items = ARENA_ARRAY(arena, AnswerProblem, problems->kept),
                             .total = problems->count};
    for (int32_t i = 0; i < problems->kept; i++)
        answer.items[answer.count++] = answer_problem(&problems->items[i]);
    return answer;
}

/* --- validate --- */

#define OWNER AnswerFile
static const Field file_fields[] = {
    PLAIN_TEXT("path", path, "the file as named on the command line"),
    PLAIN_TEXT("kind", kind, "scenario, study, cluster, job or catalogue; null: unknown", NULLABLE),
    FIELD_BOOLEAN("valid", is_valid, NULL, "whether it has no problem"),
    {0},
};
static const ObjectType file_type = OBJECT_TYPE("Checked file", "A file.", file_fields);
#undef OWNER

#define OWNER ValidateAnswer
static const Field validate_answer_fields[] = {
    FIELD_LIST(OBJECTS, "files", files, file_count, &file_type, "the files in their order"),
    PROBLEM_ROWS("problem", problems, "the problems of all files"),
    PROBLEM_ROWS("warning", warnings, "what will run, but probably not as intended"),
    {0},
};
const ObjectType validate_answer_type = OBJECT_TYPE(
    "Validate answer", "The output of `trainyard validate --json`.", validate_answer_fields);
#undef OWNER

/* --- explain --- */

#define OWNER AnswerValue
static const Field value_fields[] = {
    PLAIN_TEXT("name", name, "as `--set /assume` and messages call it"),
    PLAIN_TEXT("value", value, "the value as text, with its unit"),
    PLAIN_TEXT("origin", origin,
               "a place in a file, \"default\", or the source of a catalogue entry"),
    FIELD_BOOLEAN("assumed", is_assumed, NULL, "whether it has no published source"),
    {0},
};
static const ObjectType value_type =
    OBJECT_TYPE("Explained value", "A value that a scenario runs with.", value_fields);
#undef OWNER

#define OWNER AnswerMetric
static const Field metric_fields[] = {
    PLAIN_TEXT("name", name, "as `expect` and studies use it"),
    PLAIN_TEXT("unit", unit, "s, USD, ratio, count, text, ..."),
    PLAIN_TEXT("meaning", doc, "what it is"),
    {0},
};
static const ObjectType metric_type =
    OBJECT_TYPE("Listed metric", "A metric of the scenario's runs.", metric_fields);
#undef OWNER

#define OWNER ExplainAnswer
static const Field explain_answer_fields[] = {
    FIELD_LIST(OBJECTS, "values", values, value_count, &value_type, "without --metrics",
               .is_left_out_empty = true),
    FIELD_LIST(OBJECTS, "metrics", metrics, metric_count, &metric_type, "with --metrics",
               .is_left_out_empty = true),
    PROBLEM_ROWS("problem", problems, "the problems of the scenario"),
    {0},
};
const ObjectType explain_answer_type = OBJECT_TYPE(
    "Explain answer", "The output of `trainyard explain --json`.", explain_answer_fields);
#undef OWNER

/* --- diff --- */

#define OWNER DiffRecord
static const Field record_fields[] = {
    FIELD_COUNT("number", number, "its number from 1 among the compared records"),
    FIELD_DECIMAL("time_s", at_ns, DECIMALS_S, "its simulated time", .unit = "s"),
    PLAIN_TEXT("record", text, "the line of trace.tsv; null: the run is over", NULLABLE),
    {0},
};
static const ObjectType record_type =
    OBJECT_TYPE("Compared record", "A record of a trace.", record_fields);
#undef OWNER

#define ANY_LEAF "{\"type\": [\"string\", \"number\", \"boolean\", \"null\"]}"
#define OWNER DiffMetric
static const Field difference_fields[] = {
    PLAIN_TEXT("metric", name, "its name"),
    FIELD_ROW(JSON, "a", a, .schema = ANY_LEAF, .doc = "in the first run; without key: absent"),
    FIELD_ROW(JSON, "b", b, .schema = ANY_LEAF, .doc = "in the second run; without key: absent"),
    FIELD_DECIMAL("change", change_e9, DECIMALS_S, "b - a, if both are quantities"),
    FIELD_DECIMAL("change_percent", change_tenths, 1,
                  "in percent of a, rounded towards 0; without key if a is 0"),
    {0},
};
static const ObjectType difference_type =
    OBJECT_TYPE("Difference", "A value of summary.json that differs.", difference_fields);
#undef OWNER

static const char *const levels[] = {"jobs", "epochs", "steps", NULL};
_Static_assert(TRACE_LEVEL_JOBS == 0 && TRACE_LEVEL_EPOCHS == 1 && TRACE_LEVEL_STEPS == 2,
               "a word for each level");

#define OWNER DiffAnswer
#define SIDE_ROWS(side)                                                                            \
    FIELD_CHOICE("level", diff.level_##side, levels, NULL, "the level of its trace"),              \
        FIELD_LIST(TEXTS, "inputs", diff.inputs_##side, diff.input_count_##side, NULL,             \
                   "its inputs that the other run does not have"),                                 \
        FIELD_ROW(OBJECT, "first_difference", diff.side, .type = &record_type,                     \
                  .doc = "its first record that differs",                                          \
                  .shown_if = offsetof(OWNER, has_difference))
static const Field side_a_fields[] = {SIDE_ROWS(a), {0}};
static const Field side_b_fields[] = {SIDE_ROWS(b), {0}};
static const ObjectType side_a_type = OBJECT_TYPE("First run", "The first run.", side_a_fields);
static const ObjectType side_b_type = OBJECT_TYPE("Second run", "The second run.", side_b_fields);

static const Field diff_answer_fields[] = {
    FIELD_BOOLEAN("same", diff.is_same, NULL, "whether the runs are the same"),
    FIELD_GROUP("a", side_a_type, "the first run"),
    FIELD_GROUP("b", side_b_type, "the second run"),
    FIELD_COUNT("same_records", diff.same_records, "records before the first that differs"),
    FIELD_LIST(OBJECTS, "before", diff.before, diff.before_count, &record_type,
               "the last of them, at most three"),
    FIELD_LIST(TEXTS, "different_ingredients", different, diff.fingerprints.different_count, NULL,
               "ingredients of the fingerprint that differ: events, times, nodes, jobs, bills, "
               "files, draws"),
    FIELD_LIST(OBJECTS, "differences", diff.metrics, diff.metric_count, &difference_type,
               "values of summary.json that differ"),
    PROBLEM_ROWS("problem", problems, "none in a document of this shape"),
    {0},
};
const ObjectType diff_answer_type =
    OBJECT_TYPE("Diff answer", "The output of `trainyard diff --json`.", diff_answer_fields);
#undef OWNER

/* --- test --- */

#define OWNER AnswerTest
static const Field test_fields[] = {
    PLAIN_TEXT("scenario", scenario, "the scenario or study"),
    PLAIN_TEXT("name", name, "the expectation in a line, or \"runs\""),
    FIELD_BOOLEAN("holds", holds, NULL, "whether it was met"),
    FIELD_DECIMAL("time_s", time_ns, DECIMALS_S, "the time that the test took on this machine",
                  .unit = "s"),
    PLAIN_TEXT("expected", expected, "if it was not met: what was expected"),
    PLAIN_TEXT("got", got, "and what was found"),
    PLAIN_TEXT("source", source, "and the file, line and column of the expectation"),
    FIELD_COUNT("line", line, "from 1"),
    FIELD_COUNT("column", column, "from 1, in bytes"),
    PLAIN_TEXT("reproduce", reproduce, "and a command line that shows it"),
    FIELD_LIST(TEXTS, "records", records, record_count, NULL, "and the records around the failure",
               .is_left_out_empty = true),
    {0},
};
static const ObjectType test_type = OBJECT_TYPE("Test", "An expectation.", test_fields);
#undef OWNER

#define OWNER TestAnswer
static const Field test_answer_fields[] = {
    FIELD_LIST(OBJECTS, "tests", tests, test_count, &test_type, "the tests in their order"),
    FIELD_COUNT("failure_count", failure_count, "how many do not hold"),
    PROBLEM_ROWS("problem", problems, "the problems of scenarios that cannot run"),
    {0},
};
const ObjectType test_answer_type =
    OBJECT_TYPE("Test answer", "The output of `trainyard test --json`.", test_answer_fields);
#undef OWNER

AnswerTest answer_test(Arena *arena, const TestCase *test)
{
    AnswerTest answer = {.scenario = test->scenario,
                         .name = test->name,
                         .holds = test->holds,
                         .time_ns = test->time_ns,
                         .line = PLAIN_UNKNOWN,
                         .column = PLAIN_UNKNOWN};
    if (test->holds)
        return answer;
    answer.expected = test->expected;
    answer.got = test->got;
    answer.source = test->at.source;
    if (test->at.line > 0) {
        answer.line = test->at.line;
        answer.column = test->at.column;
    }
    answer.reproduce = test_report_command(arena, test);
    answer.records = test->records;
    answer.record_count = (uint32_t)test->record_count;
    return answer;
}

/* --- Output --- */

void answer_show(Arena *arena, const ObjectType *type, const void *answer)
{
    json_show(plain_write(arena, type, answer));
}

int answer_show_problems(Arena *arena, const Problems *problems)
{
    const ProblemsAnswer answer = {answer_problems(arena, problems)};
    answer_show(arena, &problems_answer_type, &answer);
    return exit_code_of_problems(problems);
}
