/* trainyard az-env: a shell in which az talks to the emulator. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "emu/az_config.h"
#include "emu/http/https_ask.h"
#include "sim/cli/program.h"
#include "sim/cli/report.h"
#include "tools/trainyard/emu/az_env_options.h"

/* --- Checking --- */

static bool say_answer(const char *what, const HttpsAnswer *answer, bool is_fine, Status *status)
{
    if (is_fine) {
        printf("%s answers.\n", what);
        return true;
    }
    status_fail(status, STATUS_CONFLICT, place_in("trainyard: az-env", 0, 0),
                "%s answers with status %" PRId32 ", which the emulator never sends", what,
                answer->status);
    return status_hint(status, "is another program on its port?");
}

/* Any token will do, as az's own does. */
static bool check_arm(Arena *arena, const Ready *ready, Status *status)
{
    HttpsAnswer answer;
    const HttpsAsk get = {
        .address = ready->addresses.tls,
        .host = ready->addresses.tls,
        .target =
            arena_printf(arena, "/subscriptions/%s?api-version=2019-11-01", ready->subscription),
        .token = "check",
        .ca_path = ready->ca_path,
    };
    return https_ask(arena, &get, &answer, status) &&
           say_answer(arena_printf(arena, "Azure Resource Manager at https://%s", get.host),
                      &answer, answer.status == 200, status);
}

/* The account does not exist and the signature is not valid: the check looks at which server
 * answers. */
static bool check_files(Arena *arena, const Ready *ready, AzForm form, Status *status)
{
    static const char account[] = "trainyardcheck";
    HttpsAnswer answer;
    HttpsAsk get = {.target = "/?comp=list", .ca_path = ready->ca_path};
    if (form == AZ_PROXY) {
        get.address = ready->addresses.plain;
        get.host = arena_printf(arena, "%s.file.%s", account, ready->storage_suffix);
        get.tunnel = arena_printf(arena, "%s:443", get.host);
    } else {
        get.address = get.host = ready->addresses.userinfo;
    }
    return https_ask(arena, &get, &answer, status) &&
           say_answer(arena_printf(arena, "Azure Files at https://%s", get.host), &answer,
                      strstr(answer.head, "x-ms-request-id") != NULL, status);
}

static bool check(Arena *arena, const Ready *ready, AzForm form, Status *status)
{
    return (ready->is_files_only || check_arm(arena, ready, status)) &&
           check_files(arena, ready, form, status);
}

/* --- Printing --- */

static void print(const Text *text)
{
    fwrite(text_string(text), 1, text->length, stdout);
}

static void print_unsets(CodeShell shell)
{
    Text text = {0};
    az_config_unsets(shell, &text);
    print(&text);
    text_free(&text);
}

static bool print_exports(const Ready *ready, AzForm form, CodeShell shell, Status *status)
{
    Text text = {0};
    if (!az_config_write(ready, form, status))
        return false;
    az_config_exports(ready, form, shell, &text);
    print(&text);
    text_free(&text);
    return true;
}

static bool has_form(const Ready *ready, AzForm form, Status *status)
{
    if (form == AZ_USERINFO || ready->has_proxy)
        return true;
    status_fail(status, STATUS_CONFLICT, place_in("trainyard: az-env", 0, 0),
                "this emulator was started without a proxy");
    return status_hint(status, "--no-proxy does without it here too");
}

/* Without its certificate no client trusts the emulator. */
static bool has_certificate(const Ready *ready, Status *status)
{
    const char *const paths[] = {ready->ca_path, ready->bundle_path};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (access(paths[i], R_OK) != 0) {
            status_fail(status, STATUS_CONFLICT, place_in(paths[i], 0, 0),
                        "the emulator's certificate cannot be read: %s", strerror(errno));
            return status_hint(status, "end the emulator and start \"trainyard serve\" again; it "
                                       "writes the file anew");
        }
    return true;
}

static bool find_emulator(Arena *arena, const AzEnvOptions *options, AzForm form, Ready *ready,
                          Status *status)
{
    return ready_read(arena, options->state_folder, ready, status) &&
           has_form(ready, form, status) && has_certificate(ready, status);
}

/* The guard is printed first: it remains in effect when the process is killed. */
static bool set_up(Arena *arena, const AzEnvOptions *options, AzForm form, Status *status)
{
    const CodeShell shell = (CodeShell)options->shell;
    Ready ready;
    Text text = {0};
    const char *folder = az_env_guard(arena, shell, &text);
    print(&text);
    fflush(stdout);
    text_clear(&text);
    const bool is_fine = find_emulator(arena, options, form, &ready, status) &&
                         print_exports(&ready, form, shell, status);
    if (is_fine) {
        if (isatty(STDERR_FILENO) && !ready.is_files_only)
            fprintf(stderr,
                    "az talks to the emulator. To say what the command lines of jobs do: "
                    "`trainyard serve --program`, POST http://%s/trainyard/programs, or the "
                    "variables TRAINYARD_DURATION and TRAINYARD_EXIT_CODE of a job.\n",
                    ready.addresses.plain);
        code_succeed(shell, &text);
        rmdir(folder);
    } else {
        code_fail(shell, "trainyard az-env failed: az has no login in this shell", &text);
    }
    print(&text);
    text_free(&text);
    return is_fine;
}

static bool print_json(Arena *arena, const AzEnvOptions *options, AzForm form, Status *status)
{
    Ready ready;
    Text text = {0};
    if (!find_emulator(arena, options, form, &ready, status) ||
        !az_config_write(&ready, form, status))
        return false;
    az_config_json(&ready, form, &text);
    print(&text);
    text_free(&text);
    return true;
}

/* An exit code. */
static int run(Arena *arena, const AzEnvOptions *options)
{
    Ready ready;
    Status status = {0};
    const AzForm form = options->has_proxy ? AZ_PROXY : AZ_USERINFO;
    if (options->is_off) {
        print_unsets((CodeShell)options->shell);
        return EXIT_FINE;
    }
    const bool is_fine = options->checks ? find_emulator(arena, options, form, &ready, &status) &&
                                               check(arena, &ready, form, &status)
                         : options->is_json ? print_json(arena, options, form, &status)
                                            : set_up(arena, options, form, &status);
    return is_fine ? EXIT_FINE : report_status(&status);
}

int program_run(int argc, char **argv)
{
    Arena *arena = arena_create();
    AzEnvOptions options = az_env_option_defaults;
    Operands operands;
    int exit_code;
    if (options_read(&az_env_option_table, arena, argc, argv, &options, &operands, &exit_code))
        exit_code = run(arena, &options);
    arena_destroy(arena);
    return exit_code;
}
