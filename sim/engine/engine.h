/* The course of time: which event runs next, and random draws by address.
 *
 * The engine knows no cluster and no job. Its owner supplies a table with one row for each kind of
 * event, which says in which phase of an instant the event runs, whether it still counts, and which
 * function runs it. Everything else about an event is a number that only the owner understands.
 *
 * Events of one instant run by phase, then in the order in which they were pushed: so losses come
 * before ends, capacity comes back before it is asked for, and one scheduling pass sees everything
 * that happened. */
#ifndef SIM_ENGINE_ENGINE_H
#define SIM_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"
#include "sim/engine/event_queue.h"
#include "sim/engine/rng.h"
#include "sim/engine/sample.h"

typedef enum {
    PHASE_FAILURE,    /* nodes and shares are lost */
    PHASE_COMPLETION, /* work ends */
    PHASE_PROVISION,  /* nodes, records and files come and go */
    PHASE_COMMAND,    /* the user asks; never permuted: the order is the file's */
    PHASE_ARRIVAL,    /* jobs of workloads, transfers that join */
    PHASE_TIMER,      /* evaluations, limits */
    PHASE_SCHEDULE,
    EVENT_PHASES
} EventPhase;

/* How an event counts for a run without a set end, which stops when no event is awaited any more.
 */
typedef enum {
    EVENT_AWAITED,
    EVENT_LIMIT,     /* awaited; but a limit beyond the end of time is not missed */
    EVENT_BACKGROUND /* failures that happen by chance: they alone keep no run going */
} EventAwaited;

typedef struct {
    EventPhase phase;
    EventAwaited awaited;
    /* Whether the event no longer counts, because its subject has changed since it was pushed.
     * NULL: it always counts. */
    bool (*is_stale)(void *owner, const Event *event);
    void (*run)(void *owner, const Event *event);
} EventType;

/* The functions of the owner that the engine calls. */
typedef struct {
    void *owner;
    const EventType *types;            /* [kind] */
    void (*event_ran)(void *owner);    /* after each event; may be NULL */
    void (*instant_ends)(void *owner); /* no event is left at this time; may push new ones for it */
    void (*instant_ended)(void *owner); /* no event is left at this time, and none will come */
} EngineOwner;

typedef struct {
    uint64_t seed;
    uint64_t
        shuffle_seed; /* not 0: events of one phase run in an order drawn from this seed, except
                         for PHASE_COMMAND, to show that no result depends on the order */
    int64_t until_ns; /* INT64_MAX: the run has no set end */
    bool stays_until; /* at the end of a run the time is `until_ns`, whatever happened last */
} EngineSettings;

typedef struct {
    int64_t now_ns; /* for all to read; only engine.c sets it */
    struct EngineInside *inside;
} Engine;

/* Lives as long as `run`. `owner.types` is borrowed. */
Engine *engine_create(Arena *run, EngineSettings settings, EngineOwner owner);
/* Calls EngineOwner.event_ran from now on: it checks, and costs time. */
void engine_check_always(Engine *engine);

/* --- Events --- */

/* Pushes an event `delay_ns` >= 0 from now; INT64_MAX: never. An event beyond the 292 years of an
 * int64 is dropped; engine_stop_reason then says so if the event was awaited. */
void engine_push(Engine *engine, int64_t delay_ns, uint32_t kind, uint32_t subject,
                 uint32_t generation, uint32_t detail);
/* The time of the next event; INT64_MAX: there is none. */
int64_t engine_next_event_ns(const Engine *engine);
int64_t engine_events(const Engine *engine); /* run so far */

/* --- Running --- */

/* Runs every event up to `until_ns` of the settings, or until no awaited event is left. The time is
 * then `until_ns` if the run was cut short there (or stays_until), else that of the last event. */
void engine_run(Engine *engine);
/* Runs all events of the next instant that has one. False when nothing is left to run. */
bool engine_run_instant(Engine *engine);
/* Runs every event at or before `until_ns`; the time is then `until_ns`. Events that have become
 * stale are forgotten, so that engine_next_event_ns names an event that counts. */
void engine_advance(Engine *engine, int64_t until_ns);

/* An instant that comes from outside: engine_begin_instant runs every event before `at_ns`, which
 * must not have an event, and sets the time. The caller then changes the world and calls
 * engine_finish_instant, which runs the events that follow at once; or it changes nothing and calls
 * engine_leave_instant, which sets the time to `at_ns` - 1. */
void engine_begin_instant(Engine *engine, int64_t at_ns);
void engine_finish_instant(Engine *engine);
void engine_leave_instant(Engine *engine);

/* A run without a set end stops after this event, because it would never end. `reason` lives as
 * long as the engine. */
void engine_give_up(Engine *engine, const char *reason);
/* Why a run without a set end stopped early; NULL: it ran to its end. */
const char *engine_stop_reason(const Engine *engine);

/* --- Draws --- */

/* The random word at that address. It is counted: see engine_draws. */
uint64_t engine_word(const Engine *engine, RngStream stream, uint64_t entity, uint64_t draw);
/* A draw from `quantiles` by address; a constant takes no word. */
int64_t engine_draw(const Engine *engine, Quantiles quantiles, RngStream stream, uint64_t entity,
                    uint64_t draw);
/* The same from a distribution of any kind. */
int64_t engine_sample(const Engine *engine, Distribution distribution, RngStream stream,
                      uint64_t entity, uint64_t draw);
/* Whether something with the probability `chance_ppm` * `rate_ppm` happens, by address. A word that
 * strikes at one probability strikes at every larger one. Probability 0 takes no word. */
bool engine_strikes(const Engine *engine, int64_t chance_ppm, int64_t rate_ppm, RngStream stream,
                    uint64_t entity, uint64_t draw);

/* The random words drawn so far. The sum does not depend on the order in which they were drawn;
 * nothing else may, since every word has an address. */
typedef struct {
    int64_t count;
    uint64_t sum;
} DrawCount;

DrawCount engine_draws(const Engine *engine);

#endif
