/* trainyard export: a session of the emulator as a scenario. */
#include <stdio.h>
#include <sys/stat.h>

#include "emu/http/ready.h"
#include "emu/session/base.h"
#include "emu/session/export.h"
#include "emu/session/session.h"
#include "emu/state/state_folder.h"
#include "sim/cli/files.h"
#include "sim/cli/program.h"
#include "sim/cli/report.h"
#include "tools/trainyard/emu/export_options.h"

static bool no_session(const char *folder, Status *status)
{
    status_fail(status, STATUS_BAD_INPUT, place_in(folder, 0, 0),
                "this folder contains no session");
    return status_hint(status, "--state names the folder that `trainyard serve` was given");
}

static bool write_scenario(const Text *text, const char *path, Status *status)
{
    if (path != NULL)
        return file_write(path, text_string(text), text->length, status);
    fwrite(text_string(text), 1, text->length, stdout); // main looks whether it got there
    return true;
}

static bool export_session(Arena *arena, Store *store, const ExportOptions *options,
                           Problems *problems)
{
    Status status = {0};
    Text text = {0};
    Session *session = NULL;
    const ScenarioFile *base =
        base_open(arena, store, NULL, (ScenarioOverrides){0}, problems, problems);
    if (base == NULL)
        return false;
    if (store_is_dirty(store)) { // it would begin only now
        no_session(options->state_folder, &status);
        problems_add_status(problems, &status);
        return false;
    }
    session = session_open(arena, store, base, NULL, 0, &status);
    bool is_written = session != NULL && session_export(session, &text, &status) &&
                      write_scenario(&text, options->output, &status);
    if (!is_written)
        problems_add_status(problems, &status);
    session_close(session);
    text_free(&text);
    return is_written;
}

/* Another process has the session open. */
static void hint_at_server(Arena *arena, const char *folder, Status *status)
{
    Ready ready;
    Status ignored = {0};
    if (ready_read(arena, folder, &ready, &ignored))
        status_hint(status, "the emulator that serves it has it at http://%s/trainyard/session",
                    ready.addresses.plain);
    else
        status_hint(status, "end the process that uses it");
}

/* An exit code. */
static int run(Arena *arena, const ExportOptions *options)
{
    Status status = {0};
    Problems problems = problems_create(arena);
    struct stat facts;
    const char *folder = options->state_folder;
    // Opening a store creates it if there is none; an export must not.
    if (stat(state_path(arena, folder, STATE_DATABASE), &facts) != 0) {
        no_session(folder, &status);
        return report_status(&status);
    }
    Store *store = store_open(folder, &status);
    if (store == NULL) {
        if (status.code == STATUS_CONFLICT)
            hint_at_server(arena, folder, &status);
        return report_status(&status);
    }
    int exit_code = EXIT_FINE;
    if (!export_session(arena, store, options, &problems))
        exit_code = report_problems(&problems);
    store_close(store);
    return exit_code;
}

int program_run(int argc, char **argv)
{
    Arena *arena = arena_create();
    ExportOptions options = export_option_defaults;
    Operands operands;
    int exit_code;
    if (options_read(&export_option_table, arena, argc, argv, &options, &operands, &exit_code))
        exit_code = run(arena, &options);
    arena_destroy(arena);
    return exit_code;
}
