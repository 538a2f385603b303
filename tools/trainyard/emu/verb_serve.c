/* trainyard serve: runs the emulator until a signal ends it. */
#define _XOPEN_SOURCE 700 // realpath
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emu/arm/storage.h"
#include "emu/az_config.h"
#include "emu/emulator.h"
#include "emu/files/auth/auth.h"
#include "emu/fork.h"
#include "emu/http/server.h"
#include "emu/session/programs.h"
#include "sim/base/civil_time.h"
#include "sim/cli/disk_files.h"
#include "sim/cli/files.h"
#include "sim/cli/program.h"
#include "sim/cli/report.h"
#include "tools/trainyard/emu/serve_options.h"

/* --- Opening --- */

static const char *absolute(Arena *arena, const char *path)
{
    char *found = realpath(path, NULL);
    const char *copy = found ? arena_strdup(arena, found) : path;
    free(found);
    return copy;
}

static ScenarioOverrides overrides_of(Arena *arena, const ServeOptions *options)
{
    ScenarioOverrides overrides = scenario_overrides(&options->changes);
    const char **items = ARENA_ARRAY(arena, const char *, overrides.count + 2);
    for (int32_t i = 0; i < overrides.count; i++)
        items[i] = overrides.items[i];
    if (options->seed >= 0)
        items[overrides.count++] = arena_printf(arena, "/seed=%" PRId64, options->seed);
    if (options->catalog)
        items[overrides.count++] =
            arena_printf(arena, "/catalog/-=%s", absolute(arena, options->catalog));
    overrides.items = items;
    return overrides;
}

static bool read_clock(const char *text, Clock *clock, Problems *problems)
{
    Status status = {0};
    if (clock_parse(text, clock, &status))
        return true;
    status.at = place_in("--clock", 0, 0);
    problems_add_status(problems, &status);
    return false;
}

/* With --run-jobs any client of the ports can run any command. Only loopback keeps other machines
 * out. */
static bool may_run_jobs(const ServeOptions *options, Problems *problems)
{
    const char *with = options->is_open         ? "--i-know-this-is-not-secure"
                       : options->is_files_only ? "--files"
                                                : NULL;
    const char *what = options->runs_jobs ? "--run-jobs" : options->backend >= 0 ? "--real" : NULL;
    if (!what || !with)
        return true;
    status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in(what, 0, 0),
                             "it does not go with %s", with),
                options->is_open
                    ? "any client of the ports could run any command; use it on loopback only"
                    : "--files has no jobs");
    return false;
}

/* A folder that is missing would only be noticed by the first job. */
static bool has_data(const ServeOptions *options, Problems *problems)
{
    const char *data = options->data_folder;
    if (data == NULL || folder_exists(data))
        return true;
    problems_add(problems, STATUS_NOT_FOUND, place_in("--data", 0, 0), "there is no folder \"%s\"",
                 data);
    return false;
}

/* The emulator, and the memory that it lives in. */
typedef struct {
    Arena *arena;
    Emulator *emulator;
    RequestCounts *counts; /* of the server: they outlive `arena` */
} Life;

static bool begin_life(Life *life, const ServeOptions *options, Clock clock, bool recovers,
                       Problems *problems)
{
    life->arena = arena_create();
    Problems warnings = problems_create(life->arena);
    Text trainer = {0};
    folder_of_program(&trainer);
    text_add(&trainer, "trainyard-train");
    const char *data = options->data_folder;
    const EmulatorSettings settings = {
        .storage_suffix = server_defaults.storage_suffix,
        .is_files_only = options->is_files_only,
        .recovers = recovers,
        .is_strict = options->is_strict,
        .counts = life->counts,
        .version = TRAINYARD_VERSION,
        .runs = {.runs_jobs = options->runs_jobs,
                 .hands_off = options->backend >= 0,
                 .backend =
                     options->backend >= 0 ? (HandOffBackend)options->backend : HAND_OFF_AUTO,
                 .trainer = arena_strdup(life->arena, text_string(&trainer)),
                 .data_folder = data ? absolute(life->arena, data) : NULL,
                 .time_limit_ns = options->job_time_limit_ns,
                 .output_limit_bytes = options->job_output_limit_bytes}};
    text_free(&trainer);
    life->emulator =
        emulator_open(life->arena, options->state_folder, options->scenario,
                      overrides_of(life->arena, options), &settings, clock, problems, &warnings);
    report_warnings(&warnings);
    return life->emulator != NULL;
}

