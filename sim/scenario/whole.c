#include "sim/scenario/whole.h"

#include <string.h>

/* The command that uploads the file at `at`; NULL: there is none. */
static const Command *upload_at(Arena *arena, const ScenarioFile *file, Place at)
{
    const char *source = place_text(arena, at);
    for (int32_t i = 0; i < file->scenario.command_count; i++) {
        const Command *command = &file->scenario.commands[i];
        if (command->kind == COMMAND_FILE_UPLOAD && strcmp(command->source, source) == 0)
            return command;
    }
    return NULL;
}

/* Replaces the name of a local file by {"bytes": size}. */
static void put_size(Arena *arena, Json *parent, Json *content, const Command *upload)
{
    if (content == NULL || content->kind != JSON_STRING || upload == NULL)
        return;
    Json *size = json_object(arena);
    json_put_integer(arena, size, "bytes", upload->as.file_upload.bytes);
    json_replace(parent, content, size);
}

static void put_sizes(Arena *arena, const ScenarioFile *file, Json *files)
{
    for (Json *content = files != NULL ? files->first : NULL, *next; content != NULL;
         content = next) {
        next = content->next; // it is about to be replaced
        put_size(arena, files, content, upload_at(arena, file, content->key_at));
    }
}

static const Json *first_of(const Json *object, const char *key)
{
    const Json *list = json_member(object, key);
    return list != NULL ? list->first : NULL;
}

/* Everything except the declarations of parameters, whose uses have been replaced. */
static bool is_kept(const char *parent, const char *key)
{
    return parent != NULL || strcmp(key, "parameters") != 0;
}

Json *scenario_whole(Arena *arena, const ScenarioFile *file)
{
    Json *root = json_copy(arena, file->root, is_kept);
    for (const Json *storage = first_of(root, "storage"); storage != NULL; storage = storage->next)
        for (const Json *share = first_of(storage, "shares"); share != NULL; share = share->next)
            put_sizes(arena, file, json_member(share, "files"));
    Json *commands = json_member(root, "commands");
    for (Json *command = commands->first; command != NULL; command = command->next)
        put_size(arena, command, json_member(command, "content"),
                 upload_at(arena, file, command->at));
    return root;
}
