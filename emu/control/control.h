/* The emulator's own API: the clock, faults, events. Not the service's: everything under
 * /trainyard.
 *
 *     GET  /trainyard/clock     {"clock": "x60", "paused": false, "now": "2018-...Z", "now_ns": 0,
 *                                "next_event": "2018-...Z", "next_event_ns": 5}
 *     POST /trainyard/clock     {"do": "pause"}
 *                               {"do": "resume"}
 *                               {"do": "rate", "rate": "x60"}: or real, auto, manual
 *                               {"do": "step", "count": 1}: through the next event
 *                               {"do": "advance", "by": "5m"}
 *                               {"do": "run-until", "until": WHEN, "within": "30d"}
 *
 * WHEN is an instant ("2018-07-18T18:00:00Z"), a moment ("job train completed", "cluster gpu ready
 * + 5m") or a condition ("cluster gpu idle >= 2"), in the words of a scenario. A cluster or a job
 * may be named in full, as in "cluster workspace/gpu ready" or "job workspace/experiment/train
 * completed"; of several of one name that one is meant which is not being deleted, and of those the
 * newest; 404 where there is none. What is so already is not waited for: the time behind a moment
 * counts from when it came, and from now where nobody remembers that (a cluster that is ready, an
 * epoch of an attempt that was lost). The answer is the clock, as GET shows it; 409 when time was
 * up before, or 20 million events were not enough: asked again, it goes on. What has come by then
 * is told everywhere: also the end of a job, which is told late where time goes by itself (see
 * emu/batchai/job.c).
 *
 *     GET    /trainyard/faults      rules for the API that hold, and what faults there are
 *     POST   /trainyard/faults      a fault as a scenario has it, now; or a rule
 * (emu/control/api_faults.h) DELETE /trainyard/faults      no more rules DELETE
 * /trainyard/faults/{}   that rule GET    /trainyard/events      what happens, as it happens;
 * ?since=N begins behind event N GET    /trainyard/session     the session so far as a scenario
 * file
 *
 * A fault may name its cluster or job in full too, and means the same of several of one name.
 *
 * Errors are {"error": {"code": ..., "message": ..., "hint": ...}}. */
#ifndef EMU_CONTROL_H
#define EMU_CONTROL_H

#include "emu/control/api_faults.h"
#include "emu/control/events.h"
#include "emu/control/tally.h"
#include "emu/files/store/file_store.h"
#include "emu/http/route.h"
#include "emu/session/pace.h"
#include "emu/session/session.h"

/* What the control API works with. Whoever opens it sets the pointers. */
typedef struct {
    Session *session;
    FileStore *files;
    Pace *pace;
    Events *events; /* listens to the session */
    Tally *tally;   /* so does this */
    ApiFaults *api_faults;
    bool is_files_only; /* the emulator serves Azure Files alone */
    int64_t events_max; /* that one jump in time may run through: some seconds' work */
    void *owner;        /* of the world's time: */
    bool (*advance)(void *owner, int64_t until_ns); /* lets the world run to `until_ns`; false if
                                                       jobs that run for real hold it back */
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

/* Answers a request below /trainyard. */
void control_handle(Control *control, const HttpRequest *request, HttpResponse *response);

/* --- For the handlers --- */

void control_answer(const ControlCall *call, int32_t status, const Json *value);
void control_refuse(const ControlCall *call, const Status *status);
/* The body as an object; NULL after answering. */
const Json *control_body(const ControlCall *call);

#endif
