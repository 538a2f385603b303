/* trainyard import: the log of a real cluster becomes a workload file. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reports/page/page.h"
#include "reports/trace/fit_page.h"
#include "sim/base/ascii.h"
#include "sim/cli/files.h"
#include "sim/cli/json_file.h"
#include "sim/cloud/spec/resample.h"
#include "sim/scenario/catalog/fields.h"
#include "sim/scenario/joblist/job_list_file.h"
#include "sim/schema/value.h"
#include "sim/study/fit/fit_scenario.h"
#include "tools/trainyard/verbs.h"

typedef struct {
    const char *output;
    bool only_checks, is_quiet;
    int attempts, states, cpu_jobs;
    const char *window, *timezone, *scale_load, *thin, *requested, *clamp_run;
    const char *columns, *separator, *gpu_type;
    OptionTexts queues, gpu_types, run_times;
    int64_t thin_seed, processors_per_node, gpus_per_node_max;
    bool skips_malformed;
    const char *scenario, *machines, *fit;
    OptionTexts nodes;
    int64_t gpus_per_node;
    bool is_pool;
    const char *price, *low_priority;
    int64_t lifetime_ns, piece_ns;
    OptionTexts offers;
    bool has_burst;
} ImportArguments;

enum { GPUS_MAX = 1000000, LIFETIME_NOT_GIVEN = -1 };

#define OWNER ImportArguments
static const Field import_options[] = {
    OPTION_FILE('o', "output", output, "NAME.csv",
                "the workload file; NAME.import.json next to it lists what was dropped or mended"),
    OPTION_FLAG(0, "check", only_checks, "write nothing; print the counts"),
    OPTION_FLAG('q', "quiet", is_quiet, "print nothing but problems"),
    OPTION_CHOICE(0, "attempts", attempts, "RULE", attempt_rule_names,
                  "run time of a job with several attempts: their sum, that of the last, or one "
                  "job for each attempt (sum)"),
    OPTION_CHOICE(0, "states", states, "STATES", state_rule_names,
                  "which jobs count, by how they ended (all)"),
    OPTION_CHOICE(0, "cpu-jobs", cpu_jobs, "RULE", cpu_job_rule_names,
                  "jobs that ask for no GPU (drop)"),
    OPTION_TEXT(0, "window", window, "FROM..TO",
                "only jobs submitted from FROM on and before TO: two dates in the log's zone, or "
                "two durations since the first submission; either may be empty"),
    OPTION_TEXTS(0, "queue", queues, "NAME", "only jobs of this queue; may be repeated"),
    OPTION_TEXT(0, "timezone", timezone, "ZONE",
                "how to read times without an offset: UTC, +08:00, America/Los_Angeles, ... (the "
                "format's)"),
    OPTION_TEXT(0, "scale-load", scale_load, "F",
                "divide the times between submissions by F, to whole seconds"),
    OPTION_TEXT(0, "thin", thin, "F", "keep each job with probability F"),
    OPTION_INTEGER(0, "thin-seed", thin_seed, "N", 0, 0,
                   "the seed of --thin and of --requested run*A..B (0)"),
    OPTION_TEXTS(0, "map-gpu-type", gpu_types, "FROM=TO",
                 "call GPUs of type FROM TO; may be repeated"),
    OPTION_TEXT(0, "requested", requested, "RULE",
                "the run time that owners ask for: column, run*F, or run*A..B (column)"),
    OPTION_TEXT(0, "clamp-run", clamp_run, "A..B",
                "limits of run times, such as 1s..7d; either may be empty"),
    OPTION_INTEGER(0, "processors-per-node", processors_per_node, "N", 1, GPUS_MAX,
                   "swf: jobs take whole nodes of N processors"),
    OPTION_INTEGER(0, "gpus-per-node-max", gpus_per_node_max, "N", 1, GPUS_MAX,
                   "the most GPUs that a job takes on one node"),
    OPTION_TEXT(0, "columns", columns, "MAP",
                "csv: what its columns mean: TARGET=COLUMN[:UNIT],..."),
    OPTION_TEXT(0, "separator", separator, "CHARACTER", "csv: between cells; \"tab\" (,)"),
    OPTION_TEXTS(0, "run-time", run_times, "APPLICATION=DURATION",
                 "sia: the run time of an application; may be repeated"),
    OPTION_TEXT(0, "gpu-type", gpu_type, "TYPE",
                "gavel: the kind of GPU whose throughputs count (v100)"),
    OPTION_FLAG(0, "skip-malformed", skips_malformed,
                "drop and count rows that cannot be read, instead of refusing the file"),
    OPTION_FILE(0, "scenario", scenario, "FILE.json",
                "also write a scenario that runs the jobs; in the folder of NAME.csv"),
    OPTION_FILE(0, "fit", fit, "FILE.json",
                "also write a scenario with random arrivals, run times and GPUs like those of the "
                "log, and FILE.html, which compares both; in the folder of NAME.csv"),
    OPTION_FILE(0, "cluster", machines, "FILE",
                "--scenario: the clusters, from the machine list (philly), the GPUs of virtual "
                "clusters by day (helios) or the table of nodes (pai-2023)"),
    OPTION_TEXTS(
        0, "nodes", nodes, "[QUEUE=]N[xGPUS]",
        "--scenario: without --cluster, the nodes of the cluster of each queue, or of that "
        "of QUEUE, with GPUS each; may be repeated"),
    OPTION_INTEGER(0, "gpus-per-node", gpus_per_node, "N", 1, GPUS_MAX,
                   "--scenario: GPUs of a node (8)"),
    OPTION_FLAG(0, "pool", is_pool, "--scenario: one cluster, \"gpu\", for all queues"),
    OPTION_TEXT(0, "price", price, "PRICE",
                "--scenario and --fit: what a node costs, see below; without it costs are unknown"),
    OPTION_TEXTS(0, "offer", offers, "NAME=PRICE",
                 "--scenario and --fit: another price of such nodes, as a choice of the parameter "
                 "\"size\"; may be repeated"),
    OPTION_TEXT(0, "low-priority", low_priority, "PRICE",
                "--scenario and --fit: the price of low-priority nodes, which the parameter "
                "\"priority\" selects"),
    OPTION_FLAG(0, "burst", has_burst,
                "--scenario and --fit: up to the parameter \"burst\" (0) more nodes at --price "
                "come on demand, for jobs that do not fit, and leave when they are idle"),
    OPTION_DURATION(0, "lifetime", lifetime_ns, "TIME",
                    "--low-priority: the mean time until such a node is taken away; its jobs begin "
                    "again (20h, an assumption), or continue from their checkpoints, if the "
                    "parameter \"checkpointing\" says what percentage of the jobs writes some"),
    OPTION_DURATION(0, "resample", piece_ns, "TIME",
                    "--scenario: each seed draws pieces of this length from the log, such as 7d, "
                    "and the parameter \"load\" multiplies the jobs; without it every run has the "
                    "log's jobs at their times"),
    {0},
};
#undef OWNER

static const OptionTable import_table = {
    .name = "import",
    .operands = "FORMAT FILE...",
    .summary = "Makes a workload file from the log of a real cluster.",
    .details =
        "Formats:\n"
        "  philly       cluster_job_log of Microsoft's Philly traces (JSON)\n"
        "  philly-csv   Philly as derived for Sia and Pollux\n"
        "  helios       cluster_log.csv of SenseTime's Helios traces\n"
        "  acme         trace_seren.csv or trace_kalos.csv of the Acme traces\n"
        "  pai-2020     Alibaba's PAI of 2020: job table, task table, instance table\n"
        "  pai-2023     Alibaba's PAI of 2023: openb_pod_list_*.csv\n"
        "  swf          Standard Workload Format 2.2\n"
        "  gavel        traces of the Gavel scheduler, and its throughputs (JSON)\n"
        "  sia          workloads of Sia and Pollux\n"
        "  tiresias     traces of Tiresias\n"
        "  slurm        output of sacct -P with its header line\n"
        "  csv          any table with a header line, see --columns\n"
        "\n"
        "Targets of --columns are job, submit, start, end, run, wait, requested, gpus, "
        "gpus_per_node_max, nodes, cpus, memory, priority, gpu_type, speeds, queue, user and "
        "state. Needed are submit, gpus, and either run or start and end. Units of times are s, "
        "ms, us, ns, min, h, d and time (a date); of memory B, KiB, MiB, GiB, MB and GB; of "
        "numbers percent and milli. Without a stated unit a cell may have that of Kubernetes: "
        "64Gi, 500m. Speeds are on kinds of nodes: V100=1|A100=2.5.\n"
        "\n"
        "A log of Slurm is the output of sacct, as in the first example; without -S it has the "
        "jobs of today.\n"
        "\n"
        "A job that had not ended when the log was taken is kept with its time until then: the "
        "latest time in the log, or the elapsed times of sacct. Such jobs are the longest ones, so "
        "that a workload without them would have too little demand. Their number and GPU-hours are "
        "stated. Jobs that still waited are dropped.\n"
        "\n"
        "A PRICE is a sum: 27.20USD for a node and hour; 3.40USD/gpu for each of its GPUs; "
        "310000USD/4y for a purchase that is written off in 4 years of 365 days; 9.2kW*0.12USD for "
        "power all the time, at a price for a kWh. Bought, with cooling: "
        "310000USD/4y+9.2kW*0.12USD.\n"
        "\n"
        "Every row that is dropped or mended is counted by rule. The counts, the options, the time "
        "zone and the SHA-256 of the source are in NAME.import.json. Zones are rules of this "
        "program; no database of time zones is read.",
    .example =
        "sacct -aPX -S 2026-01-01 -o "
        "JobID,User,Partition,Submit,Start,End,Elapsed,State,AllocTRES,TimelimitRaw >jobs.txt\n"
        "trainyard import philly-csv scenarios/traces/philly_ed69ec.source.csv -o philly.csv\n"
        "trainyard import swf scenarios/traces/lublin_like.swf -o lublin.csv "
        "--processors-per-node 8 --scenario lublin.json --nodes 32 --gpus-per-node 8\n"
        "trainyard import helios scenarios/traces/samples/helios.csv --check\n"
        "trainyard import csv scenarios/traces/philly_ed69ec.source.csv "
        "--columns submit=timestamp:time,run=duration,gpus=num_gpus,queue=cluster --check",
    .options = import_options,
    .operand_count_min = 2,
    .operand_count_max = INT32_MAX,
};

static ImportTexts texts_of(OptionTexts texts)
{
    return (ImportTexts){(const char *const *)texts.items, texts.count};
}

static ImportChoices choices_of(const ImportArguments *arguments)
{
    return (ImportChoices){
        .attempts = arguments->attempts,
        .states = arguments->states,
        .cpu_jobs = arguments->cpu_jobs,
        .window = arguments->window,
        .queues = texts_of(arguments->queues),
        .timezone = arguments->timezone,
        .scale_load = arguments->scale_load,
        .thin = arguments->thin,
        .thin_seed = arguments->thin_seed,
        .map_gpu_types = texts_of(arguments->gpu_types),
        .requested = arguments->requested,
        .clamp_run = arguments->clamp_run,
        .processors_per_node = arguments->processors_per_node,
        .gpus_per_node_max = arguments->gpus_per_node_max,
        .columns = arguments->columns,
        .separator = arguments->separator,
        .run_times = texts_of(arguments->run_times),
        .gpu_type = arguments->gpu_type,
        .skips_malformed = arguments->skips_malformed,
        .only_counts = arguments->only_checks,
    };
}

/* --- Files --- */

