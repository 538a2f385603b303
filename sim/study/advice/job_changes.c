/* Changes of jobs and their queue: checkpoints, policies, placements. Private to
 * sim/study/advice. */
#include <inttypes.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/scenario/config/checkpoint_config.h"
#include "sim/study/advice/listing.h"

/* --- Checkpoints --- */

enum { FACTOR = 3 };

/* Another distance between the checkpoints of `whose` jobs, at the JSON pointer, in the unit of
 * today's, of which one member is above 0. */
static void add_distance(const Listing *listing, const char *whose, const char *pointer,
                         CheckpointEvery now, int64_t amount)
{
    Arena *arena = listing->arena;
    Text words = {0}, today = {0};
    const char *value;
    if (now.ns > 0) {
        duration_print(&words, amount * NS_PER_S);
        duration_print(&today, now.ns);
        value = arena_printf(arena, "\"%" PRId64 "s\"", amount);
    } else if (now.steps > 0) {
        text_printf(&words, "%" PRId64 " step%s", amount, plural(amount));
        text_printf(&today, "%" PRId64, now.steps);
        value = arena_printf(arena, "\"%" PRId64 " steps\"", amount);
    } else {
        text_printf(&words, "%" PRId64 " epoch%s", amount, plural(amount));
        text_printf(&today, "%" PRId64, now.count + now.epochs);
        value = arena_printf(arena, "%" PRId64, amount);
    }
    ChangeDraft draft =
        change_begin(listing, CHANGE_CHECKPOINTS, NULL,
                     arena_printf(arena, "a checkpoint of %s every %s instead of %s", whose,
                                  text_string(&words), text_string(&today)));
    change_set(&draft, pointer, value);
    text_free(&words);
    text_free(&today);
}

/* Shorter and longer distances than that of `checkpoint`. */
static void add_distances(const Listing *listing, const char *whose, const char *pointer,
                          const Json *checkpoint)
{
    const Json *every = json_member(checkpoint, "every");
    CheckpointEvery now = {.count = 1};
    if (every != NULL && !checkpoint_every_read(every, &now))
        return;
    const int64_t amount = now.count + now.epochs + now.steps + now.ns / NS_PER_S;
    const int64_t less = amount > 1 && amount < FACTOR ? 1 : amount / FACTOR;
    if (less > 0)
        add_distance(listing, whose, pointer, now, less);
    if (amount > 0)
        add_distance(listing, whose, pointer, now, amount * FACTOR);
}

/* The checkpoints of the jobs in lists. */
static bool add_lists(const Listing *listing)
{
    const Json *workloads = json_member(listing->file->root, "workloads");
    bool has_any = false;
    int32_t index = 0;
    for (const Json *item = workloads != NULL ? workloads->first : NULL; item != NULL;
         item = item->next, index++) {
        const Json *checkpoint = json_member(item, "checkpoint");
        if (checkpoint == NULL || json_member(checkpoint, "every") == NULL)
            continue;
        add_distances(listing, json_member(item, "name")->text,
                      arena_printf(listing->arena, "/workloads/%d/checkpoint/every", (int)index),
                      checkpoint);
        has_any = true;
    }
    return has_any;
}

/* Whether jobs of the program continue from its checkpoints, which are not only on notice. */
static bool continues(const Json *program, const Json *checkpoint)
{
    return json_member(program, "duration") != NULL ? json_member(checkpoint, "every") != NULL
                                                    : json_is_true(checkpoint, "resume");
}

void list_checkpoints(const Listing *listing)
{
    const Json *programs = json_member(listing->file->root, "programs");
    bool has_any = add_lists(listing);
    int32_t index = 0;
    for (const Json *item = programs != NULL ? programs->first : NULL; item != NULL;
         item = item->next, index++) {
        const Json *checkpoint = json_member(item, "checkpoint");
        if (checkpoint == NULL || !continues(item, checkpoint))
            continue;
        add_distances(listing, json_member(item, "match")->text,
                      arena_printf(listing->arena, "/programs/%d/checkpoint/every", (int)index),
                      checkpoint);
        has_any = true;
    }
    if (!has_any)
        changes_leave_out(listing->changes, CHANGE_CHECKPOINTS, "",
                          "no program has a checkpoint from which it resumes");
}

/* --- The queue --- */

static void add_words(const Listing *listing, ChangeKind kind, const char *member,
                      const char *const *words, int32_t now)
{
    for (int32_t i = 0; words[i] != NULL; i++) {
        if (i == now)
            continue;
        ChangeDraft draft = change_begin(
            listing, kind, NULL,
            arena_printf(listing->arena, "%s %s instead of %s", member, words[i], words[now]));
        change_set(&draft, arena_printf(listing->arena, "/%s", member),
                   arena_printf(listing->arena, "\"%s\"", words[i]));
    }
}

void list_policies(const Listing *listing)
{
    static const char *const words[] = {
#define X(name, function, text, sight, first, victim, what) text,
        POLICIES(X)
#undef X
            NULL};
    const Scenario *scenario = &listing->file->scenario;
    if (scenario->workload_count == 0 && listing->job_count < 2)
        changes_leave_out(listing->changes, CHANGE_POLICY, "", "one job has no queue");
    else
        add_words(listing, CHANGE_POLICY, "policy", words, (int32_t)scenario->policy);
}

void list_placements(const Listing *listing)
{
    static const char *const words[] = {
#define X(name, function, text, what) text,
        PLACEMENTS(X)
#undef X
            NULL};
    for (int32_t i = 0; i < listing->job_count; i++)
        if (listing->jobs[i].spec->asks_for == REQUEST_GPUS) {
            add_words(listing, CHANGE_PLACEMENT, "placement", words,
                      (int32_t)listing->file->scenario.placement);
            return;
        }
    changes_leave_out(listing->changes, CHANGE_PLACEMENT, "", "all jobs take whole nodes");
}
