#include "sim/engine/engine.h"

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/base/wide.h"

/* The events of one phase that are due now: first in, first out. */
typedef struct {
    Event *items;
    int32_t begin, end, capacity;
} DueEvents;

typedef struct EngineInside {
    Arena *arena;
    EngineOwner owner;
    EngineSettings settings;
    EventQueue *queue;
    int64_t events_run;
    const char *give_up_reason; /* why the run would never end; NULL: it is not given up */
    bool is_out_of_time;        /* an awaited event was beyond the 292 years of an int64 */
    bool checks_always;
    bool reports_instants; /* the owner has functions for their end */
    bool is_in_instant; /* an event ran at now_ns, and the end of the instant is not reported yet */
    DueEvents due[EVENT_PHASES]; /* removed from the queue: all at `due_ns` */
    uint32_t due_phases;         /* a bit for each phase with such events */
    int64_t due_ns;
    uint64_t shuffles; /* draws taken from the shuffle seed */
    DrawCount draws;
} EngineInside;

Engine *engine_create(Arena *run, EngineSettings settings, EngineOwner owner)
{
    EngineInside *inside = ARENA_NEW(run, EngineInside);
    Engine *engine = ARENA_NEW(run, Engine);
    inside->arena = run;
    inside->owner = owner;
    inside->reports_instants = owner.instant_ends != NULL || owner.instant_ended != NULL;
    // Member by member: copied padding may look like an address, which keeps a session's memory
    // from being an image (emu/session/session_image.h).
    inside->settings.seed = settings.seed;
    inside->settings.shuffle_seed = settings.shuffle_seed;
    inside->settings.until_ns = settings.until_ns;
    inside->settings.stays_until = settings.stays_until;
    inside->queue = event_queue_create(run);
    engine->inside = inside;
    return engine;
}

void engine_check_always(Engine *engine)
{
    engine->inside->checks_always = true;
}

bool engine_any_pending(const Engine *engine, void *context,
                        bool (*matches)(void *context, const Event *event))
{
    invariant(engine->inside->due_phases == 0);
    return event_queue_any(engine->inside->queue, context, matches);
}

/* The arguments of engine_remove_pending, and the present time. */
typedef struct {
    int64_t now_ns;
    void *context;
    bool (*matches)(void *context, const Event *event);
} Removal;

static bool is_removed(void *removal, const Event *event)
{
    const Removal *of = removal;
    return event->at_ns > of->now_ns && of->matches(of->context, event);
}

void engine_remove_pending(Engine *engine, void *context,
                           bool (*matches)(void *context, const Event *event))
{
    Removal removal = {engine->now_ns, context, matches};
    event_queue_remove(engine->inside->queue, &removal, is_removed);
}

int64_t engine_next_event_ns(const Engine *engine)
{
    return event_queue_next_ns(engine->inside->queue);
}

int64_t engine_events(const Engine *engine)
{
    return engine->inside->events_run;
}

/* --- Events --- */

void engine_push(Engine *engine, int64_t delay_ns, uint32_t kind, uint32_t subject,
                 uint32_t generation, uint32_t detail)
{
    EngineInside *inside = engine->inside;
    invariant(delay_ns >= 0);
    if (delay_ns >= INT64_MAX - engine->now_ns) {
        if (inside->owner.types[kind].awaited == EVENT_AWAITED && delay_ns < INT64_MAX)
            inside->is_out_of_time = true;
        return;
    }
    event_queue_push(inside->queue, (Event){.at_ns = engine->now_ns + delay_ns,
                                            .kind = kind,
                                            .subject = subject,
                                            .generation = generation,
                                            .detail = detail});
}

void engine_push_at(Engine *engine, int64_t at_ns, uint32_t kind, uint32_t subject,
                    uint32_t generation, uint32_t detail)
{
    const int64_t delay_ns = at_ns == INT64_MAX ? INT64_MAX : at_ns - engine->now_ns;
    engine_push(engine, delay_ns, kind, subject, generation, detail);
}

static inline bool is_stale(const EngineInside *inside, const Event *event)
{
    const EventType *type = &inside->owner.types[event->kind];
    return type->is_stale && type->is_stale(inside->owner.owner, event);
}

static bool is_awaited(const EngineInside *inside, const Event *event)
{
    return inside->owner.types[event->kind].awaited != EVENT_BACKGROUND;
}

/* --- Instants --- */

static void due_add(EngineInside *inside, const Event *event)
{
    const EventPhase phase = inside->owner.types[event->kind].phase;
    DueEvents *due = &inside->due[phase];
    if (due->begin == due->end)
        due->begin = due->end = 0;
    if (due->end == due->capacity) {
        due->capacity = due->capacity > 0 ? 2 * due->capacity : 16;
        Event *items = ARENA_ARRAY(inside->arena, Event, due->capacity);
        for (int32_t i = due->begin; i < due->end; i++)
            items[i] = due->items[i];
        due->items = items;
    }
    due->items[due->end++] = *event;
    inside->due_phases |= UINT32_C(1) << phase;
    inside->due_ns = event->at_ns;
}