/* Larger logs do not fit: columns and lines are counted in 32 bits. */
static const size_t log_bytes_max = INT32_MAX;

static bool read_files(Arena *arena, char **paths, int32_t count, ImportFile *files,
                       Problems *problems)
{
    const int32_t problems_before = problems->count;
    for (int32_t i = 0; i < count; i++) {
        Status status = {0};
        char *text;
        files[i] = (ImportFile){.path = paths[i]};
        if (file_read(arena, paths[i], log_bytes_max, &text, &files[i].length, &status))
            files[i].text = text;
        else
            problems_add_status(problems, &status);
    }
    return problems->count == problems_before;
}

/* `path` with `suffix` instead of `end`. */
static const char *path_with(Arena *arena, const char *path, const char *end, const char *suffix)
{
    const size_t length = strlen(path), end_length = strlen(end);
    const bool has_end = length > end_length && strcmp(path + length - end_length, end) == 0;
    return arena_printf(arena, "%.*s%s", (int)(has_end ? length - end_length : length), path,
                        suffix);
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void write_bytes(void *to, const char *bytes, size_t length)
{
    fwrite(bytes, 1, length, to);
}

static bool write_list(const Import *import, const char *path, const char *sidecar, Status *status)
{
    FileWriter writer;
    const JobListProvenance provenance = {.format = import->request->format->name,
                                          .source = name_of(import->request->files[0].path),
                                          .sha256 = import->digests[0],
                                          .sidecar = name_of(sidecar)};
    if (!file_writer_open(&writer, path, status))
        return false;
    job_list_write(&import->selection.list, &provenance, (ByteSink){writer.stream, write_bytes});
    return file_writer_commit(&writer, status);
}

static bool write_files(Arena *arena, const Import *import, const char *path, Problems *problems)
{
    Status status = {0};
    const char *sidecar = path_with(arena, path, ".csv", ".import.json");
    if (write_list(import, path, sidecar, &status) &&
        json_file_write(sidecar, import_sidecar(arena, import), &status))
        return true;
    problems_add_status(problems, &status);
    return false;
}

/* --- The scenario --- */

/* A JSON file of an output, named in `problems` if it cannot be written. */
static bool write_json(const char *path, const Json *root, Problems *problems)
{
    Status status = {0};
    if (json_file_write(path, root, &status))
        return true;
    problems_add_status(problems, &status);
    return false;
}

static bool read_clusters(Arena *arena, const ImportArguments *arguments, Import *import,
                          ImportClusters *clusters, Problems *problems)
{
    ImportFile machines;
    char *path = arena_strdup(arena, arguments->machines != NULL ? arguments->machines : "");
    const ImportClusterChoices choices = {
        .machines = arguments->machines != NULL ? &machines : NULL,
        .nodes = texts_of(arguments->nodes),
        .gpus_per_node = (int32_t)arguments->gpus_per_node,
        .is_pool = arguments->is_pool || arguments->scenario == NULL};
    return (arguments->machines == NULL || read_files(arena, &path, 1, &machines, problems)) &&
           import_clusters_read(arena, import, &choices, clusters, problems);
}

static bool write_fit(Arena *arena, const char *path, const Import *import,
                      const ImportClusters *clusters, const ImportPrices *prices,
                      const ImportScenarioNames *names, Problems *problems)
{
    const ImportLog *log = &import->log;
    const WorkloadFit *fit = workload_fit(
        arena, &import->selection.list, import->selection.origin_ns, log->has_calendar, log->zone);
    const FitPage page = {.path = path_with(arena, path, ".json", ".html"),
                          .list = names->list,
                          .source = name_of(import->request->files[0].path),
                          .zone = log->has_calendar ? log->zone.name : NULL,
                          .open_jobs = import->selection.open_jobs};
    Status no_plots = {0}, status = {0};
    if (!write_json(path, fit_scenario(arena, import, fit, clusters, prices, names), problems))
        return false;
    if (!fit_page_write(arena, &page, fit, &no_plots, &status)) {
        problems_add_status(problems, &status);
        return false;
    }
    page_warn_of_plots(page.path, &no_plots);
    return true;
}

/* The file name of the list, with the characters that names of workloads may have. */
static const char *workload_name(Arena *arena, const char *list)
{
    char *name = arena_strdup(arena, name_of(path_with(arena, list, ".csv", "")));
    for (char *c = name; *c != '\0'; c++)
        if (!ascii_is_alphanumeric(*c) && *c != '-')
            *c = '_';
    return name;
}

static bool wants_clusters(const ImportArguments *arguments)
{
    return arguments->scenario != NULL || arguments->fit != NULL;
}

/* The scenarios and their catalogue. */
static bool write_scenarios(Arena *arena, const ImportArguments *arguments, const Import *import,
                            const ImportClusters *clusters, const ImportPrices *prices,
                            Problems *problems)
{
    const char *catalog = path_with(arena, arguments->output, ".csv", ".catalog.json");
    const ImportScenarioNames names = {.name = workload_name(arena, arguments->output),
                                       .list = name_of(arguments->output),
                                       .catalog = name_of(catalog)};
    return write_json(catalog, import_scenario_catalog(arena, clusters, prices), problems) &&
           (arguments->scenario == NULL ||
            write_json(
                arguments->scenario,
                import_scenario(arena, import, clusters, prices, &names, arguments->piece_ns),
                problems)) &&
           (arguments->fit == NULL ||
            write_fit(arena, arguments->fit, import, clusters, prices, &names, problems));
}

/* A price of an option; NULL: it was not given. */
static bool read_price(Arena *arena, const char *text, const char *option, ImportPrice *price,
                       Problems *problems)
{
    Status status;
    *price = (ImportPrice){0};
    if (text == NULL || import_price_parse(arena, text, place_in(option, 0, 0),
                                           CATALOG_AMOUNT_MOST / GPUS_MAX, price, &status))
        return true;
    problems_add_status(problems, &status);
    return false;
}

/* A name is the end of that of a VM size. */
static bool is_offer_name(const char *name, size_t length)
{
    bool is_name = length > 0;
    for (size_t i = 0; i < length; i++)
        is_name &= ascii_is_alphanumeric(name[i]) || name[i] == '_' || name[i] == '-';
    return is_name;
}

static bool read_offer(Arena *arena, const char *text, ImportOffer *offers, int32_t count,
                       Problems *problems)
{
    static const char option[] = "--offer";
    const char *equals = strchr(text, '=');
    if (equals == NULL || !is_offer_name(text, (size_t)(equals - text))) {
        status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in(option, 0, 0),
                                 "\"%s\" is not NAME=PRICE", text),
                    "as in --offer reserved=16USD; names have letters, digits, '_' and '-'");
        return false;
    }
    offers[count].name = arena_strndup(arena, text, (size_t)(equals - text));
    for (int32_t i = 0; i < count; i++)
        if (ascii_same(offers[i].name, offers[count].name)) {
            problems_add(problems, STATUS_BAD_INPUT, place_in(option, 0, 0),
                         "there are two offers \"%s\"", offers[i].name);
            return false;
        }
    return read_price(arena, equals + 1, option, &offers[count].price, problems);
}