static void end_life(Life *life)
{
    emulator_close(life->emulator);
    if (life->arena)
        arena_destroy(life->arena);
    *life = (Life){.counts = life->counts};
}

/* With --files no client can create an account, so one is made. */
static bool make_account(Arena *arena, Emulator *emulator, Problems *problems)
{
    Status status = {0};
    if (!emulator->settings.is_files_only ||
        storage_find(&emulator->arm, FILES_DEVELOPMENT_ACCOUNT))
        return true;
    const ResourcePath path = {.name = FILES_DEVELOPMENT_ACCOUNT};
    const Json *command = session_command_about(arena, COMMAND_STORAGE_CREATE, path);
    if (!session_command(emulator->session, command, NULL, problems))
        return false;
    if (emulator_commit(emulator, &status))
        return true;
    problems_add_status(problems, &status);
    return false;
}

/* The last option is set last, so that it comes first. */
static bool set_programs(Arena *arena, Emulator *emulator, const ServeOptions *options,
                         Problems *problems)
{
    Status status = {0};
    Session *session = emulator->session;
    const char *path = options->programs_file, *text;
    size_t length;
    if (path && !disk_files.read(disk_files.context, arena, path, &text, &length, &status)) {
        problems_add_status(problems, &status);
        return false;
    }
    if (path && !programs_set_all(session, arena, path, text, length, problems))
        return false;
    for (int32_t i = 0; i < options->programs.count; i++)
        if (!programs_set_option(session, arena, "--program", options->programs.items[i], problems))
            return false;
    if (emulator_commit(emulator, &status))
        return true;
    problems_add_status(problems, &status);
    return false;
}

static Server *open_server(Arena *arena, const ServeOptions *options, Problems *problems)
{
    enum { NAME_MAX_BYTES = 256 };
    Status status = {0};
    ServerSettings settings = server_defaults;
    settings.address = options->address;
    settings.tls_port = (int32_t)options->tls_port;
    settings.plain_port = (int32_t)options->plain_port;
    settings.userinfo_port = options->plain_port > 0 ? (int32_t)options->plain_port + 1 : 0;
    settings.has_proxy = options->has_proxy;
    settings.is_open = options->is_open;
    settings.is_verbose = options->is_verbose;
    if (options->is_open) {
        char *name = arena_alloc(arena, NAME_MAX_BYTES);
        if (gethostname(name, NAME_MAX_BYTES - 1) == 0)
            settings.own_name = name;
    }
    Server *server = server_open(&settings, &status);
    if (!server)
        problems_add_status(problems, &status);
    return server;
}

static bool introduce(Arena *arena, const ServeOptions *options, Emulator *emulator, Server *server,
                      Problems *problems)
{
    Status status = {0};
    server_addresses(server, arena, &emulator->settings.addresses);
    if (server_certify(server, options->state_folder, &status))
        return true;
    problems_add_status(problems, &status);
    return false;
}

/* --- Output --- */

static Ready ready_of(Arena *arena, const ServeOptions *options, const Emulator *emulator,
                      const Server *server)
{
    const Certificate *certificate = server_certificate(server);
    return (Ready){
        .process = getpid(),
        .addresses = emulator->settings.addresses,
        .has_proxy = options->has_proxy,
        .is_files_only = options->is_files_only,
        .subscription = session_subscription(emulator->session),
        .tenant = session_tenant(emulator->session),
        .storage_suffix = emulator->settings.storage_suffix,
        .state_folder = absolute(arena, options->state_folder),
        .ca_path = absolute(arena, certificate->path),
        .bundle_path = absolute(arena, certificate->bundle_path),
    };
}

static void print_account(Arena *arena, Emulator *emulator)
{
    const char *key =
        files_account_key(&emulator->azure_files, arena, FILES_DEVELOPMENT_ACCOUNT, 0);
    printf("A connection string for its account:\n"
           "  DefaultEndpointsProtocol=http;AccountName=%s;AccountKey=%s;"
           "FileEndpoint=http://%s/%s;\n",
           FILES_DEVELOPMENT_ACCOUNT, key, emulator->settings.addresses.plain,
           FILES_DEVELOPMENT_ACCOUNT);
}

/* How the folder is named to another verb in another shell. */
static const char *state_option(Arena *arena, const ServeOptions *options)
{
    return strcmp(options->state_folder, serve_option_defaults.state_folder) == 0
               ? ""
               : arena_printf(arena, " --state '%s'", options->state_folder);
}