/* The index of the event due in `phase` that runs next: the first, or with a shuffle seed any. */
static int32_t due_choice(EngineInside *inside, EventPhase phase)
{
    const DueEvents *due = &inside->due[phase];
    uint64_t seed = inside->settings.shuffle_seed;
    if (seed == 0 || phase == PHASE_COMMAND)
        return due->begin;
    uint64_t word = rng_word(seed, RNG_SHUFFLE, 0, inside->shuffles++);
    return due->begin + (int32_t)((word >> 32) * (uint64_t)(due->end - due->begin) >> 32);
}

static Event due_take(EngineInside *inside)
{
    const uint32_t phase = (uint32_t)__builtin_ctz(inside->due_phases);
    DueEvents *due = &inside->due[phase];
    int32_t choice = due_choice(inside, (EventPhase)phase);
    Event event = due->items[choice];
    due->items[choice] = due->items[due->begin++];
    if (due->begin == due->end)
        inside->due_phases &= ~(UINT32_C(1) << phase);
    return event;
}

/* Moves all events at the due time out of the queue and takes the first by phase and order of
 * pushing. */
static __attribute__((noinline)) void take_due(EngineInside *inside, Event *event)
{
    while (event_queue_next_ns(inside->queue) == inside->due_ns) {
        Event other = {0};
        event_queue_pop(inside->queue, &other);
        due_add(inside, &other);
    }
    *event = due_take(inside);
}

/* Removes the next event at or before `until_ns`, by time, phase and order of pushing. */
static inline bool take_event(EngineInside *inside, int64_t until_ns, Event *event)
{
    if (inside->due_phases == 0) {
        if (event_queue_next_ns(inside->queue) > until_ns || !event_queue_pop(inside->queue, event))
            return false;
        if (event_queue_next_ns(inside->queue) > event->at_ns)
            return true; // usual case: the only event at its time
        due_add(inside, event);
    }
    take_due(inside, event);
    return true;
}

static __attribute__((noinline)) void report_end_of_instant(Engine *engine)
{
    EngineInside *inside = engine->inside;
    inside->is_in_instant = false;
    if (inside->owner.instant_ends != NULL)
        inside->owner.instant_ends(inside->owner.owner);
    if (inside->owner.instant_ended != NULL && event_queue_next_ns(inside->queue) > engine->now_ns)
        inside->owner.instant_ended(inside->owner.owner);
}

/* Notifies the owner when no event is left at this time: once per instant, also when the last event
 * of the instant is stale. */
static inline void end_instant(Engine *engine)
{
    const EngineInside *inside = engine->inside;
    if (inside->is_in_instant && inside->due_phases == 0 &&
        event_queue_next_ns(inside->queue) > engine->now_ns)
        report_end_of_instant(engine);
}

/* Removes events up to the next one that is not stale, at or before `until_ns`. */
static inline bool next_event(Engine *engine, int64_t until_ns, Event *event)
{
    for (; take_event(engine->inside, until_ns, event); end_instant(engine))
        if (!is_stale(engine->inside, event))
            return true;
    return false;
}

static void count_event(Engine *engine)
{
    EngineInside *inside = engine->inside;
    if (inside->checks_always && inside->owner.event_ran)
        inside->owner.event_ran(inside->owner.owner);
    end_instant(engine);
}

static void run_event(Engine *engine, const Event *event)
{
    EngineInside *inside = engine->inside;
    invariant(event->at_ns >= engine->now_ns);
    engine->now_ns = event->at_ns;
    inside->events_run++;
    inside->is_in_instant = inside->reports_instants;
    inside->owner.types[event->kind].run(inside->owner.owner, event);
    count_event(engine);
}

/* Runs events up to `until_ns`, `most` at most; returns whether any may be left. */
static bool run_some_until(Engine *engine, int64_t until_ns, int64_t most)
{
    for (Event event; most > 0; most--) {
        if (!next_event(engine, until_ns, &event))
            return false;
        run_event(engine, &event);
    }
    return true;
}

static void run_until(Engine *engine, int64_t until_ns)
{
    run_some_until(engine, until_ns, INT64_MAX);
}

/* --- Whether anything is awaited --- */

static bool is_live_and_awaited(void *context, const Event *event)
{
    return is_awaited(context, event) && !is_stale(context, event);
}

static bool is_any_awaited(const EngineInside *inside)
{
    for (int phase = 0; phase < EVENT_PHASES; phase++)
        for (int32_t i = inside->due[phase].begin; i < inside->due[phase].end; i++)
            if (is_live_and_awaited((void *)inside, &inside->due[phase].items[i]))
                return true;
    return event_queue_any(inside->queue, (void *)inside, is_live_and_awaited);
}

static bool is_given_up(const EngineInside *inside)
{
    return inside->give_up_reason != NULL && inside->settings.until_ns == INT64_MAX;
}

/* Runs until no event is awaited, `most` events at most; returns whether any may be left.
 * is_any_awaited looks at all events that are due together, so the end of the run does not depend
 * on their order. */