static bool read_prices(Arena *arena, const ImportArguments *arguments, ImportPrices *prices,
                        Problems *problems)
{
    const bool has_lifetime = arguments->lifetime_ns != LIFETIME_NOT_GIVEN;
    *prices =
        (ImportPrices){.lifetime_ns = has_lifetime ? arguments->lifetime_ns : 20 * NS_PER_HOUR,
                       .offers = ARENA_ARRAY(arena, ImportOffer, arguments->offers.count),
                       .has_burst = arguments->has_burst};
    bool is_right = read_price(arena, arguments->price, "--price", &prices->dedicated, problems);
    is_right &= read_price(arena, arguments->low_priority, "--low-priority", &prices->low_priority,
                           problems);
    if (prices->lifetime_ns < NS_PER_S) {
        problems_add(problems, STATUS_BAD_INPUT, place_in("--lifetime", 0, 0),
                     "expected at least 1s");
        is_right = false;
    }
    for (int32_t i = 0; i < arguments->offers.count; i++)
        is_right &= read_offer(arena, arguments->offers.items[i], prices->offers,
                               prices->offer_count++, problems);
    return is_right;
}

/* Refuses the first option that has no effect without another one. */
static bool check_scenario_options(const ImportArguments *arguments, Problems *problems)
{
    static const char no_scenario[] = "this option belongs to a scenario, and none is written";
    static const char any_scenario[] = "--scenario FILE.json or --fit FILE.json writes one";
    static const char no_price[] = "the other nodes have no price to compare this one with";
    static const char price_hint[] = "--price PRICE states what they cost";
    const struct {
        const char *option;
        bool is_given, has_other;
        const char *problem, *hint;
    } options[] = {
        {"--price", arguments->price != NULL, wants_clusters(arguments), no_scenario, any_scenario},
        {"--offer", arguments->offers.count > 0, wants_clusters(arguments), no_scenario,
         any_scenario},
        {"--low-priority", arguments->low_priority != NULL, wants_clusters(arguments), no_scenario,
         any_scenario},
        {"--burst", arguments->has_burst, wants_clusters(arguments), no_scenario, any_scenario},
        {"--burst", arguments->has_burst, arguments->price != NULL,
         "the nodes on demand have no price", price_hint},
        {"--resample", arguments->piece_ns != 0, arguments->scenario != NULL, no_scenario,
         "--scenario FILE.json writes one"},
        {"--offer", arguments->offers.count > 0, arguments->price != NULL, no_price, price_hint},
        {"--low-priority", arguments->low_priority != NULL, arguments->price != NULL, no_price,
         price_hint},
        {"--lifetime", arguments->lifetime_ns != LIFETIME_NOT_GIVEN,
         arguments->low_priority != NULL, "only low-priority nodes are taken away",
         "--low-priority PRICE states what they cost"},
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (options[i].is_given && !options[i].has_other) {
            status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in(options[i].option, 0, 0),
                                     "%s", options[i].problem),
                        "%s", options[i].hint);
            return false;
        }
    return true;
}

