#include "tools/trainyard/predict/coverage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/cli/json_file.h"
#include "sim/json/json.h"

/* --- Groups --- */

static const char *left_out_of(const CoverageTrial *trial)
{
    return coverage_case_name(trial->left_out);
}

static const char *gpu_of(const CoverageTrial *trial)
{
    return trial->row->gpu->name;
}

static const char *network_of(const CoverageTrial *trial)
{
    return trial->row->network->name;
}

static const char *software_of(const CoverageTrial *trial)
{
    return trial->row->framework->name;
}

static const char *distance_of(const CoverageTrial *trial)
{
    static const char *const names[] = {"up to 2 times", "up to 4 times", "more than 4 times"};
    if (trial->nearest_batch == 0)
        return "the measured batch";
    const double doublings = fabs(log2((double)trial->row->batch / (double)trial->nearest_batch));
    return names[doublings <= 1 ? 0 : doublings <= 2 ? 1 : 2];
}

/* The groups of each section are in the order of their first trial. */
static const struct {
    const char *title;
    const char *key;
    const char *(*group_of)(const CoverageTrial *trial);
} sections[] = {
    {"left out", "left_out", left_out_of},
    {"GPU", "gpu", gpu_of},
    {"network", "network", network_of},
    {"software", "software", software_of},
    {"distance to the nearest batch", "batch_distance", distance_of},
};
enum { SECTIONS = sizeof sections / sizeof sections[0] };

typedef struct {
    const char *name;
    CoverageSum sum;
} Group;

static int32_t groups_of(CoverageTrials trials, int section, Group *groups)
{
    int32_t count = 0;
    for (int32_t i = 0; i < trials.count; i++) {
        const char *name = sections[section].group_of(&trials.items[i]);
        int32_t k = 0;
        while (k < count && strcmp(groups[k].name, name) != 0)
            k++;
        if (k == count)
            groups[count++] = (Group){.name = name};
        coverage_add(&groups[k].sum, &trials.items[i]);
    }
    return count;
}

/* --- Printing --- */

static void print_group(const Group *group)
{
    const CoverageSum *sum = &group->sum;
    printf("  %-48s %4d of %4d %5.1f %%  %5.1f %% %6.0f %%  %4.0f to %.0f %%\n", group->name,
           (int)sum->within, (int)sum->count, 100.0 * sum->within / sum->count,
           100 * sum->error_mean, 100 * sum->error_most, 100 * sum->stated_least,
           100 * sum->stated_most);
}

static void print_text(CoverageTrials trials, Group *groups)
{
    printf("Each measured step of one GPU, estimated without some of the other measurements\n\n");
    printf("  %-48s %s\n", "", "within the stated error   mean    most  stated");
    for (int section = 0; section < SECTIONS; section++) {
        printf("%s\n", sections[section].title);
        const int32_t count = groups_of(trials, section, groups);
        for (int32_t k = 0; k < count; k++)
            print_group(&groups[k]);
    }
}

static void put_percent(Arena *arena, Json *object, const char *key, double part)
{
    json_put_decimal(arena, object, key, arena_printf(arena, "%.1f", 100 * part));
}

static void print_json(Arena *arena, CoverageTrials trials, Group *groups)
{
    Json *root = json_object(arena);
    for (int section = 0; section < SECTIONS; section++) {
        Json *list = json_put_array(arena, root, sections[section].key);
        const int32_t count = groups_of(trials, section, groups);
        for (int32_t k = 0; k < count; k++) {
            const CoverageSum *sum = &groups[k].sum;
            Json *object = json_object(arena);
            json_set(arena, object, "name", json_string(arena, groups[k].name));
            json_put_integer(arena, object, "estimates", sum->count);
            json_put_integer(arena, object, "within", sum->within);
            put_percent(arena, object, "mean_error_pct", sum->error_mean);
            put_percent(arena, object, "largest_error_pct", sum->error_most);
            put_percent(arena, object, "least_stated_pct", sum->stated_least);
            put_percent(arena, object, "largest_stated_pct", sum->stated_most);
            json_add(list, object);
        }
    }
    json_show(root);
}

void predict_coverage_print(Arena *arena, Throughputs rows, bool is_json)
{
    const CoverageTrials trials = coverage_trials(arena, rows);
    Group *groups = ARENA_ARRAY(arena, Group, trials.count + 1);
    if (is_json)
        print_json(arena, trials, groups);
    else
        print_text(trials, groups);
}
