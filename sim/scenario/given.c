#include "sim/scenario/given.h"

#include <string.h>

#include "sim/base/array.h"
#include "sim/base/checksum.h"

struct FileRecorder {
    Arena *arena;
    FileSource from;
    const char *scenario; /* its path */
    const char *ignored;
    GivenPair *files;
    uint32_t count, capacity;
};

/* --- Files --- */

/* The name of a file that does not depend on the working directory. */
static const char *name_of(const FileRecorder *recorder, const char *path)
{
    const size_t folder = path_folder_length(recorder->scenario);
    const bool is_below = strncmp(path, recorder->scenario, folder) == 0 &&
                          strncmp(path + folder, "../", 3) != 0 && path[folder] != '/';
    if (is_below)
        return path + folder;
    const size_t own = path_folder_length(path);
    if (own == 0)
        return path;
    const char *above = arena_strndup(recorder->arena, path, own - 1);
    return path + path_folder_length(above);
}

static bool has(const FileRecorder *recorder, const char *name, const char *hash)
{
    for (uint32_t i = 0; i < recorder->count; i++)
        if (strcmp(recorder->files[i].name, name) == 0 &&
            (hash == NULL || strcmp(recorder->files[i].value, hash) == 0))
            return true;
    return false;
}

/* Two files of one name have the names NAME and NAME#2. */
static void record(FileRecorder *recorder, const char *path, const char *text, size_t length)
{
    Arena *arena = recorder->arena;
    const char *hash = arena_printf(arena, "%016" PRIx64, checksum(text, length));
    const char *first = arena_strdup(arena, name_of(recorder, path)), *name = first;
    for (int number = 2; has(recorder, name, NULL); number++) {
        if (has(recorder, name, hash))
            return;
        name = arena_printf(arena, "%s#%d", first, number);
    }
    recorder->files = array_room(arena, recorder->files, recorder->count + 1, &recorder->capacity,
                                 sizeof *recorder->files);
    recorder->files[recorder->count++] = (GivenPair){name, hash};
}

static bool read_recorded(void *context, Arena *arena, const char *path, const char **text,
                          size_t *length, Status *status)
{
    FileRecorder *recorder = context;
    if (!recorder->from.read(recorder->from.context, arena, path, text, length, status))
        return false;
    if (recorder->ignored == NULL || strcmp(path, recorder->ignored) != 0)
        record(recorder, path, *text, *length);
    return true;
}

static bool size_recorded(void *context, const char *path, int64_t *bytes, Status *status)
{
    const FileRecorder *recorder = context;
    return recorder->from.size(recorder->from.context, path, bytes, status);
}

static const char *nearest_recorded(void *context, Arena *arena, const char *path)
{
    const FileRecorder *recorder = context;
    return recorder->from.nearest != NULL
               ? recorder->from.nearest(recorder->from.context, arena, path)
               : NULL;
}

FileRecorder *file_recorder_create(Arena *arena, FileSource from, const char *path,
                                   const char *ignored)
{
    FileRecorder *recorder = ARENA_NEW(arena, FileRecorder);
    *recorder = (FileRecorder){.arena = arena, .from = from, .scenario = path, .ignored = ignored};
    return recorder;
}

FileSource file_recorder_source(FileRecorder *recorder)
{
    return (FileSource){.context = recorder,
                        .read = read_recorded,
                        .size = size_recorded,
                        .nearest = nearest_recorded};
}

/* --- All inputs --- */

RunGiven scenario_given(Arena *arena, const FileRecorder *recorder,
                        const ScenarioOverrides *overrides, const Parameters *parameters)
{
    const uint32_t set_count = (uint32_t)overrides->count;
    const uint32_t parameter_count = (uint32_t)parameters_count(parameters);
    RunGiven given = {.failures = overrides->failures_scale};
    given.sets = ARENA_ARRAY(arena, const char *, set_count);
    for (uint32_t i = 0; i < set_count; i++)
        given.sets[given.set_count++] = overrides->items[i];
    given.parameters = ARENA_ARRAY(arena, GivenPair, parameter_count);
    for (uint32_t i = 0; i < parameter_count; i++) {
        const Parameter *parameter = &parameters_items(parameters)[i];
        given.parameters[given.parameter_count++] = (GivenPair){parameter->name, parameter->text};
    }
    given.files = recorder->files;
    given.file_count = recorder->count;
    // The replay of a real run has no folder of data, and must have the same inputs.
    if (overrides->samples.train > 0 && !overrides->trains_for_real)
        given.samples = arena_printf(arena, "%" PRId64 " %" PRId64, overrides->samples.train,
                                     overrides->samples.test);
    return given;
}
