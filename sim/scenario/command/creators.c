#include "sim/scenario/command/creators.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/text.h"
#include "sim/scenario/command/check.h"
#include "sim/scenario/command/trigger_read.h"
#include "sim/scenario/command/workload_read.h"
#include "sim/schema/explanation.h"

/* --- Tables by kind and path, or by kind and name alone --- */

/* The key of a resource. It has small letters, because the service ignores case. */
static Text key_of(CommandKind kind, ResourcePath path)
{
    Text key = {0};
    text_printf(&key, "%d %s/%s/%s/%s", (int)kind, path.group != NULL ? path.group : "",
                path.workspace != NULL ? path.workspace : "",
                path.experiment != NULL ? path.experiment : "", path.name);
    for (char *letter = key.data; *letter != '\0'; letter++)
        *letter = ascii_lower(*letter);
    return key;
}

/* Returns the index that `table` has for a resource, or NOT_CREATED. */
static uint32_t find(const NameTable *table, CommandKind kind, ResourcePath path)
{
    uint32_t index = NOT_CREATED;
    Text key = key_of(kind, path);
    name_table_find(table, key.data, &index);
    text_free(&key);
    return index;
}

/* Sets the index, or with NOT_CREATED removes it. */
static void set(NameTable *table, CommandKind kind, ResourcePath path, uint32_t index)
{
    Text key = key_of(kind, path);
    if (index == NOT_CREATED)
        name_table_remove(table, key.data);
    else
        name_table_set(table, key.data, index);
    text_free(&key);
}

/* --- By path --- */

/* Whether a command with refused values may create a resource called `name` (NULL: any name). */
static bool may_be_created(const CommandBinder *binder, CommandKind kind, const char *name)
{
    for (int32_t i = 0; i < binder->text->commands.count; i++) {
        const CommandText *command = scenario_command(binder->text, i);
        bool is_kind = command->action.is_refused || command_is(command, kind);
        bool is_nameless = command->name.is_refused || command->name.value[0] == '\0';
        bool is_name = name == NULL || is_nameless || strcmp(command->name.value, name) == 0;
        if ((!command_is_placed(command) || is_nameless) && is_kind && is_name)
            return true;
    }
    return binder->text->commands.is_refused;
}

void creator_note(const CommandBinder *binder, CommandKind kind, ResourcePath path, uint32_t index)
{
    set(binder->creators, kind, path, index);
}

void creator_renumber(const CommandBinder *binder, CommandKind kind, ResourcePath path,
                      uint32_t index, uint32_t now)
{
    if (creator_find(binder, kind, path) == index) // otherwise a newer resource has the name
        set(binder->creators, kind, path, now);
}

uint32_t creator_find(const CommandBinder *binder, CommandKind kind, ResourcePath path)
{
    return find(binder->creators, kind, path);
}

ClusterConfig *cluster_made(const CommandBinder *binder, ResourcePath path)
{
    uint32_t index = creator_find(binder, COMMAND_CLUSTER_CREATE, path);
    if (index == NOT_CREATED)
        return NULL;
    uint32_t in_file = (uint32_t)binder->text->commands.count;
    return index < in_file ? binder->clusters[index] : binder->later[index - in_file].cluster;
}

void creator_unknown(const CommandBinder *binder, CommandKind kind, const char *name, Place at)
{
    enum { LATER_NAMES_MAX = 100 }; // the last names of a long session are enough for a hint
    if (may_be_created(binder, kind, name) ||
        (kind == COMMAND_JOB_CREATE && workload_makes(binder->text, name)))
        return;
    const ScenarioText *text = binder->text;
    const char **names =
        ARENA_ARRAY(binder->context->arena, const char *, text->commands.count + LATER_NAMES_MAX);
    int32_t count = 0;
    for (int32_t i = 0; i < text->commands.count; i++)
        if (command_is(scenario_command(text, i), kind) &&
            scenario_command(text, i)->name.value != NULL)
            names[count++] = scenario_command(text, i)->name.value;
    uint32_t first =
        binder->later_count > LATER_NAMES_MAX ? binder->later_count - LATER_NAMES_MAX : 0;
    for (uint32_t i = first; i < binder->later_count; i++)
        if (binder->later[i].kind == kind)
            names[count++] = binder->later[i].path.name;
    bind_unknown_name(binder->context->problems, at, resource_noun(kind), name, names, count);
}

const ClusterConfig *cluster_known(const CommandBinder *binder, ResourcePath path, Place at)
{
    const ClusterConfig *cluster = cluster_made(binder, path);
    if (cluster != NULL)
        return cluster;
    creator_unknown(binder, COMMAND_CLUSTER_CREATE, path.name, at);
    return cluster_config_unread(binder->context->arena, "(unknown)");
}

/* --- By name --- */

/* "workspace/name" or "workspace/experiment/name" of a resource in a workspace. */
static const char *name_in_full(const CommandBinder *binder, ResourcePath path)
{
    return path.experiment != NULL
               ? arena_printf(binder->context->arena, "%s/%s/%s", path.workspace, path.experiment,
                              path.name)
               : arena_printf(binder->context->arena, "%s/%s", path.workspace, path.name);
}

/* Whether `name` means the resource at `path`: its name, or its name in full. */
static bool is_called(const CommandBinder *binder, ResourcePath path, const char *name)
{
    if (strchr(name, '/') == NULL)
        return ascii_same(path.name, name);
    return path.workspace != NULL && ascii_same(name_in_full(binder, path), name);
}

