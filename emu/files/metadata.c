#include "emu/files/metadata.h"

#include <string.h>
#include <unistr.h>

#include "emu/files/properties.h"
#include "sim/base/ascii.h"

#define METADATA "x-ms-meta-"
enum { METADATA_BYTES_MAX = 8 << 10, METADATA_PAIRS_MAX = 64 };

static bool is_utf8(const char *text)
{
    return u8_check((const uint8_t *)text, strlen(text)) == NULL;
}

/* Whether `name` is a C# identifier, as the service requires, in ASCII: it becomes a header and an
 * XML element. */
static bool is_metadata_name(const char *name)
{
    static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    static const char digits[] = "0123456789";
    if (!strchr(first, *name))
        return false;
    for (; *name; name++)
        if (!strchr(first, *name) && !strchr(digits, *name))
            return false;
    return true;
}

bool metadata_take(FilesCall *call, const char **metadata)
{
    Json *object = json_object(call->arena);
    size_t bytes = 0;
    for (int32_t i = 0; i < call->request->header_count; i++) {
        const HttpField *field = &call->request->headers[i];
        if (!ascii_same_start(field->name, METADATA, strlen(METADATA)))
            continue;
        const char *name = field->name + strlen(METADATA);
        bytes += strlen(name) + strlen(field->value);
        if (*name == '\0')
            return call_refuse(call, AZURE_FILES_EMPTY_KEY);
        if (!is_metadata_name(name) || !is_utf8(field->value) ||
            field->value[strcspn(field->value, "\r\n")] != '\0')
            return call_refuse_for(call, AZURE_FILES_INVALID_METADATA, "(%s)", field->name);
        if (json_member(object, name))
            return call_refuse_for(call, AZURE_FILES_INVALID_METADATA, "(%s twice)", field->name);
        if (bytes > METADATA_BYTES_MAX || object->count == METADATA_PAIRS_MAX)
            return call_refuse(call, AZURE_FILES_METADATA_TOO_LARGE);
        files_json_put(call->arena, object, name, field->value);
    }
    *metadata = files_json_print(call->arena, object);
    return true;
}

void metadata_answer(FilesCall *call, const char *metadata)
{
    const Json *object = files_json_read(call->arena, metadata);
    for (const Json *pair = object->first; pair; pair = pair->next)
        http_set(call->response, arena_printf(call->arena, METADATA "%s", pair->key), pair->text);
}

void metadata_write(XmlWriter *xml, Arena *arena, const char *metadata)
{
    const Json *object = files_json_read(arena, metadata);
    xml_open(xml, "Metadata");
    for (const Json *pair = object->first; pair; pair = pair->next)
        xml_text(xml, pair->key, pair->text);
    xml_close(xml);
}

/* --- Operations, of shares, directories and files --- */

void op_entry_get_metadata(FilesCall *call)
{
    FilesEntry entry;
    if (!call_look_to_read(call, &entry))
        return;
    call_stamp(call, &entry);
    if (entry.kind == call->kind) // the root directory has no metadata
        metadata_answer(call, entry.metadata);
}

void op_entry_set_metadata(FilesCall *call)
{
    FilesEntry entry;
    const char *metadata;
    if (!call_look_to_change(call, &entry) || !metadata_take(call, &metadata))
        return;
    const bool is_share = call->kind == FILES_SHARE;
    const FilesFailure failure =
        files_change(call->files, call->share, call->address.path, -1,
                     is_share ? NULL : smb_changed_now(call->arena, &entry), metadata, NULL);
    if (failure != FILES_OK) {
        call_refuse_failure(call, failure);
        return;
    }
    call_stamp_path(call, call->address.path);
    if (!is_share)
        http_set(call->response, "x-ms-request-server-encrypted", "true");
}
