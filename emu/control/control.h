/* The emulator's own API: everything under /trainyard, which the service did not have.
 *
 *     GET  /trainyard/clock     {"clock": "x60", "paused": false, "now": "2018-...Z", "now_ns": 0,
 *                                "next_event": "2018-...Z", "next_event_ns": 5, "undo": null}
 *     POST /trainyard/clock     {"do": "pause"}
 *                               {"do": "resume"}
 *                               {"do": "rate", "rate": "x60"}: or real, auto, manual
 *                               {"do": "step", "count": 1}: through the next event
 *                               {"do": "advance", "by": "5m"}
 *                               {"do": "run-until", "until": WHEN, "within": "30d"}
 *                               {"do": "undo", "accept": false}: before the last jump (emu/undo.h)
 *
 * Jumps are step, advance and run-until. "undo" in the first answer is the one that can be undone,
 * {"to": "2018-...Z", "to_ns": 0, "entries": 2} with the entries of the journal since, or null.
 *
 * WHEN is an instant ("2018-07-18T18:00:00Z"), a moment ("job train completed", "cluster gpu ready
 * + 5m") or a condition ("cluster gpu idle >= 2"), in the words of a scenario. A cluster or a job
 * may have its full name, as in "cluster workspace/gpu ready" or "job workspace/experiment/train
 * completed". A short name means the newest of that name that is not being deleted, or else the
 * newest; the answer is 404 if there is none. A moment that has already happened is not waited for:
 * its delay counts from the time when it happened, or from now if that time is not known (a cluster
 * that is ready, an epoch of an attempt that was lost). The answer is the clock, as GET shows it.
 * 409: the time limit passed first, no event is pending (time then stays at the last one), or 20
 * million events were not enough; a repeated request continues. All answers then show the state at
 * that time, also the end of a job, which is otherwise reported late (emu/batchai/job.c).
 *
 *     GET    /trainyard/faults      the rules for the API, and the kinds of faults with the members
 *                                   that each needs and may have
 *     POST   /trainyard/faults      a fault as in a scenario, now; or a rule (control/api_faults.h)
 *     DELETE /trainyard/faults      removes all rules
 *     DELETE /trainyard/faults/{}   removes that rule; this and the two before answer the rules
 *     GET    /trainyard/programs    the programs that have been set (emu/session/programs.h)
 *     POST   /trainyard/programs    sets one: {"match": "python train.py*", "script": "sleep 20m"}
 *     GET    /trainyard/events      events as they happen, until the emulator ends
 *                                   (control/events.h); ?since=N: after event N;
 *                                   ?since=0&follow=false: those so far
 *     GET    /trainyard/session     the session so far as a scenario file
 *     PUT    /trainyard/copies/{}   copies the state into its folder, for `serve --fork`
 *                                   (emu/fork.h)
 *
 * The names in a fault have the same meaning as in WHEN. Outside of /trainyard: /healthz, /readyz
 * and /metrics (control/health.h).
 *
 * Errors are {"error": {"code": ..., "message": ..., "hint": ...}}. */
#ifndef EMU_CONTROL_H
#define EMU_CONTROL_H

#include "emu/control/api_faults.h"
#include "emu/control/events.h"
#include "emu/control/tally.h"
#include "emu/files/store/file_store.h"
#include "emu/http/request_counts.h"
#include "emu/http/route.h"
#include "emu/session/pace.h"
#include "emu/session/session.h"

/* The state of the control API. emulator_open sets the pointers. */
typedef struct {
    Session *session;
    FileStore *files;
    Pace *pace;
    Events *events; /* listens to the session */
    Tally *tally;   /* so does this */
    ApiFaults *api_faults;
    const RequestCounts *counts; /* the server's; NULL: requests are not counted */
    const char *version;
    bool is_files_only; /* the emulator serves only Azure Files */
    int64_t events_max; /* most events of one jump in time: some seconds of work */
    void *owner;        /* of `advance` */
    bool (*advance)(void *owner, int64_t until_ns); /* lets the world run to `until_ns`; false if
                                                       jobs that run for real hold it back */
    bool (*copy)(void *owner, const char *name, Status *status); /* copies the state (emu/fork.h) */
    Json *(*undo)(void *owner, Arena *arena, bool is_accepted, Status *status); /* emu/undo.h */
} Control;

typedef struct {
    Control *control;
    const HttpRequest *request;
    HttpResponse *response;
    Arena *arena; /* the request's */
    RouteMatch match;
} ControlCall;

typedef void ControlHandler(const ControlCall *call);

typedef struct {
    Route route;
    ControlHandler *handler;
} ControlRoute;

extern const ControlRoute control_routes[];

/* Answers a request below /trainyard, or of control/health.h. */
void control_handle(Control *control, const HttpRequest *request, HttpResponse *response);

/* --- For the handlers --- */

void control_answer(const ControlCall *call, int32_t status, const Json *value);
void control_refuse(const ControlCall *call, const Status *status);
/* Reads an integer from 0 to `most` from the query; `fallback` if the query has none. False after
 * answering. */
bool control_query_number(const ControlCall *call, const char *name, int64_t most, int64_t fallback,
                          int64_t *value);
/* The body as an object; NULL after answering. `example` is such a body, for a request without
 * one. */
const Json *control_body(const ControlCall *call, const char *example);

#endif