static bool check_offers(const ImportPrices *prices, const ImportClusters *clusters,
                         Problems *problems)
{
    const char *option = prices->offer_count > 0 ? "--offer" : "--low-priority";
    if ((prices->offer_count == 0 && !prices->low_priority.is_known) ||
        import_has_one_size(clusters))
        return true;
    status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in(option, 0, 0),
                             "the clusters have different nodes"),
                "--pool, --nodes and --gpus-per-node make them equal; --price is for all of them");
    return false;
}

static bool check_burst(const ImportPrices *prices, const ImportClusters *clusters,
                        Problems *problems)
{
    if (!prices->has_burst ||
        (!clusters->is_per_queue && !clusters->are_kinds && clusters->resize_count == 0))
        return true;
    status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in("--burst", 0, 0),
                             "needs one cluster, whose nodes are equal and stay"),
                "--pool and --nodes make one");
    return false;
}

/* Whether the list has enough pieces, and whole seconds, in which the scenario states them. */
static bool check_resample(const ImportArguments *arguments, const Import *import,
                           Problems *problems)
{
    const JobList *list = &import->selection.list;
    const Place at = place_in("--resample", 0, 0);
    if (arguments->piece_ns == 0)
        return true;
    if (arguments->piece_ns % NS_PER_S != 0) {
        status_hint(problems_add(problems, STATUS_BAD_INPUT, at, "expected whole seconds"),
                    "as in --resample 7d, which keeps hours and weekdays");
        return false;
    }
    if (resample_is_possible(list, arguments->piece_ns))
        return true;
    const bool is_long = resample_pieces(list, arguments->piece_ns) < RESAMPLE_PIECES_LEAST;
    status_hint(problems_add(problems, STATUS_BAD_INPUT, at,
                             is_long ? "the log is too short for two pieces of this length"
                                     : "the log has too many pieces of this length"),
                "choose a %s one, such as 1d", is_long ? "shorter" : "longer");
    return false;
}

