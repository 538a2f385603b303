#include "sim/study/journal/merge.h"

#include <string.h>

/* Takes the identity of the first folder that has one, and reports folders without journals. */
static bool find_identity(Arena *arena, const char *const *folders, int32_t count,
                          JournalIdentity *identity, Problems *problems)
{
    bool is_found = false, is_right = true;
    for (int32_t i = 0; i < count; i++) {
        JournalIdentity here;
        Status status = {0};
        bool is_here = false;
        if (!journal_folder_identity(arena, folders[i], &here, &is_here, &status)) {
            problems_add_status(problems, &status);
            is_right = false;
        } else if (!is_here) {
            status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in(folders[i], 0, 0),
                                     "contains no journal of runs"),
                        "name the folders that `trainyard sweep -o` wrote");
            is_right = false;
        } else if (!is_found) {
            *identity = here;
            is_found = true;
        }
    }
    return is_right && is_found;
}

/* The names of the folders, and `target` unless it is one of them. */
static const char *const *with_target(Arena *arena, const char *const *folders, int32_t count,
                                      const char *target, int32_t *all_count)
{
    const char **all = ARENA_ARRAY(arena, const char *, count + 1);
    bool is_there = false;
    for (int32_t i = 0; i < count; i++) {
        all[i] = folders[i];
        is_there |= strcmp(folders[i], target) == 0;
    }
    *all_count = count;
    if (!is_there)
        all[(*all_count)++] = target;
    return all;
}

/* Appends the runs of `all` that `present` lacks; both are ordered. */
static bool append_missing(Journal *journal, const RunRecords *all, const RunRecords *present,
                           int64_t *added, Status *status)
{
    int64_t next = 0;
    for (int64_t i = 0; i < all->count; i++) {
        const RunRecord *run = &all->items[i];
        const RunRecord *other = next < present->count ? &present->items[next] : NULL;
        if (other && other->point == run->point && other->replication == run->replication) {
            next++;
            continue;
        }
        if (!journal_append(journal, run, status))
            return false;
        ++*added;
    }
    return true;
}

static bool write_target(Arena *arena, const char *target, JournalMerge *merge,
                         const RunRecords *present, Status *status)
{
    Journal *journal = journal_open(arena, target, &merge->identity, 0, 0, status);
    if (!journal)
        return false;
    const bool is_written =
        append_missing(journal, &merge->records, present, &merge->added_count, status);
    Status closing;
    const bool is_closed = journal_close(journal, is_written ? status : &closing);
    return is_written && is_closed;
}

bool journal_merge(Arena *arena, const char *const *folders, int32_t folder_count,
                   const char *target, JournalMerge *merge, Problems *problems)
{
    *merge = (JournalMerge){0};
    int32_t count;
    RunRecords present;
    const char *const *all = with_target(arena, folders, folder_count, target, &count);
    if (!find_identity(arena, folders, folder_count, &merge->identity, problems) ||
        !journal_scan_all(arena, all, count, &merge->identity, &merge->records, problems) ||
        !journal_scan(arena, target, &merge->identity, &present, problems))
        return false;
    Status status = {0};
    if (write_target(arena, target, merge, &present, &status))
        return true;
    problems_add_status(problems, &status);
    return false;
}
