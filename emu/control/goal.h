/* The goal of run-until: an instant, a moment or a condition. */
#ifndef EMU_CONTROL_GOAL_H
#define EMU_CONTROL_GOAL_H

#include "emu/control/control.h"
#include "sim/scenario/command/condition_read.h"

typedef struct {
    bool has_moment, has_condition;
    MomentWatch moment;
    Condition condition;
    uint32_t subject; /* the row of the cluster or job that it is about */
    int64_t
        held_since_ns; /* of a condition that must hold for a while; INT64_MAX: it does not hold */
    int64_t at_ns;     /* of an instant */
} Goal;

/* Reads "2018-07-18T18:00:00Z", "job train completed + 5m" or "cluster gpu idle >= 2". */
MUST_CHECK bool goal_read(const Control *control, Arena *arena, const char *text, Goal *goal,
                          Status *status);
/* Finds the cluster or job of a moment or condition, once: a later one of that name is another.
 * STATUS_NOT_FOUND if there is none. */
MUST_CHECK bool goal_find_subject(const World *world, Goal *goal, Status *status);
/* Whether the moment has happened already; `*came_ns` is then its time, or INT64_MAX if no record
 * of that is left. */
bool goal_has_come(const World *world, const Goal *goal, int64_t *came_ns);
/* Whether the condition holds, or the moment has happened, now. */
bool goal_is_met(const Control *control, Goal *goal);
/* The next time to look: an event, or a condition that will have held for its time. */
int64_t goal_next_look_ns(const World *world, const Goal *goal);

#endif
