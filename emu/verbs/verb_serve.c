/* trainyard serve: the emulator behind its sockets, until somebody ends it. */
#define _XOPEN_SOURCE 700 // realpath
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emu/arm_storage.h"
#include "emu/az_config.h"
#include "emu/options/serve_options.h"
#include "emu/server.h"
#include "sim/base/civil_time.h"
#include "sim/cli/program.h"
#include "sim/cli/report.h"

/* Of --files: the name that other emulators have taught people. */
static const char files_account[] = "devstoreaccount1";

/* --- Opening --- */

static ScenarioOverrides overrides_of(Arena *arena, const ServeOptions *options)
{
    if (options->seed < 0)
        return (ScenarioOverrides){0};
    const char **items = ARENA_ARRAY(arena, const char *, 1);
    items[0] = arena_printf(arena, "/seed=%" PRId64, options->seed);
    return (ScenarioOverrides){.count = 1, .items = items};
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

/* Who can reach the ports can run anything then; without the first of these no others do. */
static bool may_run_jobs(const ServeOptions *options, Problems *problems)
{
    const char *with = options->is_open         ? "--i-know-this-is-not-secure"
                       : options->is_files_only ? "--files"
                                                : NULL;
    if (!options->runs_jobs || !with)
        return true;
    status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in("--run-jobs", 0, 0),
                             "it does not go with %s", with),
                options->is_open
                    ? "whoever reaches the ports could run anything: it is for loopback alone"
                    : "who serves files alone has no jobs");
    return false;
}

static Emulator *open_emulator(Arena *arena, const ServeOptions *options, Problems *problems)
{
    Clock clock;
    Problems warnings = problems_create(arena);
    const EmulatorSettings settings = {.storage_suffix = server_defaults.storage_suffix,
                                       .is_files_only = options->is_files_only,
                                       .runs_jobs = options->runs_jobs,
                                       .job_time_limit_ns = options->job_time_limit_ns,
                                       .job_output_limit_bytes = options->job_output_limit_bytes};
    if (!may_run_jobs(options, problems) || !read_clock(options->clock, &clock, problems))
        return NULL;
    Emulator *emulator =
        emulator_open(arena, options->state_folder, options->scenario, overrides_of(arena, options),
                      &settings, clock, problems, &warnings);
    report_warnings(&warnings);
    return emulator;
}

/* Who wants files alone has nobody to make an account with. */
static bool make_account(Arena *arena, Emulator *emulator, Problems *problems)
{
    Status status = {0};
    if (!emulator->settings.is_files_only || storage_find(emulator, files_account))
        return true;
    Json *command = json_object(arena);
    json_set(arena, command, "do", json_string(arena, command_name(COMMAND_STORAGE_CREATE)));
    json_set(arena, command, "name", json_string(arena, files_account));
    if (!session_command(emulator->session, command, NULL, problems))
        return false;
    if (store_commit(emulator->store, &status))
        return true;
    problems_add_status(problems, &status);
    return false;
}

static Server *open_server(Arena *arena, const ServeOptions *options, Emulator *emulator,
                           Problems *problems)
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
    Server *server = server_open(&settings, options->state_folder, &status);
    if (server)
        server_addresses(server, arena, &emulator->settings.addresses);
    else
        problems_add_status(problems, &status);
    return server;
}

/* --- Telling --- */

static const char *absolute(Arena *arena, const char *path)
{
    char *found = realpath(path, NULL);
    const char *copy = found ? arena_strdup(arena, found) : path;
    free(found);
    return copy;
}

static Ready ready_of(Arena *arena, const ServeOptions *options, const Emulator *emulator,
                      const Server *server)
{
    const Certificate *certificate = server_certificate(server);
    return (Ready){
        .process = getpid(),
        .addresses = emulator->settings.addresses,
        .has_proxy = options->has_proxy,
        .is_files_only = options->is_files_only,
        .subscription = emulator->settings.subscription,
        .tenant = emulator->settings.tenant,
        .storage_suffix = emulator->settings.storage_suffix,
        .state_folder = absolute(arena, options->state_folder),
        .ca_path = absolute(arena, certificate->path),
        .bundle_path = absolute(arena, certificate->bundle_path),
    };
}

static void print_account(Arena *arena, Emulator *emulator)
{
    const char *key = arm_storage_key(emulator, arena, files_account, 0);
    printf("A connection string for its account:\n"
           "  DefaultEndpointsProtocol=http;AccountName=%s;AccountKey=%s;"
           "FileEndpoint=http://%s/%s;\n",
           files_account, key ? key : "", emulator->settings.addresses.plain, files_account);
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
    const EmulatorAddresses *addresses = &emulator->settings.addresses;
    iso_time_print(emulator_unix_ms(emulator), now);
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
    puts("Control-C ends it.");
}

static bool tell(Arena *arena, const ServeOptions *options, Emulator *emulator,
                 const Server *server, Status *status)
{
    const Ready ready = ready_of(arena, options, emulator, server);
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
        fprintf(stderr,
                "warning: --i-know-this-is-not-secure: whoever reaches %s may do everything\n",
                options->address);
    if (options->runs_jobs)
        fprintf(stderr,
                "warning: --run-jobs: commands of jobs RUN FOR REAL on this machine, with all that "
                "user %" PRIdMAX " may do; whoever reaches the ports of %s may submit them\n",
                (intmax_t)geteuid(), options->address);
    return az_config_refresh(&ready, status) &&
           ready_write(&ready, ready_path(arena, ready.state_folder), status) &&
           (!options->ready_file || ready_write(&ready, options->ready_file, status));
}

/* --- Serving --- */

static bool serve(Arena *arena, const ServeOptions *options, Emulator *emulator, Server *server,
                  Status *status)
{
    const bool is_fine = tell(arena, options, emulator, server, status) &&
                         server_run(server, emulator, status) && emulator_rest(emulator, status);
    unlink(ready_path(arena, options->state_folder));
    return is_fine;
}

/* An exit code. */
static int run(Arena *arena, const ServeOptions *options)
{
    Status status = {0};
    Server *server = NULL;
    int exit_code = EXIT_FINE;
    Problems problems = problems_create(arena);
    Emulator *emulator = open_emulator(arena, options, &problems);
    if (emulator && make_account(arena, emulator, &problems))
        server = open_server(arena, options, emulator, &problems);
    if (!server)
        exit_code = report_problems(&problems);
    else if (!serve(arena, options, emulator, server, &status))
        exit_code = report_status(&status);
    server_close(server);
    emulator_close(emulator);
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
