/* Private to emu/files: operations of directories, and of the handles that SMB clients would have
 * on their entries. */
#include <inttypes.h>
#include <string.h>

#include "emu/files/marker.h"
#include "emu/files/metadata.h"
#include "emu/files/properties.h"

void op_directory_create(FilesCall *call)
{
    const char *metadata;
    Json *properties = json_object(call->arena);
    if (!smb_has_all_headers(call))
        return;
    if (*call->address.path == '\0') {
        FilesEntry share;
        if (call_look(call, FILES_DIRECTORY, &share))
            call_refuse_failure(call, FILES_EXISTS);
        return;
    }
    if (!metadata_take(call, &metadata) || !smb_take(call, properties, (SmbWord){0}))
        return;
    FilesFailure failure =
        files_directory_create(call->files, call->share, call->address.path, metadata);
    const char *said = properties_print(call->arena, properties);
    if (failure == FILES_OK && *said != '\0')
        failure = files_change(call->files, call->share, call->address.path, -1, said, NULL, NULL);
    if (failure != FILES_OK) {
        call_refuse_failure(call, failure);
        return;
    }
    call->response->status = 201;
    smb_answer_path(call, call->address.path);
}

void op_directory_get(FilesCall *call)
{
    FilesEntry directory;
    if (!call_look(call, FILES_DIRECTORY, &directory))
        return;
    smb_answer(call, &directory, files_json_read(call->arena, directory.properties));
    http_set(call->response, "x-ms-server-encrypted", "true");
    if (*call->address.path)
        metadata_answer(call, directory.metadata);
}

void op_directory_delete(FilesCall *call)
{
    FilesEntry directory;
    if (!call_look_to_change(call, &directory) || !smb_is_writable(call, &directory))
        return;
    const FilesFailure failure =
        files_directory_delete(call->files, call->share, call->address.path);
    if (failure != FILES_OK)
        call_refuse_failure(call, failure);
    else
        call->response->status = 202;
}

void op_directory_set(FilesCall *call)
{
    FilesEntry directory;
    if (!smb_has_all_headers(call) || !call_look_to_change(call, &directory))
        return;
    Json *properties = files_json_read(call->arena, directory.properties);
    if (!smb_take(call, properties, (SmbWord){"preserve", &directory}))
        return;
    const FilesFailure failure =
        files_change(call->files, call->share, call->address.path, -1,
                     properties_print(call->arena, properties), NULL, NULL);
    if (failure != FILES_OK)
        call_refuse_failure(call, failure);
    else
        smb_answer_path(call, call->address.path);
}

/* --- Lists --- */

static void write_entry(FilesCall *call, XmlWriter *xml, const FilesEntry *entry)
{
    Arena *arena = call->arena;
    const bool has_times = call_includes(call, "timestamps");
    const bool has_attributes = call_includes(call, "attributes");
    const bool has_key = call_includes(call, "permissionkey");
    const Json *properties =
        has_times || has_attributes || has_key ? files_json_read(arena, entry->properties) : NULL;
    const bool is_file = entry->kind == FILES_FILE;
    xml_open(xml, is_file ? "File" : "Directory");
    call_write_name(call, xml, "Name", entry->name);
    xml_number(xml, "FileId", entry->id);
    xml_open(xml, "Properties");
    if (is_file)
        xml_number(xml, "Content-Length", entry->bytes);
    if (has_times) {
        xml_text(xml, "CreationTime", smb_created(arena, entry, properties));
        xml_text(xml, "LastAccessTime", smb_written(arena, entry, properties));
        xml_text(xml, "LastWriteTime", smb_written(arena, entry, properties));
        xml_text(xml, "ChangeTime", smb_changed(arena, entry, properties));
        xml_text(xml, "Last-Modified", entry_modified(arena, entry));
    }
    if (call_includes(call, "etag"))
        xml_text(xml, "Etag", entry_etag(arena, entry));
    xml_close(xml);
    if (has_attributes)
        xml_text(xml, "Attributes", smb_attributes(arena, entry, properties));
    if (has_key)
        xml_text(xml, "PermissionKey", smb_permission_key(properties));
    xml_close(xml);
}

/* Begins the outermost element of a list of the request's path. */
static XmlWriter *begin_list(FilesCall *call)
{
    XmlWriter *xml = xml_begin(call->arena, "EnumerationResults");
    xml_attribute(xml, "ServiceEndpoint", call_endpoint(call));
    xml_attribute(xml, "ShareName", call->address.share);
    if (call->share.snapshot)
        xml_attribute(xml, "ShareSnapshot", call->share.snapshot);
    const char *encoded = call_encoded_name(call, call->address.path);
    if (encoded)
        xml_attribute(xml, "Encoded", "true");
    xml_attribute(xml, "DirectoryPath", encoded ? encoded : call->address.path);
    return xml;
}

void op_directory_list(FilesCall *call)
{
    int32_t max, count;
    ListPage page;
    FilesEntry directory, *entries;
    bool more;
    if (!call_max_results(call, &max) || !list_page_read(call, &page) ||
        !call_look(call, FILES_DIRECTORY, &directory))
        return;
    const FilesFailure failure =
        files_list(call->files, call->arena, call->share, call->address.path, page.prefix,
                   page.after, max, &entries, &count, &more);
    if (failure != FILES_OK) {
        call_refuse_failure(call, failure);
        return;
    }
    XmlWriter *xml = begin_list(call);
    list_page_write(call, xml, &page);
    xml_number(xml, "DirectoryId", directory.id);
    xml_open(xml, "Entries");
    for (int32_t i = 0; i < count; i++)
        write_entry(call, xml, &entries[i]);
    xml_close(xml);
    xml_text(xml, "NextMarker",
             more && count > 0 ? list_marker(call->arena, page.prefix, entries[count - 1].name)
                               : "");
    call_answer_xml(call, xml);
}

/* --- Handles: only SMB opens them --- */

/* Whether the path exists, as a directory or file. */
static bool look_at_any(FilesCall *call)
{
    FilesEntry entry;
    const FilesFailure failure =
        files_look(call->files, call->arena, call->share, call->address.path, &entry);
    return failure == FILES_OK || call_refuse_failure(call, failure);
}

void op_handles_list(FilesCall *call)
{
    int32_t max;
    if (!call_max_results(call, &max) || !look_at_any(call))
        return;
    XmlWriter *xml = begin_list(call);
    xml_open(xml, "Entries");
    xml_close(xml);
    xml_text(xml, "NextMarker", "");
    call_answer_xml(call, xml);
}

void op_handles_close(FilesCall *call)
{
    const char *handle;
    if (!call_has_header(call, "x-ms-handle-id", &handle) || !look_at_any(call))
        return;
    http_set(call->response, "x-ms-number-of-handles-closed", "0");
    http_set(call->response, "x-ms-number-of-handles-failed", "0");
}