static void print_welcome(Arena *arena, const ServeOptions *options, Emulator *emulator)
{
    char now[CIVIL_TEXT];
    const HttpAddresses *addresses = &emulator->settings.addresses;
    iso_time_print(session_unix_ms(emulator->session), now);
    if (options->is_files_only)
        printf("Azure Files is at http://%s and https://%s.\n", addresses->plain, addresses->tls);
    else
        printf("Azure Resource Manager is at https://%s, files and clock are at http://%s.\n",
               addresses->tls, addresses->plain);
    printf("In a browser http://%s is a dashboard.\n", addresses->plain);
    printf("State is kept in %s; clock: %s; it is %s.\n", options->state_folder, options->clock,
           now);
    if (options->is_files_only)
        print_account(arena, emulator);
    else
        printf("In another shell%s:\n"
               "  eval \"$(trainyard az-env%s%s)\"\n"
               "  az group create --name batchai --location eastus\n",
               options->state_folder[0] == '/' ? "" : ", in this folder",
               state_option(arena, options), options->has_proxy ? "" : " --no-proxy");
    if (!options->is_files_only && strcmp(options->clock, "manual") == 0)
        printf("Time moves by request alone; until then az waits for what it creates:\n"
               "  curl -d '{\"do\": \"advance\", \"by\": \"5m\"}' http://%s/trainyard/clock\n",
               addresses->plain);
    if (!options->is_files_only)
        puts("A job does what its command line says if it is simple commands or a known training; "
             "any "
             "other\nruns too, and takes a time of the catalogue. --program 'GLOB=sleep 20m; exit "
             "0' "
             "says more.");
    puts("Control-C ends it.");
}

static bool tell(Arena *arena, const ServeOptions *options, Emulator *emulator,
                 const Server *server, Status *status)
{
    const Ready ready = ready_of(arena, options, emulator, server);
    if (!az_config_refresh(&ready, status) ||
        !ready_write(&ready, ready_path(arena, ready.state_folder), status) ||
        (options->ready_file && !ready_write(&ready, options->ready_file, status)))
        return false;
    if (options->is_json) {
        Text text = {0};
        ready_print(&ready, &text);
        fputs(text_string(&text), stdout);
        text_free(&text);
    } else {
        print_welcome(arena, options, emulator);
    }
    fflush(stdout);
    if (options->is_open)
        fprintf(
            stderr,
            "warning: --i-know-this-is-not-secure: any process that can reach %s has full access\n",
            options->address);
    if (options->runs_jobs)
        fprintf(stderr,
                "warning: --run-jobs: commands of jobs RUN FOR REAL on this machine, with all that "
                "user %" PRIdMAX
                " may do; any process that can reach the ports of %s may submit them\n",
                (intmax_t)geteuid(), options->address);
    if (options->backend >= 0)
        fprintf(stderr,
                "warning: --real: jobs that train are TRAINED FOR REAL on this machine; any "
                "process that can reach the ports of %s may submit them\n",
                options->address);
    return true;
}

/* --- Serving --- */

/* Opens the emulator again: after a failed commit, whose clients got an error, or because its
 * session went back in time. The new emulator has what is on the disk; the rate of its clock and
 * the rules for its API are kept. */
static bool begin_again(Life *life, const ServeOptions *options, Problems *problems)
{
    const Clock clock = life->emulator->pace.clock;
    const HttpAddresses addresses = life->emulator->settings.addresses;
    Status status = {0};
    if (!store_is_in_place(life->emulator->store, &status)) { // a new state must not replace it
        problems_add_status(problems, &status);
        return false;
    }
    Arena *arena = arena_create();
    ApiFaults *rules = api_faults_create(arena);
    api_faults_move(rules, life->emulator->control.api_faults);
    end_life(life);
    const bool has_begun = begin_life(life, options, clock, false, problems);
    if (has_begun) {
        api_faults_move(life->emulator->control.api_faults, rules);
        life->emulator->settings.addresses = addresses;
    }
    api_faults_destroy(rules);
    arena_destroy(arena);
    return has_begun;
}

/* The same after a failed commit: simulated time does not go back. */
static bool begin_after_loss(Life *life, const ServeOptions *options, Problems *problems)
{
    const int64_t now_ns = session_now_ns(life->emulator->session);
    if (!begin_again(life, options, problems))
        return false;
    session_advance(life->emulator->session, now_ns);
    return true;
}

