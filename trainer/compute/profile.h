/* Where the time of a step goes: --profile of `trainyard train` and `trainyard bench-training`.
 *
 * A step is a row of stages that do not overlap: input, forward through each layer, loss, backward
 * through each layer, exchange over ranks, update. Who makes a stage says when it began and ended
 * while the profile is on: a backend all that it computes, the trainer the exchange where it makes
 * it (trainer/run/step.h). A stage that a backend makes together with another one stands with the
 * first of both, and one that nobody made has no row.
 *
 * Times are of machine_clock_ns. A backend with a clock of its own says so, and shifts its times:
 * differences are then that clock's, and the stages stand beside the rank's phases in a timeline.
 * A step lasts from the beginning of its first stage to the end of its last, so what passes between
 * steps is no part of it. A step without stages does not count. */
#ifndef TRAINER_PROFILE_H
#define TRAINER_PROFILE_H

#include "sim/cli/machine_clock.h"
#include "sim/json/json.h"
#include "trainer/compute/net.h"
#include "trainer/record/timeline.h"

/* Stages in the order of a step; those of layers are named by the two functions below. */
enum {
    PROFILE_NONE, /* no stage */
    PROFILE_INPUT,
    PROFILE_FORWARD,
    PROFILE_LOSS = PROFILE_FORWARD + NET_LAYERS_MAX,
    PROFILE_BACKWARD,
    PROFILE_EXCHANGE = PROFILE_BACKWARD + NET_LAYERS_MAX, /* also waiting for slower ranks */
    PROFILE_UPDATE,
    PROFILE_STAGES
};

static inline int32_t profile_forward(int32_t layer)
{
    return PROFILE_FORWARD + layer;
}

static inline int32_t profile_backward(int32_t layer)
{
    return PROFILE_BACKWARD + NET_LAYERS_MAX - 1 - layer;
}

typedef struct Profile Profile;

/* Off, and of no steps yet; lives as long as `arena`. */
Profile *profile_create(Arena *arena, const Net *net);
/* From now on stages are also rows of `timeline`, which is borrowed. */
void profile_add_to(Profile *profile, Timeline *timeline);

/* --- Measuring; of a NULL profile nothing is measured --- */

/* On, for the stages of `step`; and off again, if it is on. */
void profile_begin(Profile *profile, int64_t step);
void profile_end(Profile *profile);
bool profile_is_on(const Profile *profile);

/* What the stages are measured by, at first the processor: `clock` is short ("GPU"), `way` says it
 * in full after "by". Both are borrowed for good. */
void profile_measured_by(Profile *profile, const char *clock, const char *way);

/* Adds a stage that comes after those added before; what of it would come before the end of the
 * last one is cut off. Nothing while the profile is off. */
void profile_add(Profile *profile, int32_t stage, int64_t begin_ns, int64_t end_ns);
/* The same on the processor's clock: stages that follow each other begin with the first function's
 * result, and each call adds what has passed since and moves `clock_ns` on. While the profile is
 * off no clock is read. */
int64_t profile_clock_ns(const Profile *profile);
void profile_note(Profile *profile, int32_t stage, int64_t *clock_ns);

/* --- What came of it --- */

typedef struct {
    const char *clock, *way;
    int64_t steps;
    int64_t step_ns;                   /* of all of them; the stages add up to no more */
    int64_t stages_ns[PROFILE_STAGES]; /* likewise */
    const char *names[PROFILE_STAGES]; /* "conv2d_1 forward"; NULL: the network has no such stage */
} ProfileFigures;
const ProfileFigures *profile_figures(const Profile *profile);
/* How a timeline's rows of stages are drawn. */
TimelineStages profile_drawn_as(const Profile *profile);

/* A table of the stages in the order of a step, of what is between them ("rest") and of the step,
 * in mean microseconds and as shares; or a line that says that no step was measured. */
void profile_print(const Profile *profile, Text *out);
Json *profile_json(const Profile *profile, Arena *arena); /* the same */

#endif
