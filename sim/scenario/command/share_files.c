#include "sim/scenario/command/share_files.h"

#include <string.h>

#include "sim/base/share_path.h"
#include "sim/schema/explanation.h"

typedef struct {
    const Json *node;
    BoundInteger bytes;
    BoundText text;
} ContentText;

#define OWNER ContentText
static const Field content_fields[] = {
    FIELD_BYTES("bytes", bytes, NULL, "size of a file whose content does not matter"),
    FIELD_TEXT("text", text, NULL, "content of the file"),
    {0},
};
#undef OWNER
static const ObjectType content_type = {"file", "A file that is not on this machine.",
                                        sizeof(ContentText), content_fields};

static void read_own_content(const CommandBinder *binder, const Json *content, Command *command)
{
    Problems *problems = binder->context->problems;
    const ContentText *text = bind_object(binder->context->arena, content, &content_type, problems);
    bool is_refused = text->node == NULL || text->bytes.is_refused || text->text.is_refused;
    if (!is_refused && (text->bytes.node == NULL) == (text->text.node == NULL))
        problems_add(problems, STATUS_BAD_INPUT, content->at,
                     "a file has %s \"bytes\" %s \"text\", expected one of them",
                     text->bytes.node == NULL ? "neither" : "both",
                     text->bytes.node == NULL ? "nor" : "and");
    command->as.file_upload.text = text->text.value;
    command->as.file_upload.bytes =
        text->text.value != NULL ? (int64_t)strlen(text->text.value) : text->bytes.value;
}

/* A file's content: the name of a local file, {"bytes": size} or {"text": "..."}. */
static void read_content(const CommandBinder *binder, const Json *content, Command *command)
{
    Arena *arena = binder->context->arena;
    Problems *problems = binder->context->problems;
    Status status = {0};
    if (content->kind != JSON_STRING) {
        read_own_content(binder, content, command);
        return;
    }
    if (binder->path == NULL) {
        status_hint(problems_add(problems, STATUS_BAD_INPUT, content->at,
                                 "a session cannot upload files of this machine"),
                    "write {\"bytes\": \"1MB\"} or {\"text\": \"...\"}");
        return;
    }
    const char *local = path_beside(arena, binder->path, content->text);
    command->as.file_upload.local_path = local;
    if (!binder->files.size(binder->files.context, local, &command->as.file_upload.bytes, &status))
        status_hint(file_problem(problems, content->at, local, &status),
                    "local files are looked for next to the scenario; {\"bytes\": \"1MB\"} needs "
                    "none");
}

/* Refuses a path that cannot be the path of a file on a share. */
static bool check_file_path(const CommandBinder *binder, const char *path, Place at)
{
    bool is_file =
        share_path_below(path, binder->context->arena) != NULL && path[strlen(path) - 1] != '/';
    if (!is_file)
        problems_add(binder->context->problems, STATUS_BAD_INPUT, at,
                     "\"%s\" is not a path on a share", path);
    return is_file;
}

bool upload_bind(const CommandBinder *binder, const char *share, const char *file,
                 const Json *content, Place at, Command *command)
{
    if (!check_file_path(binder, file, at))
        return false;
    command->kind = COMMAND_FILE_UPLOAD;
    command->path = (ResourcePath){.name = share};
    command->source = place_text(binder->context->arena, at);
    command->as.file_upload.file = file;
    read_content(binder, content, command);
    return true;
}

void share_name_check(const ConfigContext *context, const CommandText *text)
{
    if (text->name.value != NULL)
        config_check_share(context, "share", text->name.value, json_at(text->name.node));
}

bool file_upload_bind(const CommandBinder *binder, const CommandText *text, Command *command)
{
    share_name_check(binder->context, text);
    return text->file.value != NULL && text->content != NULL &&
           upload_bind(binder, text->name.value, text->file.value, text->content,
                       json_at(text->node), command);
}

void file_delete_bind(const CommandBinder *binder, const CommandText *text, Command *command)
{
    share_name_check(binder->context, text);
    command->as.file_delete.file = text->file.value;
    if (text->file.value != NULL)
        check_file_path(binder, text->file.value, json_at(text->file.node));
}
