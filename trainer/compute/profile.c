#include "trainer/compute/profile.h"

#include <inttypes.h>

#include "sim/base/table.h"
#include "sim/base/text.h"
#include "sim/cli/machine_clock.h"
#include "trainer/record/fixed.h"

struct Profile {
    bool is_on;
    int64_t step;
    int64_t begin_ns, end_ns; /* of the stages of the step so far */
    bool has_stages;          /* in the step so far */
    Timeline *timeline;       /* or NULL */
    ProfileFigures figures;
};

Profile *profile_create(Arena *arena, const Net *net)
{
    Profile *profile = ARENA_NEW(arena, Profile);
    *profile = (Profile){.figures = {.clock = "processor", .way = "the processor's clock"}};
    const char **names = profile->figures.names;
    names[PROFILE_INPUT] = "input";
    names[PROFILE_LOSS] = "loss";
    names[PROFILE_EXCHANGE] = "exchange";
    names[PROFILE_UPDATE] = "update";
    for (int32_t i = 0; i < net->layer_count; i++) {
        const char *layer = net->layers[i].name;
        names[profile_forward(i)] = arena_printf(arena, "%s forward", layer);
        names[profile_backward(i)] = arena_printf(arena, "%s backward", layer);
    }
    return profile;
}

void profile_add_to(Profile *profile, Timeline *timeline)
{
    profile->timeline = timeline;
}

/* --- Measuring --- */

bool profile_is_on(const Profile *profile)
{
    return profile && profile->is_on;
}

void profile_begin(Profile *profile, int64_t step)
{
    if (!profile)
        return;
    profile->is_on = true;
    profile->step = step;
    profile->has_stages = false;
}

void profile_end(Profile *profile)
{
    if (!profile_is_on(profile))
        return;
    profile->is_on = false;
    if (!profile->has_stages)
        return;
    profile->figures.steps++;
    profile->figures.step_ns += profile->end_ns - profile->begin_ns;
}

void profile_measured_by(Profile *profile, const char *clock, const char *way)
{
    if (!profile)
        return;
    profile->figures.clock = clock;
    profile->figures.way = way;
}

void profile_add(Profile *profile, int32_t stage, int64_t begin_ns, int64_t end_ns)
{
    if (!profile_is_on(profile))
        return;
    if (!profile->has_stages)
        profile->begin_ns = profile->end_ns = begin_ns;
    profile->has_stages = true;
    const int64_t from_ns = begin_ns > profile->end_ns ? begin_ns : profile->end_ns;
    const int64_t to_ns = end_ns > from_ns ? end_ns : from_ns;
    profile->end_ns = to_ns;
    profile->figures.stages_ns[stage] += to_ns - from_ns;
    timeline_add_stage(profile->timeline, stage, profile->step, from_ns, to_ns);
}

int64_t profile_clock_ns(const Profile *profile)
{
    return profile_is_on(profile) ? machine_clock_ns() : 0;
}

void profile_note(Profile *profile, int32_t stage, int64_t *clock_ns)
{
    if (!profile_is_on(profile))
        return;
    const int64_t now_ns = machine_clock_ns();
    profile_add(profile, stage, *clock_ns, now_ns);
    *clock_ns = now_ns;
}

/* --- Results --- */

const ProfileFigures *profile_figures(const Profile *profile)
{
    return &profile->figures;
}

TimelineStages profile_drawn_as(const Profile *profile)
{
    return (TimelineStages){profile->figures.names, profile->figures.clock};
}

/* A row of the table: a stage that took time, the rest, or the step. */
typedef struct {
    const char *name;
    double us, percent;
} Row;

static Row row_of(const ProfileFigures *figures, const char *name, int64_t ns)
{
    return (Row){name, (double)ns / (double)figures->steps / 1e3,
                 figures->step_ns > 0 ? 100.0 * (double)ns / (double)figures->step_ns : 0.0};
}

/* Fills all rows except the step's; returns their number. */
static int32_t rows_of(const ProfileFigures *figures, Row rows[PROFILE_STAGES])
{
    int32_t count = 0;
    int64_t rest_ns = figures->step_ns;
    for (int32_t i = PROFILE_INPUT; i < PROFILE_STAGES; i++) {
        rest_ns -= figures->stages_ns[i];
        if (figures->stages_ns[i] > 0)
            rows[count++] = row_of(figures, figures->names[i], figures->stages_ns[i]);
    }
    rows[count++] =
        row_of(figures, "rest", rest_ns); // there is room, because PROFILE_NONE has no row
    return count;
}

static void add_row(Table *table, Row row, Arena *arena)
{
    table_row(table, (const char *const[]){row.name, arena_printf(arena, "%.1f", row.us),
                                           arena_printf(arena, "%.1f", row.percent)});
}

void profile_print(const Profile *profile, Text *out)
{
    static const TableColumn columns[] = {
        {"Stage", TABLE_TEXT}, {"us", TABLE_NUMBER}, {"%", TABLE_NUMBER}};
    const ProfileFigures *figures = &profile->figures;
    Row rows[PROFILE_STAGES];
    if (figures->steps == 0) {
        text_add(out, "No step was measured for the profile.\n");
        return;
    }
    Arena *arena = arena_create();
    Table *table = table_create(arena, columns, sizeof columns / sizeof columns[0]);
    const int32_t count = rows_of(figures, rows);
    for (int32_t i = 0; i < count; i++)
        add_row(table, rows[i], arena);
    add_row(table, row_of(figures, "step", figures->step_ns), arena);
    text_printf(out, "Mean of %" PRId64 " step%s of rank 0, by %s\n\n", figures->steps,
                plural(figures->steps), figures->way);
    table_print(table, out);
    arena_destroy(arena);
}

static Json *row_json(Row row, Arena *arena)
{
    Json *object = json_object(arena);
    json_set(arena, object, "us", fixed_json(arena, row.us, 3));
    json_set(arena, object, "percent", fixed_json(arena, row.percent, 3));
    return object;
}

Json *profile_json(const Profile *profile, Arena *arena)
{
    const ProfileFigures *figures = &profile->figures;
    Json *object = json_object(arena);
    Row rows[PROFILE_STAGES];
    json_put_text(arena, object, "clock", figures->clock);
    json_put_text(arena, object, "measured_by", figures->way);
    json_put_integer(arena, object, "steps", figures->steps);
    if (figures->steps == 0)
        return object;
    json_set(arena, object, "step_us",
             fixed_json(arena, row_of(figures, "step", figures->step_ns).us, 3));
    Json *stages = json_put_object(arena, object, "stages");
    const int32_t count = rows_of(figures, rows);
    for (int32_t i = 0; i < count; i++)
        json_set(arena, stages, rows[i].name, row_json(rows[i], arena));
    return object;
}
