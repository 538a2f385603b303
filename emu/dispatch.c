/* Private to this folder: a request goes to the part of the emulator that answers it (emulator.h).
 */
#include <inttypes.h>
#include <string.h>

#include "emu/control/dashboard.h"
#include "emu/control/health.h"
#include "emu/emulator.h"
#include "emu/files/files.h"
#include "emu/files/report.h"
#include "emu/http/gate.h"

typedef enum { PART_WELCOME, PART_CONTROL, PART_FILES, PART_ARM } Part;

static Part part_of(const Emulator *emulator, const HttpRequest *request)
{
    static const char own[] = "/trainyard";
    const char *target = request->target;
    if (health_is_asked(request, emulator->settings.storage_suffix))
        return PART_CONTROL;
    if (files_serves(&emulator->azure_files, request))
        return PART_FILES;
    if (strcmp(target, "/") == 0)
        return PART_WELCOME;
    if (strncmp(target, own, sizeof own - 1) == 0 &&
        (target[sizeof own - 1] == '/' || target[sizeof own - 1] == '\0'))
        return PART_CONTROL;
    return PART_ARM;
}

/* Browsers get the dashboard, other clients a line of text. */
static void welcome(const HttpRequest *request, HttpResponse *response)
{
    static const char text[] =
        "trainyard's emulator: Azure Resource Manager is at /subscriptions, files are at "
        "/ACCOUNT/SHARE, the clock is at /trainyard/clock. In a browser this is a dashboard.\n";
    const char *accepted = http_header(request, "Accept");
    if (request->method != HTTP_GET && request->method != HTTP_HEAD) {
        gate_refuse(request, response, 405, "MethodNotAllowed", "Only GET is for this page.");
        http_set(response, "Allow", "GET, HEAD");
        return;
    }
    if (accepted && strstr(accepted, "text/html"))
        dashboard_page(response);
    else
        http_body(response, "text/plain; charset=utf-8", text, sizeof text - 1);
    http_set(response, "Vary", "Accept");
}

static void arm(Emulator *emulator, const HttpRequest *request, HttpResponse *response)
{
    if (emulator->settings.is_files_only)
        gate_refuse(request, response, 404, "FilesOnly",
                    "This emulator serves only Azure Files, at /ACCOUNT/SHARE.");
    else
        arm_handle(&emulator->arm, request, response);
}

static void answer(Emulator *emulator, Part part, const HttpRequest *request,
                   HttpResponse *response)
{
    switch (part) {
    case PART_WELCOME:
        welcome(request, response);
        break;
    case PART_CONTROL:
        control_handle(&emulator->control, request, response);
        break;
    case PART_FILES:
        files_handle(&emulator->azure_files, request, response);
        break;
    case PART_ARM:
        arm(emulator, request, response);
        break;
    }
}

/* Refuses a request in the form of the errors of the service that was called. */
static void refuse_as(Emulator *emulator, Part part, const HttpRequest *request,
                      HttpResponse *response, const ApiVerdict *error)
{
    if (part == PART_FILES)
        files_refuse(&emulator->azure_files, request, response, error->status, error->code,
                     error->message);
    else if (part == PART_ARM)
        arm_refuse(&emulator->arm, request, response, error->status, error->code, error->message);
    else
        gate_refuse(request, response, error->status, error->code, "%s", error->message);
}

/* The session of this emulator is over, and the next one has not begun. */
static void refuse_between(Emulator *emulator, Part part, const HttpRequest *request,
                           HttpResponse *response)
{
    static const ApiVerdict is_over = {.status = 503,
                                       .code = "ServerBusy",
                                       .message =
                                           "The session goes back in time. Repeat the request."};
    refuse_as(emulator, part, request, response, &is_over);
    http_set(response, "Retry-After", "1");
}

static void answer_fault(Emulator *emulator, Part part, ApiVerdict verdict,
                         const HttpRequest *request, HttpResponse *response)
{
    if (verdict.kind == API_FAULT_RESET) {
        *response = http_response(0); // cuts the connection
        return;
    }
    refuse_as(emulator, part, request, response, &verdict);
    if (verdict.retry_after_s >= 0)
        http_set(response, "Retry-After",
                 arena_printf(request->arena, "%" PRId64, verdict.retry_after_s));
}

/* Requests that change the world otherwise than by files, and exports of the session, need a world
 * that knows all files. */
static bool needs_files_reported(Part part, const HttpRequest *request)
{
    const bool is_look = request->method == HTTP_GET || request->method == HTTP_HEAD;
    return part != PART_FILES && (!is_look || strcmp(request->target, "/trainyard/session") == 0);
}

/* A client may see the states that have changed with time: its answer waits until the time is on
 * the disk, as after a jump. Without it a kill would take the states back. */
static void note_seen(Emulator *emulator)
{
    Status ignored; // a disk that is full: reads continue, and the next request tries again
    if (emulator->noted_changes != emulator->kept->changes &&
        session_note_time(emulator->session, &ignored))
        emulator->noted_changes = emulator->kept->changes;
}

void emulator_handle(Emulator *emulator, const HttpRequest *request, HttpResponse *response)
{
    const Part part = part_of(emulator, request);
    if (emulator->is_over) {
        refuse_between(emulator, part, request, response);
        return;
    }
    emulator->arm.request = ++emulator->requests;
    note_seen(emulator);
    store_removes(emulator->store, request->method == HTTP_DELETE);
    file_store_at(emulator->files, session_unix_ms(emulator->session),
                  session_now_ns(emulator->session));
    if (needs_files_reported(part, request))
        files_report_written(&emulator->azure_files);
    if (part == PART_CONTROL) { // what rules the faults is not struck by them
        answer(emulator, part, request, response);
        return;
    }
    const ApiVerdict verdict = api_faults_before(emulator->control.api_faults, request);
    if (verdict.kind == API_FAULT_ERROR || verdict.kind == API_FAULT_RESET) {
        answer_fault(emulator, part, verdict, request, response);
        return;
    }
    answer(emulator, part, request, response);
    api_faults_after(emulator->control.api_faults, verdict, request, response,
                     &emulator->pace.machine_ns);
}

void emulator_refuse(Emulator *emulator, const HttpRequest *request, HttpResponse *response)
{
    if (part_of(emulator, request) == PART_FILES)
        files_refuse_unwritten(&emulator->azure_files, request, response);
    else
        gate_refuse(request, response, 507, "InsufficientStorage",
                    "The disk that holds the emulator's state is full, or has failed. Nothing was "
                    "changed.");
}
