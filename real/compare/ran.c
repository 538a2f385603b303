#include "real/compare/ran.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/files.h"
#include "sim/json/json.h"

enum { ATTEMPTS_MAX = 1000, FILE_BYTES_MAX = 1 << 20 };

/* --- ranks.json --- */

/* Reads a text; `*text` is NULL if the member is null. */
static bool text_or_null(const Json *root, const char *key, const char **text, Status *status)
{
    const Json *member = json_member(root, key);
    if (member != NULL && member->kind == JSON_NULL) {
        *text = NULL;
        return true;
    }
    if (member == NULL || member->kind != JSON_STRING)
        return status_fail(status, STATUS_BAD_INPUT, json_at(member ? member : root),
                           "\"%s\" %s, expected a text", key,
                           member ? "is of another kind" : "is missing");
    *text = member->text;
    return true;
}

static bool text_member(const Json *root, const char *key, const char **text, Status *status)
{
    return text_or_null(root, key, text, status) &&
           (*text != NULL || status_fail(status, STATUS_BAD_INPUT, json_at(json_member(root, key)),
                                         "\"%s\" is null, expected a text", key));
}

static bool count_member(const Json *root, const char *key, int64_t most, int64_t *count,
                         Status *status)
{
    const Json *member = json_member(root, key);
    if (member == NULL || !member->is_integer || member->integer < 0 || member->integer > most)
        return status_fail(status, STATUS_BAD_INPUT, json_at(member ? member : root),
                           "\"%s\" %s, expected a whole number from 0 to %lld", key,
                           member ? "is something else" : "is missing", (long long)most);
    *count = member->integer;
    return true;
}

/* Reads a count, or 0 if the member is null or missing. Old files do not have it. */
static bool samples_member(const Json *root, const char *key, int64_t *count, Status *status)
{
    const Json *member = json_member(root, key);
    *count = 0;
    return member == NULL || member->kind == JSON_NULL ||
           count_member(root, key, INT32_MAX, count, status);
}

static bool attempt_read(const Json *root, RanAttempt *attempt, Status *status)
{
    int64_t ranks = 0, exit_code = 0;
    if (!text_or_null(root, "backend", &attempt->backend, status) ||
        !text_or_null(root, "precision", &attempt->precision, status) ||
        !text_member(root, "network", &attempt->network, status) ||
        !count_member(root, "ranks", TIMELINE_RANKS_MAX, &ranks, status) ||
        !count_member(root, "batch", INT32_MAX, &attempt->batch, status) ||
        !samples_member(root, "train_samples", &attempt->samples.train, status) ||
        !samples_member(root, "test_samples", &attempt->samples.test, status) ||
        !count_member(root, "took_ns", INT64_MAX, &attempt->took_ns, status) ||
        !count_member(root, "exit_code", INT32_MAX, &exit_code, status))
        return false;
    attempt->ranks = (int32_t)ranks;
    attempt->exit_code = (int32_t)exit_code;
    return true;
}

bool ran_attempt_parse(Arena *arena, const char *source, const char *text, size_t length,
                       RanAttempt *attempt, Status *status)
{
    Problems problems = problems_create(arena);
    const Json *root = json_parse(arena, source, text, length, JSON_STRICT, &problems);
    *attempt = (RanAttempt){.source = source};
    if (root == NULL) {
        *status = problems.items[0];
        return false;
    }
    return attempt_read(root, attempt, status);
}

/* --- Folders --- */

/* Timelines may be missing, because killed ranks write none. */
static bool timelines_read(Arena *arena, const char *folder, RanAttempt *attempt, Status *status)
{
    TimelineFile *files;
    int32_t count;
    const bool is_there = access(arena_printf(arena, "%s/timeline.rank0.tsv", folder), F_OK) == 0;
    if (!is_there && attempt->exit_code != 0)
        return true;
    if (!timeline_read_folder(folder, arena, &files, &count, status))
        return false;
    if (count != attempt->ranks)
        return status_fail(status, STATUS_BAD_INPUT, place_in(attempt->source, 0, 0),
                           "has %d ranks, but the timelines in the same folder have %d",
                           (int)attempt->ranks, (int)count);
    attempt->files = files;
    return true;
}

