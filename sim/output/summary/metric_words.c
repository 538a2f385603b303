#include "sim/output/summary/metric_words.h"

#include <math.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/output/summary/metric_names.h"

/* Larger units of a unit, the largest first: used from `from` on. */
static const struct {
    const char *unit, *shown;
    double from, factor;
} units[] = {
    {"s", "d", 2 * 86400.0, 1 / 86400.0},
    {"s", "h", 2 * 3600.0, 1 / 3600.0},
    {"s", "min", 120, 1 / 60.0},
    {"s", "s", 0, 1},
    {"1", "", 2, 1}, // such as a slowdown of 8.4
    {"1", "%", 0, 100},
};

MetricScale metric_scale(const char *unit, double largest)
{
    if (unit == NULL)
        return (MetricScale){1, ""};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(units[i].unit, unit) == 0 && largest >= units[i].from)
            return (MetricScale){units[i].factor, units[i].shown};
    return (MetricScale){1, unit};
}

/* "jobs of team"; of a workload called "jobs", as the import of jobs.csv makes: "jobs". */
static const char *jobs_of(Arena *arena, const char *workload)
{
    return strcmp(workload, "jobs") == 0 ? workload : arena_printf(arena, "jobs of %s", workload);
}

/* "jobs", "job train", "jobs of team", "jobs of team of size 8", "cluster gpu": what a metric is
 * of. Skips the words that say which. */
static const char *owner_of(Arena *arena, const char **at)
{
    const char *jobs = "jobs";
    if (text_skip(at, "jobs."))
        return arena_printf(arena, "job %s", text_until(arena, at, '.'));
    if (text_skip(at, "clusters."))
        return arena_printf(arena, "cluster %s", text_until(arena, at, '.'));
    text_skip(at, "job_counts.");
    if (text_skip(at, "workloads."))
        jobs = jobs_of(arena, text_until(arena, at, '.'));
    for (JobClassKind kind = 0; kind < JOB_CLASS_COUNT; kind++)
        if (text_skip(at, arena_printf(arena, "%s.", job_class_key(kind))))
            return arena_printf(arena, "%s of %s %s", jobs, job_class_word(kind),
                                text_until(arena, at, '.'));
    return jobs;
}

/* --- Shares of jobs --- */

static const struct {
    const char *function, *predicate;
} shares[] = {
    {"waited_within(", "wait at most"},
    {"turnaround_within(", "end within"},
};

/* The time of "30m)"; 0: it states no time. */
static int64_t time_of(Arena *arena, const char *at)
{
    int64_t ns;
    Status unused;
    const char *written = arena_strndup(arena, at, strcspn(at, ")"));
    return duration_parse(written, place_in("", 0, 0), &ns, &unused) ? ns : 0;
}

static const char *time_words(Arena *arena, int64_t ns)
{
    Text text = {0};
    duration_print(&text, ns);
    return text_move(arena, &text);
}

static bool share_words(Arena *arena, const char *name, MetricWords *words)
{
    const char *jobs = owner_of(arena, &name);
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        if (!text_skip(&name, shares[i].function))
            continue;
        const int64_t ns = time_of(arena, name);
        words->form = METRIC_IS_SHARE;
        words->waited_ns = i == 0 ? ns : 0;
        words->subject = jobs;
        words->predicate = arena_printf(arena, "%s %s", shares[i].predicate, time_words(arena, ns));
        words->noun = arena_printf(arena, "%s that %s", jobs, words->predicate);
        return true;
    }
    return false;
}

/* --- Numbers --- */

static const struct {
    const char *key, *words;
} members[] = {
    {"queue_s.waiting", "number of jobs that still wait"},
    {"queue_s", "wait"},
    {"turnaround_s", "time from submission to end"},
    {"run_s", "run time"},
    {"utilisation", "utilisation"},
    {"failed", "number of failed jobs"},
    {"succeeded", "number of succeeded jobs"},
    {"unfinished", "number of unfinished jobs"},
    {"rejected", "number of rejected jobs"},
    {"nodes_max", "largest number of nodes"},
    {"node_s", "node time"},
    {"billed_node_s", "billed node time"},
    {"idle_s", "node time without a job"},
    {"held_nodes", "number of nodes held at the end"},
    {"cost_usd.total", "cost"},
    {"cost_usd.storage", "cost of storage"},
    {"cost_usd.energy", "cost of energy"},
    {"cost_usd.per_trillion_tokens", "cost of 10^12 tokens"},
    {"cost_usd", "cost of nodes"},
    {"energy.total_kwh", "energy"},
    {"energy.nodes_kwh", "energy of nodes"},
    {"energy.peak_kw", "power that the site must provide"},
    {"energy.carbon_kg", "CO2e"},
    {"energy_kwh", "energy of nodes"},
    {"makespan_s", "time until the last job ends"},
    {"created_s", "time of creation"},
    {"steady_s", "time of the first steady state"},
    {"ready_s", "time of the first ready node"},
    {"submitted_s", "time of submission"},
    {"started_s", "start of the last attempt"},
    {"ended_s", "time of the end"},
    {"prep_s", "time to prepare nodes"},
    {"start_s", "time to the first step"},
    {"train_s", "training time"},
    {"gpu_s", "GPU time"},
    {"lost_node_s", "lost node time"},
    {"wasted_gpu_s", "wasted GPU time"},
    {"steps", "number of steps"},
    {"epochs", "number of epochs"},
    {"restarts", "number of restarts"},
    {"attempts", "number of attempts"},
    {"val_accuracy", "validation accuracy"},
    {"val_loss", "validation loss"},
    {"goodput", "goodput"},
    {"tokens_per_s", "tokens a second"},
    {"mfu", "MFU"},
};

