#include "sim/study/journal/identity.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/piece.h"

typedef struct {
    const char *name;
    size_t offset;
    bool is_optional; /* absent instead of "" */
} Fact;

/* The order of facts in a header. */
static const Fact facts[] = {
    {"version", offsetof(JournalIdentity, version), false},
    {"rng", offsetof(JournalIdentity, rng), false},
    {"study", offsetof(JournalIdentity, study), false},
    {"scenario", offsetof(JournalIdentity, scenario), false},
    {"catalogue", offsetof(JournalIdentity, catalogue), false},
    {"workloads", offsetof(JournalIdentity, workloads), false},
    {"policy", offsetof(JournalIdentity, policy), true},
};
enum { FACT_COUNT = sizeof facts / sizeof *facts };

static const char *fact_of(const JournalIdentity *identity, const Fact *fact)
{
    const char *value;
    memcpy(&value, (const char *)identity + fact->offset, sizeof value);
    return value != NULL ? value : "";
}

static bool is_plain(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            return false;
    return true;
}

static void print_fact(const char *name, const char *value, Text *out)
{
    invariant(is_plain(value));
    text_printf(out, "\t%s=%s", name, value);
}

void journal_identity_print(const JournalIdentity *identity, Text *out)
{
    for (int32_t i = 0; i < FACT_COUNT; i++) {
        const char *value = fact_of(identity, &facts[i]);
        if (!facts[i].is_optional || value[0] != '\0')
            print_fact(facts[i].name, value, out);
    }
    for (uint32_t i = 0; i < identity->metric_count; i++)
        print_fact("metric", identity->metrics[i], out);
}

/* Cuts "NAME=VALUE" off `rest`; false if the next fact has another name. */
static bool take_fact(Piece *rest, const char *name, Piece *value)
{
    Piece after = *rest;
    if (!piece_cut(&after, '\t', value) || !piece_skip(value, name) || !piece_skip(value, "="))
        return false;
    *rest = after;
    return true;
}

static uint32_t count_of_metrics(Piece rest)
{
    uint32_t count = 0;
    Piece value;
    while (take_fact(&rest, "metric", &value))
        count++;
    return count;
}

static bool parse_metrics(Arena *arena, Piece rest, JournalIdentity *identity, Status *status)
{
    identity->metric_count = count_of_metrics(rest);
    const char **metrics = ARENA_ARRAY(arena, const char *, identity->metric_count);
    for (uint32_t i = 0; i < identity->metric_count; i++) {
        Piece name;
        const bool is_taken = take_fact(&rest, "metric", &name);
        invariant(is_taken);
        metrics[i] = arena_strndup(arena, name.text, name.length);
    }
    identity->metrics = metrics;
    return rest.text == NULL || piece_bad(rest, "\"metric=NAME\"", status);
}

bool journal_identity_parse(Arena *arena, const char *text, size_t length, Place at,
                            JournalIdentity *identity, Status *status)
{
    Piece rest = {text, length, at}, empty;
    piece_cut(&rest, '\t', &empty); // each fact begins with a tab
    for (int32_t i = 0; i < FACT_COUNT; i++) {
        Piece value;
        const bool is_there = take_fact(&rest, facts[i].name, &value);
        if (!is_there && !facts[i].is_optional)
            return status_fail(status, STATUS_BAD_INPUT, rest.text ? rest.at : at,
                               "the header lacks \"%s=\"", facts[i].name);
        const char *copy = is_there ? arena_strndup(arena, value.text, value.length) : "";
        memcpy((char *)identity + facts[i].offset, &copy, sizeof copy);
    }
    return parse_metrics(arena, rest, identity, status);
}

/* --- Comparison --- */

static void add_difference(Text *out, const char *name, const char *found, const char *expected)
{
    if (strcmp(found, expected) != 0)
        text_printf(out, "%s%s \"%s\" instead of \"%s\"", out->length > 0 ? ", " : "", name, found,
                    expected);
}

static void add_metric_differences(Text *out, const JournalIdentity *found,
                                   const JournalIdentity *expected)
{
    if (found->metric_count != expected->metric_count) {
        text_printf(out, "%s%" PRIu32 " values a run instead of %" PRIu32,
                    out->length > 0 ? ", " : "", found->metric_count, expected->metric_count);
        return;
    }
    for (uint32_t i = 0; i < found->metric_count; i++)
        add_difference(out, "metric", found->metrics[i], expected->metrics[i]);
}

bool journal_identity_matches(const JournalIdentity *found, const JournalIdentity *expected,
                              Place at, Status *status)
{
    Text differences = {0};
    for (int32_t i = 0; i < FACT_COUNT; i++)
        add_difference(&differences, facts[i].name, fact_of(found, &facts[i]),
                       fact_of(expected, &facts[i]));
    add_metric_differences(&differences, found, expected);
    const bool is_same = differences.length == 0;
    if (!is_same) {
        status_fail(status, STATUS_BAD_INPUT, at, "contains runs of another study: %s",
                    text_string(&differences));
        status_hint(status,
                    "results of different studies, versions, catalogues or policies cannot be "
                    "mixed; "
                    "choose another folder for -o");
    }
    text_free(&differences);
    return is_same;
}
