/* Changes of jobs and their queue: checkpoints, policies, placements. Private to
 * sim/study/advice. */
#include <inttypes.h>
#include <string.h>

#include "sim/study/advice/listing.h"

/* --- Checkpoints --- */

static void add_interval(const Listing *listing, int32_t program, const char *match, int64_t every,
                         int64_t now)
{
    const char *name = arena_printf(
        listing->arena, "a checkpoint of %s every %" PRId64 " epochs instead of %" PRId64, match,
        every, now);
    ChangeDraft draft = change_begin(listing, CHANGE_CHECKPOINTS, NULL, name);
    change_set(&draft, arena_printf(listing->arena, "/programs/%d/checkpoint/every", (int)program),
               arena_printf(listing->arena, "%" PRId64, every));
}

void list_checkpoints(const Listing *listing)
{
    enum { FACTOR = 3 };
    const Json *programs = json_member(listing->file->root, "programs");
    bool has_any = false;
    int32_t index = 0;
    for (const Json *item = programs != NULL ? programs->first : NULL; item != NULL;
         item = item->next, index++) {
        const Json *checkpoint = json_member(item, "checkpoint");
        const Json *resume = checkpoint != NULL ? json_member(checkpoint, "resume") : NULL;
        const Json *every = checkpoint != NULL ? json_member(checkpoint, "every") : NULL;
        const Json *match = json_member(item, "match");
        if (resume == NULL || resume->kind != JSON_BOOLEAN || !resume->boolean)
            continue;
        const int64_t now = every != NULL && every->is_integer ? every->integer : 1;
        has_any = true;
        if (now > 1)
            add_interval(listing, index, match->text, now < FACTOR ? 1 : now / FACTOR, now);
        add_interval(listing, index, match->text, now * FACTOR, now);
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
#define X(name, function, text, sight, victim, what) text,
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
