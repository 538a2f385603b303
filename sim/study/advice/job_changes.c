/* Changes of jobs and their queue: checkpoints, policies, placements. Private to
 * sim/study/advice. */
#include <inttypes.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/base/units.h"
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

enum { FACTOR = 3 };

/* Other times between checkpoints of `whose` jobs, at the JSON pointer. Returns whether
 * `checkpoint` states a time. */
static bool add_times(const Listing *listing, const char *whose, const char *pointer,
                      const Json *checkpoint)
{
    const Json *every = checkpoint != NULL ? json_member(checkpoint, "every") : NULL;
    int64_t now_ns = 0;
    Status unused = {0};
    if (every == NULL || every->kind != JSON_STRING ||
        !duration_parse(every->text, json_at(every), &now_ns, &unused))
        return false;
    const int64_t times_s[] = {now_ns / NS_PER_S / FACTOR, now_ns / NS_PER_S * FACTOR};
    for (size_t i = 0; i < sizeof times_s / sizeof times_s[0]; i++) {
        Text words = {0};
        if (times_s[i] == 0)
            continue;
        duration_print(&words, times_s[i] * NS_PER_S);
        ChangeDraft draft =
            change_begin(listing, CHANGE_CHECKPOINTS, NULL,
                         arena_printf(listing->arena, "a checkpoint of %s every %s instead of %s",
                                      whose, text_string(&words), every->text));
        change_set(&draft, pointer, arena_printf(listing->arena, "\"%" PRId64 "s\"", times_s[i]));
        text_free(&words);
    }
    return true;
}

/* The checkpoints of the jobs in lists. */
static bool add_lists(const Listing *listing)
{
    const Json *workloads = json_member(listing->file->root, "workloads");
    bool has_any = false;
    int32_t index = 0;
    for (const Json *item = workloads != NULL ? workloads->first : NULL; item != NULL;
         item = item->next, index++) {
        const Json *name = json_member(item, "name");
        has_any |=
            add_times(listing, name->text,
                      arena_printf(listing->arena, "/workloads/%d/checkpoint/every", (int)index),
                      json_member(item, "checkpoint"));
    }
    return has_any;
}

void list_checkpoints(const Listing *listing)
{
    const Json *programs = json_member(listing->file->root, "programs");
    bool has_any = add_lists(listing);
    int32_t index = 0;
    for (const Json *item = programs != NULL ? programs->first : NULL; item != NULL;
         item = item->next, index++) {
        const Json *checkpoint = json_member(item, "checkpoint");
        const Json *resume = checkpoint != NULL ? json_member(checkpoint, "resume") : NULL;
        const Json *every = checkpoint != NULL ? json_member(checkpoint, "every") : NULL;
        const Json *match = json_member(item, "match");
        if (json_member(item, "duration") != NULL)
            has_any |=
                add_times(listing, match->text,
                          arena_printf(listing->arena, "/programs/%d/checkpoint/every", (int)index),
                          checkpoint);
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
