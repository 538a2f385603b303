#include "sim/study/advice/changes.h"

#include <string.h>

#include "sim/study/advice/listing.h"

const char *change_kind_words(ChangeKind kind)
{
    static const char *const words[] = {
#define X(name, text) text,
        CHANGE_KINDS(X)
#undef X
    };
    return words[kind];
}

/* --- The scenario as lists --- */

static const char *text_of(const Json *object, const char *key)
{
    const Json *member = json_member(object, key);
    return member != NULL && member->kind == JSON_STRING ? member->text : "";
}

/* The next command of the kind with this name at or after `*from`, which becomes the index after
 * it; the world's list has further commands, in the same order. */
static const Command *next_command(const Scenario *scenario, CommandKind kind, const char *name,
                                   int32_t *from)
{
    for (int32_t i = *from; i < scenario->command_count; i++) {
        const Command *command = &scenario->commands[i];
        if (command->kind != kind || strcmp(command->path.name, name) != 0)
            continue;
        *from = i + 1;
        return command;
    }
    return NULL;
}

static const Json *properties_of(const Json *item)
{
    const Json *config = json_member(item, "config");
    return config != NULL ? json_member(config, "properties") : NULL;
}

static int32_t add_workload_jobs(const Scenario *scenario, const Json *root, ListedJob *jobs,
                                 int32_t count)
{
    const Json *list = json_member(root, "workloads");
    for (int32_t i = 0; i < scenario->workload_count; i++) {
        const Workload *workload = &scenario->workloads[i];
        for (int32_t s = 0; s < workload->spec_count; s++)
            jobs[count++] =
                (ListedJob){.command = -1,
                            .name = workload->name,
                            .cluster = workload->cluster.name,
                            .properties = list != NULL ? properties_of(json_item(list, i)) : NULL,
                            .spec = workload->specs[s]};
    }
    return count;
}

static int32_t jobs_at_most(const Scenario *scenario, int32_t commands)
{
    int32_t count = commands;
    for (int32_t i = 0; i < scenario->workload_count; i++)
        count += scenario->workloads[i].spec_count;
    return count;
}

static Listing listing_of(Arena *arena, const ScenarioFile *file, Changes *changes)
{
    const Scenario *scenario = &file->scenario;
    const Json *commands = json_member(file->root, "commands");
    const int32_t most = commands != NULL ? (int32_t)commands->count : 0;
    ListedCluster *clusters = ARENA_ARRAY(arena, ListedCluster, most);
    ListedJob *jobs = ARENA_ARRAY(arena, ListedJob, jobs_at_most(scenario, most));
    Listing listing = {
        .arena = arena, .file = file, .changes = changes, .clusters = clusters, .jobs = jobs};
    int32_t from = 0;
    for (int32_t i = 0; i < most; i++) {
        const Json *item = json_item(commands, i);
        const char *does = text_of(item, "do"), *name = text_of(item, "name");
        const Command *command;
        if (strcmp(does, "cluster.create") == 0 &&
            (command = next_command(scenario, COMMAND_CLUSTER_CREATE, name, &from)) != NULL)
            clusters[listing.cluster_count++] = (ListedCluster){.command = i,
                                                                .name = name,
                                                                .properties = properties_of(item),
                                                                .spec = command->as.cluster_create};
        else if (strcmp(does, "job.create") == 0 &&
                 (command = next_command(scenario, COMMAND_JOB_CREATE, name, &from)) != NULL)
            jobs[listing.job_count++] = (ListedJob){.command = i,
                                                    .name = name,
                                                    .cluster = command->as.job_create.cluster.name,
                                                    .properties = properties_of(item),
                                                    .spec = command->as.job_create.spec};
    }
    listing.job_count = add_workload_jobs(scenario, file->root, jobs, listing.job_count);
    return listing;
}

/* --- Changes --- */

enum { SETTINGS_MAX = 64 };

ChangeDraft change_begin(const Listing *listing, ChangeKind kind, const ListedCluster *cluster,
                         const char *name)
{
    Changes *changes = listing->changes;
    if (changes->count == CHANGES_MAX)
        return (ChangeDraft){0};
    if (cluster != NULL && listing->cluster_count > 1)
        name = arena_printf(listing->arena, "%s: %s", cluster->name, name);
    Change *change = &changes->items[changes->count++];
    Setting *settings = ARENA_ARRAY(listing->arena, Setting, SETTINGS_MAX);
    *change = (Change){.kind = kind, .name = name, .settings = settings};
    return (ChangeDraft){.change = change, .settings = settings};
}

void change_set(ChangeDraft *draft, const char *pointer, const char *value)
{
    if (draft->change == NULL || draft->change->setting_count == SETTINGS_MAX)
        return;
    draft->settings[draft->change->setting_count++] =
        (Setting){.target = pointer, .value = value, .at = place_in("advise", 0, 0)};
}

const char *config_pointer(Arena *arena, int32_t command, const char *key)
{
    return arena_printf(arena, "/commands/%d/config/properties/%s", (int)command, key);
}

void changes_leave_out(Changes *changes, ChangeKind kind, const char *name, const char *reason)
{
    if (changes->left_out_count < CHANGES_MAX)
        changes->left_out[changes->left_out_count++] =
            (ChangeLeftOut){.kind = kind, .name = name, .reason = reason};
}

Changes *changes_of(Arena *arena, const ScenarioFile *scenario)
{
    Changes *changes = ARENA_NEW(arena, Changes);
    const Listing listing = listing_of(arena, scenario, changes);
    void (*const lists[CHANGE_KIND_COUNT])(const Listing *) = {
        [CHANGE_NODES] = list_nodes,
        [CHANGE_VM_SIZE] = list_vm_sizes,
        [CHANGE_PRIORITY] = list_priorities,
        [CHANGE_SCALING] = list_scalings,
        [CHANGE_CHECKPOINTS] = list_checkpoints,
        [CHANGE_POLICY] = list_policies,
        [CHANGE_PLACEMENT] = list_placements};
    for (int32_t kind = 0; kind < CHANGE_KIND_COUNT; kind++)
        lists[kind](&listing);
    return changes;
}
