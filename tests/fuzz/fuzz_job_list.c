/* Any bytes as a workload file: a list, or messages with places. A list can be written and read
 * back unchanged. */
#include <stdint.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/text.h"
#include "sim/scenario/joblist/job_list_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void append(void *to, const char *bytes, size_t length)
{
    text_append(to, bytes, length);
}

static void print(const JobList *list, Text *out)
{
    job_list_write(list, NULL, (ByteSink){out, append});
}

static void check_list(const JobList *list)
{
    for (int64_t i = 0; i < list->count; i++) {
        invariant(list->submit_ns[i] >= 0 && list->run_ns[i] >= 0 && list->gpus[i] >= 0);
        invariant(i == 0 || list->submit_ns[i] >= list->submit_ns[i - 1]);
        invariant(list->after_job == NULL || list->after_job[i] < i);
        invariant(list->queue == NULL || list->queue[i] < list->queues.count);
    }
}

static void check_rewritten(Arena *arena, const JobList *list)
{
    Text first = {0}, second = {0};
    Problems problems = problems_create(arena);
    JobList again;
    print(list, &first);
    invariant(job_list_parse(arena, "again", first.data, first.length, &again, &problems));
    print(&again, &second);
    invariant(first.length == second.length && memcmp(first.data, second.data, first.length) == 0);
    text_free(&first);
    text_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    JobList list;
    if (job_list_parse(arena, "fuzz", (const char *)data, size, &list, &problems)) {
        check_list(&list);
        check_rewritten(arena, &list);
    } else {
        invariant(problems.count > 0 && problems.items[0].message[0] != '\0');
        invariant(problems.items[0].code == STATUS_BAD_INPUT);
    }
    arena_destroy(arena);
    return 0;
}
