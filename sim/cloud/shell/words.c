#include "sim/cloud/shell/words.h"

#include <stdio.h>
#include <string.h>

static EnvironmentVariable *find(const ShellRun *run, const char *name)
{
    for (int32_t i = 0; i < run->variable_count; i++)
        if (strcmp(run->variables[i].name, name) == 0)
            return &run->variables[i];
    return NULL;
}

/* "" when it is not set */
static const char *shell_variable(const ShellRun *run, const char *name)
{
    const EnvironmentVariable *variable = find(run, name);
    return variable == NULL ? "" : environment_value(variable);
}

void shell_set_variable(ShellRun *run, const char *name, const char *value)
{
    Arena *arena = run->settings->arena;
    EnvironmentVariable *variable = find(run, name);
    if (variable == NULL) {
        if (run->variable_count == run->variable_capacity) {
            run->variable_capacity = 2 * run->variable_capacity + 8;
            EnvironmentVariable *more =
                ARENA_ARRAY(arena, EnvironmentVariable, run->variable_capacity);
            if (run->variable_count > 0)
                memcpy(more, run->variables, (size_t)run->variable_count * sizeof *more);
            run->variables = more;
        }
        variable = &run->variables[run->variable_count++];
        variable->name = name;
    }
    variable->value = arena_strdup(arena, value);
}

/* The text of a part; `room` is a buffer for the exit status. */
static const char *value_of(const ShellRun *run, const ShellPart *part, char room[16])
{
    switch (part->kind) {
    case SHELL_PART_TEXT:
        break;
    case SHELL_PART_VARIABLE:
        return shell_variable(run, part->text);
    case SHELL_PART_STATUS:
        snprintf(room, 16, "%d", (int)run->exit_code);
        return room;
    }
    return part->text;
}

const char *shell_join(const ShellRun *run, const ShellWord *word, Arena *arena)
{
    char room[16];
    Text text = {0};
    for (int32_t i = 0; i < word->part_count; i++)
        text_add(&text, value_of(run, &word->parts[i], room));
    const char *joined = arena_strndup(arena, text_string(&text), text.length);
    text_free(&text);
    return joined;
}

/* The words split so far. */
typedef struct {
    Arena *arena;
    Text text;
    bool has_text; /* a word has begun; it may be empty */
    int32_t count, capacity;
    const char **items;
} Cutter;

static void end_word(Cutter *cutter)
{
    if (!cutter->has_text)
        return;
    if (cutter->count == cutter->capacity) {
        cutter->capacity = 2 * cutter->capacity + 8;
        const char **more = ARENA_ARRAY(cutter->arena, const char *, cutter->capacity);
        if (cutter->count > 0)
            memcpy(more, cutter->items, (size_t)cutter->count * sizeof *more);
        cutter->items = more;
    }
    cutter->items[cutter->count++] =
        arena_strndup(cutter->arena, text_string(&cutter->text), cutter->text.length);
    text_clear(&cutter->text);
    cutter->has_text = false;
}

static void cut(Cutter *cutter, const char *value)
{
    static const char blanks[] = " \t\n"; // IFS, which no supported script changes
    while (*value != '\0') {
        size_t length = strcspn(value, blanks);
        if (length > 0) {
            text_append(&cutter->text, value, length);
            cutter->has_text = true;
        } else {
            end_word(cutter);
            length = strspn(value, blanks);
        }
        value += length;
    }
}

const char **shell_split(const ShellRun *run, const ShellWord *words, int32_t word_count,
                         Arena *arena, int32_t *count)
{
    char room[16];
    Cutter cutter = {.arena = arena};
    for (int32_t w = 0; w < word_count; w++) {
        for (int32_t i = 0; i < words[w].part_count; i++) {
            const ShellPart *part = &words[w].parts[i];
            const char *value = value_of(run, part, room);
            if (part->is_quoted || part->kind == SHELL_PART_TEXT) {
                text_add(&cutter.text, value);
                cutter.has_text = true;
            } else {
                cut(&cutter, value);
            }
        }
        end_word(&cutter);
    }
    text_free(&cutter.text);
    *count = cutter.count;
    return cutter.items;
}
