/* Any bytes as the log of a cluster: the first byte chooses the format, and files are separated by
 * a NUL. Ends with a workload file that can be read back, or with messages. */
#include <stdint.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/scenario/joblist/job_list_file.h"
#include "sim/study/import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILES_MAX = 3 };

static void append(void *to, const char *bytes, size_t length)
{
    text_append(to, bytes, length);
}

/* 'a' is the first format of the table; capital letters skip malformed rows. */
static const ImportFormat *format_of(uint8_t letter)
{
    const uint8_t small = letter | 0x20;
    return &import_formats[(small < 'a' ? 0 : small - 'a') % import_format_count];
}

static int32_t cut_files(const char *text, size_t length, ImportFile *files)
{
    int32_t count = 0;
    const char *end = text + length;
    while (count < FILES_MAX) {
        const char *zero = text < end ? memchr(text, '\0', (size_t)(end - text)) : NULL;
        const char *stop = zero != NULL && count + 1 < FILES_MAX ? zero : end;
        files[count++] = (ImportFile){"fuzz", text, (size_t)(stop - text)};
        if (stop == end)
            break;
        text = stop + 1;
    }
    return count;
}

static void check(Arena *arena, const Import *import)
{
    Text text = {0};
    JobList again;
    Problems problems = problems_create(arena);
    job_list_write(&import->selection.list, NULL, (ByteSink){&text, append});
    const bool is_read = job_list_parse(arena, "again", text.data, text.length, &again, &problems);
    invariant(is_read && again.count == import->selection.list.count);
    text_clear(&text);
    import_summary(import, &text);
    json_print(&text, import_sidecar(arena, import), JSON_COMPACT);
    invariant(text.length > 0);
    text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const char *const run_times[] = {"cifar10=30m"};
    const ImportChoices choices = {.columns = "job=a,submit=b,run=c:min,gpus=d,queue=e",
                                   .run_times = {run_times, 1},
                                   .attempts = data[0] % 3,
                                   .cpu_jobs = CPU_JOBS_KEEP,
                                   .only_counts = true,
                                   .skips_malformed = (data[0] & 0x20) == 0};
    Arena *arena = arena_create();
    ImportFile files[FILES_MAX];
    // The bytes of a copy end where they end, so that a sanitizer sees a step too far.
    const char *copy = arena_strndup(arena, (const char *)data + 1, size - 1);
    const ImportRequest request = {format_of(data[0]), files, cut_files(copy, size - 1, files),
                                   &choices};
    Problems problems = problems_create(arena);
    Import import;
    if (import_run(arena, &request, &import, &problems))
        check(arena, &import);
    else
        invariant(problems.count > 0 && problems.items[0].message[0] != '\0');
    import_free(&import);
    arena_destroy(arena);
    return 0;
}
