/* Private to reports/run: the parts of a step's time, in words. */
#include <stdlib.h>

#include "reports/run/sections.h"
#include "reports/text/wording.h"
#include "sim/base/capped.h"

typedef struct {
    int64_t ns;
    int32_t part;
} Weighted;

static int by_weight(const void *left, const void *right)
{
    const Weighted *a = left, *b = right;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return a->part - b->part;
}

static const char *const part_words[PART_COUNT] = {
    "waiting for input",
    "computing gradients",
    "waiting for the slowest rank",
    "exchange of gradients over the network",
    "updating the weights",
    "evaluation",
    "checkpoints",
};

static void share_print(Text *out, int64_t part_ns, int64_t whole_ns)
{
    const int64_t ppm = share_ppm(part_ns, whole_ns);
    if (ppm < 1000)
        text_add(out, "under 0.1\xC2\xA0%");
    else
        percent_print(out, ppm, 1);
}

/* "Besides steps, evaluation took 1 min 45 s in all (2.9 % of training) and checkpoints ..." */
static void besides_words(Text *out, const SummaryJob *job, int64_t steps_ns)
{
    int64_t whole_ns = steps_ns;
    for (int32_t part = PART_STEP_COUNT; part < PART_COUNT; part++)
        whole_ns = capped_sum(whole_ns, job->part_ns[part] == ABSENT ? 0 : job->part_ns[part]);
    const char *start = " Besides steps, ";
    const char *verb = " took ";
    for (int32_t part = PART_STEP_COUNT; part < PART_COUNT; part++) {
        const int64_t ns = job->part_ns[part];
        if (ns == ABSENT || ns == 0)
            continue;
        text_printf(out, "%s%s%s", start, part_words[part], verb);
        span_print(out, ns);
        text_add(out, " in all (");
        share_print(out, ns, whole_ns);
        text_add(out, " of training)");
        start = " and ";
        verb = " ";
    }
    if (whole_ns > steps_ns)
        text_add(out, ".");
}

/* `which` follows "An average step". */
static void split_words(Text *out, const SummaryJob *job, const char *which)
{
    Weighted parts[PART_STEP_COUNT];
    int64_t steps_ns = 0;
    for (int32_t part = 0; part < PART_STEP_COUNT; part++) {
        parts[part] = (Weighted){job->part_ns[part] == ABSENT ? 0 : job->part_ns[part], part};
        steps_ns = capped_sum(steps_ns, parts[part].ns);
    }
    qsort(parts, PART_STEP_COUNT, sizeof parts[0], by_weight);
    text_printf(out, "An average step%s took ", which);
    span_print(out, job->step_mean_ns);
    const char *separator = ": ";
    for (int32_t i = 0; i < PART_STEP_COUNT; i++) {
        if (parts[i].ns == 0)
            continue;
        text_add(out, separator);
        share_print(out, parts[i].ns, steps_ns);
        text_printf(out, " %s", part_words[parts[i].part]);
        separator = ", ";
    }
    text_add(out, ".");
    if (job->step_p95_ns != ABSENT) {
        text_add(out, " Nineteen of twenty steps took at most ");
        span_print(out, job->step_p95_ns);
        text_add(out, ".");
    }
    besides_words(out, job, steps_ns);
}

static bool has_split(const SummaryJob *job)
{
    return job->step_mean_ns != ABSENT && job->part_ns[PART_COMPUTE] != ABSENT;
}

static void split_paragraph_print(Text *html, const SummaryJob *job, const char *which)
{
    Text plain = {0};
    split_words(&plain, job, which);
    text_add(html, "<p>");
    markup_print(html, text_string(&plain));
    text_add(html, "</p>\n");
    text_free(&plain);
}

void section_split_words(Text *html, const Facts *facts)
{
    enum { TOLD_MAX = 3 };
    const SummaryJob *longest = NULL;
    uint32_t trained = 0;
    for (uint32_t i = 0; i < facts->run->job_count; i++) {
        const SummaryJob *job = &facts->run->jobs[i];
        if (!has_split(job))
            continue;
        trained++;
        if (longest == NULL || job->train_ns > longest->train_ns)
            longest = job;
    }
    for (uint32_t i = 0; i < facts->run->job_count; i++) {
        const SummaryJob *job = &facts->run->jobs[i];
        if (!has_split(job) || (trained > TOLD_MAX && job != longest))
            continue;
        Text which = {0};
        if (trained > 1)
            text_printf(&which, " of %s%s", job->name,
                        trained > TOLD_MAX ? ", which trained longest," : "");
        split_paragraph_print(html, job, text_string(&which));
        text_free(&which);
    }
}