/* A start that fails removes all that it made of a new state. */
static void fail_to_start(Life *life)
{
    emulator_withdraw(life->emulator);
    life->emulator = NULL;
}

static void report_loss(const Status *status)
{
    report_status(status);
    fputs("warning: requests that changed something were refused (507); continuing with the state "
          "before them\n",
          stderr);
}

static bool serve_on(Life *life, const ServeOptions *options, Server *server, Problems *problems)
{
    Status status = {0};
    ServerEnd end;
    for (;;) {
        end = server_run(server, emulator_handler(life->emulator), &status);
        if (end != SERVER_LOST_WRITES && end != SERVER_HANDED_OVER)
            break;
        if (end == SERVER_LOST_WRITES)
            report_loss(&status);
        status = (Status){0};
        const bool has_begun = end == SERVER_LOST_WRITES ? begin_after_loss(life, options, problems)
                                                         : begin_again(life, options, problems);
        if (!has_begun)
            return false;
    }
    if (end == SERVER_ENDED && emulator_rest(life->emulator, &status))
        return true;
    if (end == SERVER_FAILED)
        fail_to_start(life);
    problems_add_status(problems, &status);
    return false;
}

/* The same before the state is opened, which takes time, and at the end: clients wait for a file.
 */
static void remove_ready_files(Arena *arena, const ServeOptions *options)
{
    ready_remove(ready_path(arena, options->state_folder));
    if (options->ready_file)
        ready_remove(options->ready_file);
}

static bool serve(Arena *arena, Life *life, const ServeOptions *options, Server *server,
                  Problems *problems)
{
    Status status = {0};
    bool is_fine = tell(arena, options, life->emulator, server, &status);
    if (is_fine) {
        is_fine = serve_on(life, options, server, problems);
    } else {
        problems_add_status(problems, &status);
        fail_to_start(life);
    }
    remove_ready_files(arena, options);
    return is_fine;
}

/* Makes the state folder of --fork. */
static bool fork_state(Arena *arena, const ServeOptions *options, Problems *problems)
{
    const ForkOptions *fork = &options->fork;
    const char *changes[FORK_CHANGES_MOST];
    const Fork of = {.from = options->fork_folder,
                     .at_ns = fork->at_ns,
                     .change_count = fork_changes(arena, fork, "", changes),
                     .changes = changes};
    if (options->fork_folder != NULL)
        return fork_session(&of, options->state_folder, problems);
    if (fork->at_ns < 0 && of.change_count == 0)
        return true;
    problems_add(problems, STATUS_BAD_INPUT, place_in("--fork", 0, 0),
                 "--fork-at, --fork-seed and --fork-policy need the folder of a session");
    return false;
}

/* An exit code. */
static int run(Arena *arena, const ServeOptions *options)
{
    Clock clock;
    Life life = {.counts = request_counts_create(arena)};
    Server *server = NULL;
    Problems problems = problems_create(arena);
    signal(SIGXFSZ, SIG_IGN); // a file that may not grow is a disk that is full: its write fails
    // Ports come before the state: nothing is made where they are refused.
    if (may_run_jobs(options, &problems) && has_data(options, &problems) &&
        read_clock(options->clock, &clock, &problems))
        server = open_server(arena, options, &problems);
    if (server)
        remove_ready_files(arena, options);
    const bool has_begun = server && fork_state(arena, options, &problems) &&
                           begin_life(&life, options, clock, options->recovers, &problems) &&
                           make_account(arena, life.emulator, &problems) &&
                           set_programs(arena, life.emulator, options, &problems) &&
                           introduce(arena, options, life.emulator, server, &problems);
    if (!has_begun)
        fail_to_start(&life);
    const bool is_fine = has_begun && serve(arena, &life, options, server, &problems);
    server_close(server);
    const int exit_code = is_fine ? EXIT_FINE : report_problems(&problems);
    end_life(&life); // whose arena has the names of files with problems
    return exit_code;
}

int program_run(int argc, char **argv)
{
    Arena *arena = arena_create();
    ServeOptions options = serve_option_defaults;
    Operands operands;
    int exit_code;
    if (options_read(&serve_option_table, arena, argc, argv, &options, &operands, &exit_code))
        exit_code = run(arena, &options);
    arena_destroy(arena);
    return exit_code;
}
