#include "sim/study/fit/fit_scenario.h"

#include <inttypes.h>

#include "sim/base/civil_time.h"
#include "sim/json/decimal.h"

enum { DECIMALS = 6 };

static const char *decimal_text(Arena *arena, double value)
{
    Text text = {0};
    decimal_print(&text, (Wide)(value * 1e6 + 0.5), DECIMALS);
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

static const char *seconds_text(Arena *arena, double s)
{
    return arena_printf(arena, "%ss", decimal_text(arena, s));
}

/* --- Run times --- */

static Json *table_json(Arena *arena, const WorkloadFit *fit)
{
    Json *table = json_object(arena);
    for (int32_t i = 0; i < fit->knot_count; i++)
        json_put_text(arena, table,
                      decimal_text(arena, (double)fit->knots[i].probability_ppm / (double)PPM),
                      seconds_text(arena, (double)fit->knots[i].value / (double)NS_PER_S));
    return table;
}

static Json *duration_json(Arena *arena, const WorkloadFit *fit)
{
    const Fit *best = &fit->runs[fit->best];
    const char *scale = seconds_text(arena, best->scale_s);
    Json *duration = json_object(arena), *members;
    switch (fit->best) {
    case FIT_EXPONENTIAL:
        json_put_text(arena, duration, "exponential", scale);
        return duration;
    case FIT_LOGNORMAL:
        members = json_put_object(arena, duration, "lognormal");
        json_put_text(arena, members, "median", scale);
        json_put_decimal(arena, members, "sigma", decimal_text(arena, best->shape));
        return duration;
    case FIT_WEIBULL:
        members = json_put_object(arena, duration, "weibull");
        json_put_text(arena, members, "scale", scale);
        json_put_decimal(arena, members, "shape", decimal_text(arena, best->shape));
        return duration;
    case FIT_QUANTILES:
    case FIT_KIND_COUNT:
        break;
    }
    return table_json(arena, fit);
}

static void put_program(Arena *arena, Json *root, const WorkloadFit *fit,
                        const ImportPrices *prices)
{
    Json *program = json_add(json_put_array(arena, root, "programs"), json_object(arena));
    json_put_text(arena, program, "match", "python train.py");
    json_set(arena, program, "duration", duration_json(arena, fit));
    import_put_checkpoint(arena, program, prices);
}

/* --- The workload --- */

static void put_sizes(Arena *arena, Json *workload, const WorkloadFit *fit)
{
    Json *sizes = json_put_object(arena, workload, "gpus");
    for (int32_t i = 0; i < fit->size_count; i++)
        if (fit->sizes[i].share_ppm > 0)
            json_put_text(arena, sizes, arena_printf(arena, "%d", fit->sizes[i].gpus),
                          arena_printf(arena, "%s%%",
                                       decimal_text(arena, (double)fit->sizes[i].share_ppm / 1e4)));
}

static void put_config(Arena *arena, Json *workload)
{
    Json *properties =
        json_put_object(arena, json_put_object(arena, workload, "config"), "properties");
    json_put_integer(arena, properties, "nodeCount", 1);
    json_put_text(arena, properties, "stdOutErrPathPrefix", "$AZ_BATCHAI_MOUNT_ROOT/results");
    json_put_text(arena, json_put_object(arena, properties, "customToolkitSettings"), "commandLine",
                  "python train.py");
}

static void put_factors(Arena *arena, Json *workload, const char *key, const double *factors,
                        int32_t count)
{
    Json *list = json_put_array(arena, workload, key);
    for (int32_t i = 0; i < count; i++)
        json_add(list, json_decimal(arena, decimal_text(arena, factors[i])));
}

static void put_workload(Arena *arena, Json *root, const WorkloadFit *fit, const char *cluster,
                         const char *name)
{
    const int64_t span_s = fit->span_ns / NS_PER_S + 1;
    const int64_t factors_s = fit->factors_s < 1 ? 1 : (int64_t)(fit->factors_s + 0.5);
    Json *workload = json_add(json_put_array(arena, root, "workloads"), json_object(arena));
    json_put_text(arena, workload, "name", name);
    json_put_text(arena, workload, "cluster", cluster);
    json_put_text(arena, workload, "arrivals", "diurnal");
    json_put_text(arena, workload, "rate",
                  arena_printf(arena, "%" PRId64 "/%" PRId64 "s", fit->jobs, factors_s));
    put_factors(arena, workload, "hours", fit->hour_factors, FIT_HOURS);
    if (fit->has_weekdays)
        put_factors(arena, workload, "weekdays", fit->weekday_factors, FIT_DAYS);
    json_put_text(arena, workload, "end", arena_printf(arena, "%" PRId64 "s", span_s));
    put_sizes(arena, workload, fit);
    put_config(arena, workload);
}

/* --- The rest --- */

static void put_share(Arena *arena, Json *root)
{
    Json *account = json_add(json_put_array(arena, root, "storage"), json_object(arena));
    json_put_text(arena, account, "account", "mystorageaccount");
    Json *share = json_add(json_put_array(arena, account, "shares"), json_object(arena));
    json_put_text(arena, share, "name", "results");
}

static void put_cluster(Arena *arena, Json *root, const ImportCluster *cluster,
                        const ImportPrices *prices)
{
    Json *properties =
        import_put_create(arena, json_put_array(arena, root, "commands"), cluster, prices, "nodes");
    Json *volumes =
        json_put_object(arena, json_put_object(arena, properties, "nodeSetup"), "mountVolumes");
    Json *share = json_add(json_put_array(arena, volumes, "azureFileShares"), json_object(arena));
    json_put_text(arena, share, "azureFileUrl",
                  "https://mystorageaccount.file.core.windows.net/results");
    json_put_text(arena, share, "relativeMountPath", "results");
}

Json *fit_scenario(Arena *arena, const Import *import, const WorkloadFit *fit,
                   const ImportClusters *clusters, const ImportPrices *prices,
                   const ImportScenarioNames *names)
{
    char start[CIVIL_TEXT];
    const ImportCluster *cluster = &clusters->clusters[clusters->main];
    Json *root = json_object(arena);
    json_put_integer(arena, root, "trainyard", 1);
    json_put_text(arena, root, "description",
                  arena_printf(arena, "How long do jobs wait that arrive and run like those of %s?",
                               names->list));
    // Without a calendar hours count from the begin of the log, which is therefore at midnight.
    const int64_t origin_ns = import->log.has_calendar ? import->selection.origin_ns : 0;
    iso_time_print(origin_ns / NS_PER_S * 1000, start);
    json_put_text(arena, root, "start", start);
    Json *parameters = json_put_object(arena, root, "parameters");
    import_put_nodes(arena, parameters, "nodes", cluster);
    import_put_price_parameters(arena, parameters, cluster, prices);
    import_put_policy(arena, root, parameters, import->request->format);
    import_put_until(arena, root, &import->selection.list, 0, prices);
    json_put_text(arena, root, "fidelity", "job");
    import_put_catalogs(arena, root, names, prices);
    json_put_text(arena, root, "wide_jobs", "refuse");
    put_share(arena, root);
    put_program(arena, root, fit, prices);
    put_workload(arena, root, fit, cluster->name, names->name);
    put_cluster(arena, root, cluster, prices);
    return root;
}