static bool write_all(Arena *arena, const ImportArguments *arguments, Import *import,
                      Problems *problems)
{
    ImportPrices prices;
    ImportClusters clusters;
    if (!check_scenario_options(arguments, problems) ||
        !check_resample(arguments, import, problems) ||
        !read_prices(arena, arguments, &prices, problems))
        return false;
    if (!wants_clusters(arguments))
        return write_files(arena, import, arguments->output, problems);
    if (arguments->piece_ns > 0)
        import_note_pieces(import, arguments->piece_ns);
    // The clusters come first, because the sidecar counts the jobs that are wider than theirs.
    return read_clusters(arena, arguments, import, &clusters, problems) &&
           check_offers(&prices, &clusters, problems) &&
           check_burst(&prices, &clusters, problems) &&
           write_files(arena, import, arguments->output, problems) &&
           write_scenarios(arena, arguments, import, &clusters, &prices, problems);
}

/* --- The verb --- */

static const ImportFormat *find_format(const char *name, Problems *problems)
{
    enum { NAMES_MAX = 32 };
    const char *names[NAMES_MAX];
    const ImportFormat *format = import_format_find(name);
    for (int32_t i = 0; i < import_format_count && i < NAMES_MAX; i++)
        names[i] = import_formats[i].name;
    if (format == NULL)
        status_hint_names(problems_add(problems, STATUS_BAD_INPUT,
                                       place_in("trainyard: import: FORMAT", 0, 0),
                                       "unknown format \"%s\"", name),
                          name, names, import_format_count);
    return format;
}

