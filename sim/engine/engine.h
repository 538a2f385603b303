/* The course of time: which event runs next, and random draws by address.
 *
 * The engine knows no cluster and no job. Its owner supplies a table with one row for each kind of
 * event: the phase of an instant in which it runs, whether it still counts, and the function that
 * runs it. Everything else about an event is a number that only the owner understands.
 *
 * Events of one instant run by phase, then in the order in which they were pushed. Losses therefore
 * precede ends, and capacity is returned before it is requested. One scheduling pass at the end
 * sees everything that happened. */
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
    PHASE_COMMAND,    /* commands of the user; always in the order of the file */
    PHASE_ARRIVAL,    /* jobs of workloads, transfers that join a share */
    PHASE_TIMER,      /* autoscale evaluations, limits, awaited moments */
    PHASE_SCHEDULE,
    EVENT_PHASES
} EventPhase;

/* Whether an event keeps a run without a set end going. Such a run stops when no awaited event is
 * left. */
typedef enum {
    EVENT_AWAITED,
    EVENT_LIMIT,     /* awaited, but silently dropped when it is beyond the end of time */
    EVENT_BACKGROUND /* failures by chance: they do not keep a run going */
} EventAwaited;

typedef struct {
    EventPhase phase;
    EventAwaited awaited;
    /* Whether the event no longer counts, because its subject has changed since it was pushed.
     * NULL: it always counts. */
    bool (*is_stale)(void *owner, const Event *event);
    void (*run)(void *owner, const Event *event);
} EventType;

/* The functions of the owner that the engine calls; all but `types` may be NULL. An engine that
 * has none for the ends of instants runs events faster. */
typedef struct {
    void *owner;
    const EventType *types;            /* [kind] */
    void (*event_ran)(void *owner);    /* after each event, since engine_check_always */
    void (*instant_ends)(void *owner); /* no event is left at this time; may push new ones for it */
    void (*instant_ended)(void *owner); /* no event is left at this time, and none will come */
} EngineOwner;

typedef struct {
    uint64_t seed;
    /* Not 0: events of one phase run in an order drawn from this seed, except for PHASE_COMMAND, to
     * show that no result depends on the order. */
    uint64_t shuffle_seed;
    int64_t until_ns; /* INT64_MAX: the run has no set end */
    bool stays_until; /* at the end of a run the time is `until_ns`, not that of the last event */
} EngineSettings;

typedef struct {
    int64_t now_ns; /* only engine.c sets it */
    struct EngineInside *inside;
} Engine;

/* Lives as long as `run`. `owner.types` is borrowed. */
Engine *engine_create(Arena *run, EngineSettings settings, EngineOwner owner);
/* Calls EngineOwner.event_ran after each event from now on. */
void engine_check_always(Engine *engine);

/* --- Events --- */

/* Pushes an event `delay_ns` >= 0 from now; INT64_MAX: never. An event beyond the 292 years of an
 * int64 is dropped; if it was EVENT_AWAITED, engine_stop_reason reports that. */
void engine_push(Engine *engine, int64_t delay_ns, uint32_t kind, uint32_t subject,
                 uint32_t generation, uint32_t detail);
/* The same at `at_ns`, which is not before now; INT64_MAX: never. */
void engine_push_at(Engine *engine, int64_t at_ns, uint32_t kind, uint32_t subject,
                    uint32_t generation, uint32_t detail);
/* Whether `matches` returns true for any pending event, stale ones included. Between instants. */
bool engine_any_pending(const Engine *engine, void *context,
                        bool (*matches)(void *context, const Event *event));
/* Removes all stale events; O(pending events). */
void engine_remove_stale(Engine *engine);
/* Removes every event after now for which `matches` returns true. */
void engine_remove_pending(Engine *engine, void *context,
                           bool (*matches)(void *context, const Event *event));
/* The time of the next event; INT64_MAX: there is none. */
int64_t engine_next_event_ns(const Engine *engine);
int64_t engine_events(const Engine *engine); /* run so far */

/* --- Running --- */

/* Runs every event up to `until_ns` of the settings, or until no awaited event is left. The time is
 * then `until_ns` if the run was cut short there (or stays_until), else that of the last event. */
void engine_run(Engine *engine);
/* Runs the next `most` events of engine_run, which continues later. Returns false when engine_run
 * has nothing left to do. */
bool engine_run_some(Engine *engine, int64_t most);
/* Runs all events of the next instant. Returns false if no event is left at or before `until_ns`,
 * or no awaited event in a run without a set end. */
bool engine_run_instant(Engine *engine);
/* Runs every event at or before `until_ns`; the time is then `until_ns`. The next event is not
 * stale then, so that engine_next_event_ns returns the time of an event that counts. */
void engine_advance(Engine *engine, int64_t until_ns);

/* An instant in which the caller changes the world. engine_begin_instant runs every event before
 * `at_ns`, at which no event may be pending, and sets the time. If the caller changed the world, it
 * calls engine_finish_instant, which runs the immediate consequences. Otherwise it calls
 * engine_leave_instant, which sets the time to `at_ns` - 1. */
void engine_begin_instant(Engine *engine, int64_t at_ns);
void engine_finish_instant(Engine *engine);
void engine_leave_instant(Engine *engine);

/* Makes a run without a set end stop after the present event, because it would never end. `reason`
 * lives as long as the engine. */
void engine_give_up(Engine *engine, const char *reason);
/* Why a run without a set end stopped early; NULL: it ran to its end. */
const char *engine_stop_reason(const Engine *engine);

/* --- Draws --- */

/* The seed of the draws from now on; at first that of the settings. */
uint64_t engine_seed(const Engine *engine);
void engine_reseed(Engine *engine, uint64_t seed);
/* The random word at that address. engine_draws counts it. */
uint64_t engine_word(const Engine *engine, RngStream stream, uint64_t entity, uint64_t draw);
/* A draw from `quantiles` by address; a constant takes no word. */
int64_t engine_draw(const Engine *engine, Quantiles quantiles, RngStream stream, uint64_t entity,
                    uint64_t draw);
/* The same from a distribution of any kind. */
int64_t engine_sample(const Engine *engine, Distribution distribution, RngStream stream,
                      uint64_t entity, uint64_t draw);
/* Whether an event of the probability `chance_ppm` * `rate_ppm` happens, drawn by address. A word
 * that is a hit at one probability is a hit at every larger one. Probability 0 takes no word. */
bool engine_strikes(const Engine *engine, int64_t chance_ppm, int64_t rate_ppm, RngStream stream,
                    uint64_t entity, uint64_t draw);

/* The random words drawn so far. Their sum does not depend on the order in which they were drawn.
 */
typedef struct {
    int64_t count;
    uint64_t sum;
} DrawCount;

DrawCount engine_draws(const Engine *engine);

#endif