static const struct {
    const char *key, *words;
} statistics[] = {
    {"mean", "mean"},   {"mean_completed", "mean"}, {"min", "shortest"},
    {"max", "longest"}, {"p50", "median"},
};

/* "mean wait", "p95 of the wait", "cost of nodes of cluster gpu". */
static const char *statistic_words(Arena *arena, const char *member, const char *key)
{
    if (text_skip(&key, "clusters."))
        return arena_printf(arena, "%s of cluster %s", member, key);
    for (size_t i = 0; i < sizeof statistics / sizeof statistics[0]; i++)
        if (strcmp(statistics[i].key, key) == 0)
            return arena_printf(arena, "%s %s", statistics[i].words, member);
    return arena_printf(arena, "%s of the %s", key, member);
}

/* Whether `name` is `key`, or `key` with a statistic. */
static bool is_member(const char *name, const char *key)
{
    const size_t length = strlen(key);
    return strncmp(name, key, length) == 0 && (name[length] == '.' || name[length] == '\0');
}

static const char *number_words(Arena *arena, const char *name)
{
    const char *rest = name;
    const char *owner = owner_of(arena, &rest);
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (!is_member(rest, members[i].key))
            continue;
        const char *key = rest + strlen(members[i].key);
        const char *noun =
            *key == '.' ? statistic_words(arena, members[i].words, key + 1) : members[i].words;
        const bool is_of_jobs = strstr(noun, "jobs") != NULL && text_skip(&owner, "jobs");
        return rest == name ? noun
                            : arena_printf(arena, is_of_jobs ? "%s%s" : "%s of %s", noun, owner);
    }
    return name;
}

/* A mean time from submission to end over a mean run time is called by its name. */
static bool is_slowdown(Arena *arena, const char *above, const char *below)
{
    const char *above_jobs = owner_of(arena, &above), *below_jobs = owner_of(arena, &below);
    return strcmp(above, "turnaround_s.mean") == 0 && strcmp(below, "run_s.mean") == 0 &&
           strcmp(above_jobs, below_jobs) == 0;
}

static const char *ratio_words(Arena *arena, const char *above, const char *below)
{
    const char *rest = above;
    const char *owner = owner_of(arena, &rest);
    if (is_slowdown(arena, above, below))
        return rest == above ? "slowdown" : arena_printf(arena, "slowdown of %s", owner);
    return arena_printf(arena, "%s / %s", number_words(arena, above), number_words(arena, below));
}

MetricWords metric_words(Arena *arena, const char *name)
{
    MetricWords words = {.form = METRIC_IS_OTHER};
    const char *line = strstr(name, " / ");
    if (line != NULL) {
        words.noun = ratio_words(arena, arena_strndup(arena, name, (size_t)(line - name)),
                                 line + strlen(" / "));
        return words;
    }
    if (share_words(arena, name, &words))
        return words;
    words.noun = number_words(arena, name);
    if (strcmp(name, "cost_usd.total") == 0)
        words.form = METRIC_IS_COST;
    return words;
}

const char *metric_value_words(Arena *arena, double value, MetricScale scale)
{
    return arena_printf(arena, "%.6g%s%s", value * scale.factor, scale.unit[0] != '\0' ? " " : "",
                        scale.unit);
}

const char *metric_limit_words(Arena *arena, const char *name, const char *unit, bool is_at_least,
                               double limit)
{
    const MetricWords words = metric_words(arena, name);
    const char *side = is_at_least ? "at least" : "at most";
    const char *value = metric_value_words(arena, limit, metric_scale(unit, fabs(limit)));
    if (words.form == METRIC_IS_SHARE)
        return arena_printf(arena, "%s %s of the %s %s", side, value, words.subject,
                            words.predicate);
    return arena_printf(arena, "the %s is %s %s", words.noun, side, value);
}