static void note_subject(const CommandBinder *binder, CommandKind kind, const char *name,
                         uint32_t index)
{
    const ResourcePath alone = {.name = name};
    if (find(binder->subjects, kind, alone) == NOT_CREATED)
        set(binder->subjects, kind, alone, index);
}

void subject_note(const CommandBinder *binder, CommandKind kind, ResourcePath path, uint32_t index)
{
    if (kind != COMMAND_CLUSTER_CREATE && kind != COMMAND_JOB_CREATE)
        return;
    note_subject(binder, kind, path.name, index);
    if (path.workspace != NULL)
        note_subject(binder, kind, name_in_full(binder, path), index);
}

/* Finds the newest resource called `name` that a command of the session has made. `is_leaving`:
 * among the deleted resources, otherwise among the others. False when there is no such resource. */
static bool later_subject(const CommandBinder *binder, CommandKind kind, const char *name,
                          bool is_leaving, ResourcePath *path)
{
    for (uint32_t i = binder->later_count; i-- > 0;) {
        const LaterResource *made = &binder->later[i];
        if (made->kind != kind || made->is_leaving != is_leaving ||
            !is_called(binder, made->path, name))
            continue;
        *path = made->path;
        return true;
    }
    return false;
}

static bool subject_in_file(const CommandBinder *binder, CommandKind kind, const char *name,
                            ResourcePath *path)
{
    const ScenarioText *text = binder->text;
    const uint32_t index = find(binder->subjects, kind, (ResourcePath){.name = name});
    if (index == NOT_CREATED)
        return kind == COMMAND_JOB_CREATE && workload_job_path(text, name, path);
    *path = command_path(text, scenario_command(text, (int32_t)index));
    return true;
}

static bool find_subject(const CommandBinder *binder, CommandKind kind, const char *name,
                         ResourcePath *path)
{
    return later_subject(binder, kind, name, false, path) ||
           subject_in_file(binder, kind, name, path) ||
           later_subject(binder, kind, name, true, path);
}

bool command_subject(const CommandBinder *binder, CommandKind kind, const char *name, Place at,
                     ResourcePath *path)
{
    if (strchr(name, '/') == NULL && find_subject(binder, kind, name, path))
        return true;
    creator_unknown(binder, kind, name, at);
    return false;
}

bool command_subject_in_full(const CommandBinder *binder, CommandKind kind, const char *name,
                             Place at, ResourcePath *path)
{
    return find_subject(binder, kind, name, path) || command_subject(binder, kind, name, at, path);
}

/* --- Commands that wait for each other --- */

/* The cluster or job of the command's "after" has the name alone, and `*kind` creates it. NULL: the
 * command has no "after", or one that was refused. */
static const char *awaited_name(Arena *scratch, const CommandText *command, CommandKind *kind)
{
    Trigger trigger;
    Status ignored = {0};
    if (command->after.value == NULL ||
        !trigger_read(scratch, command->after.value, json_at(command->after.node), &trigger,
                      &ignored))
        return NULL;
    *kind = moment_made_by(trigger.moment);
    return trigger.subject;
}

/* Fills in, for each command, the command that creates what it waits for. NOT_CREATED: there is
 * none, or there are several. */
static void find_awaited(Arena *scratch, const ScenarioText *text, uint32_t *awaited)
{
    NameTable *creators = name_table_create(scratch);
    const uint32_t count = (uint32_t)text->commands.count;
    for (uint32_t i = 0; i < count; i++) {
        const CommandText *command = scenario_command(text, (int32_t)i);
        const ResourcePath alone = {.name = command->name.value};
        const CommandKind kind = (CommandKind)command->action.value;
        if (!command_is_placed(command))
            continue;
        const bool is_first = find(creators, kind, alone) == NOT_CREATED;
        set(creators, kind, alone, is_first ? i : IMPLIED);
    }
    for (uint32_t i = 0; i < count; i++) {
        CommandKind kind;
        const char *name = awaited_name(scratch, scenario_command(text, (int32_t)i), &kind);
        awaited[i] =
            name != NULL ? find(creators, kind, (ResourcePath){.name = name}) : NOT_CREATED;
        if (awaited[i] >= count)
            awaited[i] = NOT_CREATED;
    }
}

static void warn_of_circle(const CommandBinder *binder, const uint32_t *awaited, uint32_t first)
{
    const CommandText *command = scenario_command(binder->text, (int32_t)first);
    Text circle = {0};
    uint32_t i = first;
    do {
        const CommandText *next = scenario_command(binder->text, (int32_t)i);
        text_printf(&circle, "%s%s %s waits for %s", i == first ? "" : ", ",
                    command_name((CommandKind)next->action.value), next->name.value,
                    next->after.value);
        i = awaited[i];
    } while (i != first);
    status_hint(problems_add(binder->context->warnings, STATUS_BAD_INPUT,
                             json_at(command->after.node),
                             "these commands wait for each other, so none of them happens: %s",
                             text_string(&circle)),
                "let one of them begin \"at\" a time");
    text_free(&circle);
}

void creators_warn_of_circles(const CommandBinder *binder)
{
    Arena *scratch = arena_create();
    const uint32_t count = (uint32_t)binder->text->commands.count;
    uint32_t *awaited = ARENA_ARRAY(scratch, uint32_t, count);
    uint32_t *walk = ARENA_ARRAY(scratch, uint32_t, count); // that came there first, from 1
    find_awaited(scratch, binder->text, awaited);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        while (at != NOT_CREATED && walk[at] == 0) {
            walk[at] = i + 1;
            at = awaited[at];
        }
        if (at != NOT_CREATED && walk[at] == i + 1)
            warn_of_circle(binder, awaited, at);
    }
    arena_destroy(scratch);
}
