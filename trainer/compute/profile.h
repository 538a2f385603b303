/* The time of each part of a step: --profile of `trainyard train` and `trainyard bench-training`.
 *
 * A step is a sequence of stages that do not overlap: input, forward through each layer, loss,
 * backward through each layer, exchange over ranks, update. While the profile is on, the backend
 * reports begin and end of the stages that it computes; the trainer reports the exchange if it
 * makes it (trainer/run/step.h). If a backend computes two stages together, their time counts for
 * the first one. A stage that was not made has no row.
 *
 * Times are those of machine_clock_ns. A backend with a different clock reports it
 * (profile_measured_by); durations are then measured by that clock. The backend shifts its times so
 * that the stages match the rank's phases in a timeline. A step lasts from the beginning of its
 * first stage to the end of its last one: time between steps is not included. A step without stages
 * is not counted. */
#ifndef TRAINER_PROFILE_H
#define TRAINER_PROFILE_H

#include "sim/cli/machine_clock.h"
#include "sim/json/json.h"
#include "trainer/compute/net.h"
#include "trainer/record/timeline.h"

/* Stages in the order of a step; the two functions below give those of layers. */
enum {
    PROFILE_NONE, /* no stage */
    PROFILE_INPUT,
    PROFILE_FORWARD,
    PROFILE_LOSS = PROFILE_FORWARD + NET_LAYERS_MAX,
    PROFILE_BACKWARD,
    PROFILE_EXCHANGE = PROFILE_BACKWARD + NET_LAYERS_MAX, /* includes waiting for slower ranks */
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

/* The profile is off at first. It lives as long as `arena`. */
Profile *profile_create(Arena *arena, const Net *net);
/* Adds stages to `timeline` from then on; `timeline` is borrowed. */
void profile_add_to(Profile *profile, Timeline *timeline);

/* --- Measuring; these functions do nothing if the profile is NULL --- */

/* Turn the profile on for the stages of `step`, and off again. */
void profile_begin(Profile *profile, int64_t step);
void profile_end(Profile *profile);
bool profile_is_on(const Profile *profile);

/* Sets the clock that measures the stages; the default is the processor's. `clock` is short
 * ("GPU"), `way` is the full text after "by". Both must stay valid. */
void profile_measured_by(Profile *profile, const char *clock, const char *way);

/* Adds a stage that follows the stages added before; a part before the end of the last stage is cut
 * off. Does nothing while the profile is off. */
void profile_add(Profile *profile, int32_t stage, int64_t begin_ns, int64_t end_ns);
/* The same by the processor's clock. profile_clock_ns returns the beginning of the first stage.
 * Each call of profile_note adds a stage from `clock_ns` until now, and sets `clock_ns` to now.
 * While the profile is off no clock is read. */
int64_t profile_clock_ns(const Profile *profile);
void profile_note(Profile *profile, int32_t stage, int64_t *clock_ns);

/* --- Results --- */

typedef struct {
    const char *clock, *way;
    int64_t steps;
    int64_t step_ns;                   /* of all steps; at least the sum of the stages */
    int64_t stages_ns[PROFILE_STAGES]; /* of all steps */
    const char *names[PROFILE_STAGES]; /* "conv2d_1 forward"; NULL: the network has no such stage */
} ProfileFigures;
const ProfileFigures *profile_figures(const Profile *profile);
/* The names and the clock with which a timeline draws stages. */
TimelineStages profile_drawn_as(const Profile *profile);

/* Prints a table of the stages in the order of a step, of the time between them ("rest") and of the
 * step, in mean microseconds and as percentages. If no step was measured, prints a line that says
 * so. */
void profile_print(const Profile *profile, Text *out);
Json *profile_json(const Profile *profile, Arena *arena); /* the same */
#define PROFILE_SCHEMA                                                                             \
    "{\"type\": \"object\", \"properties\": {\"clock\": {\"type\": \"string\"}, "                  \
    "\"measured_by\": {\"type\": \"string\"}, \"steps\": {\"type\": \"integer\"}, "                \
    "\"step_us\": {\"type\": \"number\"}, \"stages\": {\"type\": \"object\", "                     \
    "\"additionalProperties\": {\"type\": \"object\", \"properties\": {\"us\": {\"type\": "        \
    "\"number\"}, "                                                                                \
    "\"percent\": {\"type\": \"number\"}}, \"required\": [\"us\", \"percent\"], "                  \
    "\"additionalProperties\": false}}}, \"required\": [\"clock\", \"measured_by\", \"steps\"], "  \
    "\"additionalProperties\": false}"

#endif