static bool run_while_awaited(Engine *engine, int64_t most)
{
    EngineInside *inside = engine->inside;
    for (Event event; most > 0; most--) {
        if (is_given_up(inside) || !next_event(engine, INT64_MAX, &event) ||
            (!is_awaited(inside, &event) && !is_any_awaited(inside)))
            return false;
        run_event(engine, &event);
    }
    return true;
}

/* --- Stale events --- */

static bool is_stale_event(void *context, const Event *event)
{
    return is_stale(context, event);
}

static bool is_live_event(void *context, const Event *event)
{
    return !is_stale(context, event);
}

void engine_remove_stale(Engine *engine)
{
    event_queue_remove(engine->inside->queue, engine->inside, is_stale_event);
}

/* --- Running --- */

void engine_advance(Engine *engine, int64_t until_ns)
{
    invariant(until_ns >= engine->now_ns);
    run_until(engine, until_ns);
    engine->now_ns = until_ns;
    // The limits of an ended job may be days ahead, and no caller should wait for them.
    event_queue_remove_next(engine->inside->queue, engine->inside, is_stale_event);
}

bool engine_run_instant(Engine *engine)
{
    const EngineInside *inside = engine->inside;
    const int64_t until_ns = inside->settings.until_ns;
    const int64_t at_ns = event_queue_next_ns(inside->queue);
    if (at_ns == INT64_MAX || at_ns > until_ns ||
        (until_ns == INT64_MAX && (is_given_up(inside) || !is_any_awaited(inside))))
        return false;
    run_until(engine, at_ns);
    return true;
}

bool engine_run_some(Engine *engine, int64_t most)
{
    EngineInside *inside = engine->inside;
    const EngineSettings *settings = &inside->settings;
    if (settings->until_ns == INT64_MAX)
        return run_while_awaited(engine, most);
    if (run_some_until(engine, settings->until_ns, most))
        return true;
    // A run that is cut short ends at `until_ns`. Stale events do not count: nothing would happen.
    // The later events stay in the queue: a second call runs none of them.
    if (settings->stays_until || event_queue_any(inside->queue, inside, is_live_event))
        engine->now_ns = settings->until_ns;
    return false;
}

void engine_run(Engine *engine)
{
    engine_run_some(engine, INT64_MAX);
}

void engine_begin_instant(Engine *engine, int64_t at_ns)
{
    invariant(at_ns > engine->now_ns);
    engine_advance(engine, at_ns - 1);
    invariant(event_queue_next_ns(engine->inside->queue) > at_ns);
    engine->now_ns = at_ns;
}

void engine_leave_instant(Engine *engine)
{
    engine->now_ns--;
}

void engine_finish_instant(Engine *engine)
{
    engine->inside->events_run++;
    engine->inside->is_in_instant = engine->inside->reports_instants;
    count_event(engine);
    run_until(engine, engine->now_ns);
}

void engine_give_up(Engine *engine, const char *reason)
{
    engine->inside->give_up_reason = reason;
}

const char *engine_stop_reason(const Engine *engine)
{
    const EngineInside *inside = engine->inside;
    if (is_given_up(inside))
        return inside->give_up_reason;
    return inside->is_out_of_time && inside->settings.until_ns == INT64_MAX
               ? "simulated time ends after 292 years, before all that was to happen"
               : NULL;
}

/* --- Draws --- */

uint64_t engine_seed(const Engine *engine)
{
    return engine->inside->settings.seed;
}

void engine_reseed(Engine *engine, uint64_t seed)
{
    engine->inside->settings.seed = seed;
}

uint64_t engine_word(const Engine *engine, RngStream stream, uint64_t entity, uint64_t draw)
{
    EngineInside *inside = engine->inside;
    const uint64_t word = rng_word(inside->settings.seed, stream, entity, draw);
    inside->draws.count++;
    inside->draws.sum += word;
    return word;
}

int64_t engine_draw(const Engine *engine, Quantiles quantiles, RngStream stream, uint64_t entity,
                    uint64_t draw)
{
    if (quantiles.count == 1)
        return quantiles.knots[0].value; // the same for every word
    return quantiles_at(quantiles, engine_word(engine, stream, entity, draw));
}

int64_t engine_sample(const Engine *engine, Distribution distribution, RngStream stream,
                      uint64_t entity, uint64_t draw)
{
    if (distribution.kind == DISTRIBUTION_QUANTILES)
        return engine_draw(engine, distribution.quantiles, stream, entity, draw);
    return distribution_at(distribution, engine_word(engine, stream, entity, draw));
}

bool engine_strikes(const Engine *engine, int64_t chance_ppm, int64_t rate_ppm, RngStream stream,
                    uint64_t entity, uint64_t draw)
{
    WideUnsigned chance = (WideUnsigned)chance_ppm * (uint64_t)rate_ppm; // in units of 10^-12
    if (chance == 0)
        return false;
    uint64_t word = engine_word(engine, stream, entity, draw);
    return (WideUnsigned)(word >> 32) * (uint64_t)(PPM * PPM) < chance << 32;
}

DrawCount engine_draws(const Engine *engine)
{
    return engine->inside->draws;
}