/* Reads ranks.json, without the timelines. */
static bool facts_read(Arena *arena, const char *folder, RanAttempt *attempt, Status *status)
{
    const char *source = arena_printf(arena, "%s/ranks.json", folder);
    char *text;
    size_t length;
    return file_read(arena, source, FILE_BYTES_MAX, &text, &length, status) &&
           ran_attempt_parse(arena, source, text, length, attempt, status);
}

static bool attempt_of_folder(Arena *arena, const char *folder, RanAttempt *attempt, Status *status)
{
    return facts_read(arena, folder, attempt, status) &&
           timelines_read(arena, folder, attempt, status);
}

/* Reads the last step at which a fault happened to the job. */
static bool reached_read(Arena *arena, const char *folder, const char *job, int64_t *reached,
                         Status *status)
{
    const char *source = arena_printf(arena, "%s/ran.json", folder);
    Problems problems = problems_create(arena);
    char *text;
    size_t length;
    *reached = -1;
    if (access(source, F_OK) != 0)
        return true;
    if (!file_read(arena, source, FILE_BYTES_MAX, &text, &length, status))
        return false;
    const Json *root = json_parse(arena, source, text, length, JSON_STRICT, &problems);
    if (root == NULL) {
        *status = problems.items[0];
        return false;
    }
    for (const Json *entry = root->first; entry; entry = entry->next) {
        const Json *what = json_member(entry, "do"), *name = json_member(entry, "name");
        const Json *step = json_member(entry, "step");
        if (json_member(entry, "kept") ||
            json_member(entry, "kept_steps")) // a checkpoint, not a fault
            continue;
        if (what && what->kind == JSON_STRING && strcmp(what->text, "job.reached") == 0 && name &&
            name->kind == JSON_STRING && strcmp(name->text, job) == 0 && step && step->is_integer &&
            step->integer > *reached)
            *reached = step->integer;
    }
    return true;
}

bool ran_job_read(Arena *arena, const char *folder, const char *job, RanJob *ran, Status *status)
{
    RanAttempt *attempts = ARENA_ARRAY(arena, RanAttempt, ATTEMPTS_MAX);
    *ran = (RanJob){.attempts = attempts};
    if (!reached_read(arena, folder, job, &ran->reached_step, status))
        return false;
    const char *job_folder = arena_printf(arena, "%s/real/%s", folder, job);
    for (; ran->attempt_count < ATTEMPTS_MAX; ran->attempt_count++) {
        const char *path = arena_printf(arena, "%s/attempt-%d", job_folder, ran->attempt_count + 1);
        if (access(path, F_OK) != 0)
            break;
        if (!attempt_of_folder(arena, path, &attempts[ran->attempt_count], status))
            return false;
    }
    if (ran->attempt_count > 0)
        return true;
    status_fail(status, STATUS_BAD_INPUT, place_in(job_folder, 0, 0),
                "there is no attempt-1 of job \"%s\"", job);
    return status_hint(status,
                       "\"trainyard run SCENARIO --real cpu -o DIR\" creates such a folder");
}

/* Leaves of `common` what `attempt` has, too. */
static void common_narrow(RanCommon *common, const RanAttempt *attempt)
{
    if (attempt->samples.train != common->samples.train ||
        attempt->samples.test != common->samples.test)
        common->samples = (DataSamples){0};
    if (common->backend != NULL &&
        (attempt->backend == NULL || strcmp(attempt->backend, common->backend) != 0))
        common->backend = NULL;
}

bool ran_common_read(Arena *arena, const char *folder, RanCommon *common, Status *status)
{
    const char *jobs = arena_printf(arena, "%s/real", folder);
    DIR *listing = opendir(jobs);
    bool is_good = true, is_first = true;
    *common = (RanCommon){0};
    if (listing == NULL)
        return true; // ran_job_read reports a missing job
    for (const struct dirent *entry; is_good && (entry = readdir(listing)) != NULL;) {
        const char *path = arena_printf(arena, "%s/%s/attempt-1", jobs, entry->d_name);
        RanAttempt attempt;
        if (entry->d_name[0] == '.' || access(path, F_OK) != 0)
            continue;
        is_good = facts_read(arena, path, &attempt, status);
        if (is_good && is_first)
            *common = (RanCommon){attempt.samples, attempt.backend};
        else if (is_good)
            common_narrow(common, &attempt);
        is_first = false;
    }
    closedir(listing);
    return is_good;
}