static void print_summary(const Import *import)
{
    Text text = {0};
    import_summary(import, &text);
    fputs(text_string(&text), stdout);
    text_free(&text);
}

static bool import_files(Arena *arena, const ImportArguments *arguments, Operands operands,
                         const ImportFormat *format, Problems *problems)
{
    const ImportChoices choices = choices_of(arguments);
    const int32_t count = operands.count - 1;
    ImportFile *files = ARENA_ARRAY(arena, ImportFile, count);
    const ImportRequest request = {
        .format = format, .files = files, .file_count = count, .choices = &choices};
    if (!read_files(arena, operands.items + 1, count, files, problems))
        return false;
    Import import;
    bool is_done = import_run(arena, &request, &import, problems);
    if (is_done && !arguments->only_checks)
        is_done = write_all(arena, arguments, &import, problems);
    if (is_done && !arguments->is_quiet)
        print_summary(&import);
    import_free(&import);
    return is_done;
}

static size_t folder_length(const char *path)
{
    return (size_t)(name_of(path) - path);
}

/* A scenario names its files relative to its folder. */
static bool is_beside(const char *scenario, const char *list, Problems *problems)
{
    const size_t length = folder_length(list);
    if (scenario == NULL ||
        (folder_length(scenario) == length && strncmp(scenario, list, length) == 0))
        return true;
    status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in("-o", 0, 0),
                             "\"%s\" is not in the folder of \"%s\"", scenario, list),
                "a scenario names the files in its own folder");
    return false;
}

static bool check_output(const ImportArguments *arguments, Problems *problems)
{
    if (arguments->only_checks)
        return true;
    if (arguments->output != NULL)
        return is_beside(arguments->scenario, arguments->output, problems) &&
               is_beside(arguments->fit, arguments->output, problems);
    status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in("-o", 0, 0),
                             "the workload file has no name"),
                "-o NAME.csv names it; --check only counts");
    return false;
}

static int import(int argc, char **argv)
{
    Arena *arena = arena_create();
    ImportArguments arguments = {.lifetime_ns = LIFETIME_NOT_GIVEN};
    Operands operands;
    int exit_code;
    if (options_read(&import_table, arena, argc, argv, &arguments, &operands, &exit_code)) {
        Problems problems = problems_create(arena);
        const ImportFormat *format = find_format(operands.items[0], &problems);
        if (check_output(&arguments, &problems) && format != NULL)
            (void)!import_files(arena, &arguments, operands, format, &problems);
        exit_code = report_problems(&problems);
    }
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_import = {.options = &import_table, .run = import};
