#include "emu/files/operations.h"

#include <string.h>

#include "emu/files/call.h"
#include "sim/base/ascii.h"

#define GET (1u << HTTP_GET)
#define GETS (GET | 1u << HTTP_HEAD)
#define HEAD (1u << HTTP_HEAD)
#define PUT (1u << HTTP_PUT)
#define POST (1u << HTTP_POST)
#define DELETE (1u << HTTP_DELETE)
#define OPTIONS (1u << HTTP_OPTIONS)

/* X(NAME, METHODS, SCOPE, comp, HEADER, kind and letters of a SAS, WORKS_ON_SNAPSHOTS, HANDLER)
 *
 * Source of the SAS permissions: Microsoft, "Create an account SAS" and "Create a service SAS",
 * tables of operations. If two rows differ by a header only, the row that needs it is first. */
#define OPERATIONS(X)                                                                              \
    X("List Shares", GET, OF_SERVICE, "list", NULL, 's', "l", "", false, op_service_list)          \
    X("Get File Service Properties", GET, OF_SERVICE, "properties", NULL, 's', "r", "", false,     \
      op_service_get)                                                                              \
    X("Set File Service Properties", PUT, OF_SERVICE, "properties", NULL, 's', "w", "", false,     \
      op_service_set)                                                                              \
    X("Get User Delegation Key", POST, OF_SERVICE, "userdelegationkey", NULL, 's', "", "", false,  \
      NULL)                                                                                        \
    X("Preflight File Request", OPTIONS, OF_ANYTHING, "", NULL, 's', "", "", false, op_preflight)  \
    X("Create Share", PUT, OF_SHARE, "", NULL, 'c', "cw", "", false, op_share_create)              \
    X("Get Share Properties", GETS, OF_SHARE, "", NULL, 'c', "r", "", true, op_share_get)          \
    X("Delete Share", DELETE, OF_SHARE, "", NULL, 'c', "d", "", true, op_share_delete)             \
    X("Snapshot Share", PUT, OF_SHARE, "snapshot", NULL, 'c', "cw", "", false, op_share_snapshot)  \
    X("Set Share Properties", PUT, OF_SHARE, "properties", NULL, 'c', "w", "", false,              \
      op_share_set)                                                                                \
    X("Get Share Metadata", GETS, OF_SHARE, "metadata", NULL, 'c', "r", "", true,                  \
      op_entry_get_metadata)                                                                       \
    X("Set Share Metadata", PUT, OF_SHARE, "metadata", NULL, 'c', "w", "", false,                  \
      op_entry_set_metadata)                                                                       \
    X("Get Share ACL", GETS, OF_SHARE, "acl", NULL, 'c', "", "", false, op_share_get_acl)          \
    X("Set Share ACL", PUT, OF_SHARE, "acl", NULL, 'c', "", "", false, op_share_set_acl)           \
    X("Get Share Stats", GET, OF_SHARE, "stats", NULL, 'c', "r", "", false, op_share_stats)        \
    X("Lease Share", PUT, OF_SHARE, "lease", NULL, 'c', "w", "", true, op_entry_lease)             \
    X("Create Permission", PUT, OF_SHARE, "filepermission", NULL, 'c', "cw", "cw", false,          \
      op_permission_create)                                                                        \
    X("Get Permission", GET, OF_SHARE, "filepermission", NULL, 'c', "r", "r", false,               \
      op_permission_get)                                                                           \
    X("Restore Share", PUT, OF_SHARE, "undelete", NULL, 'c', "w", "", false, NULL)                 \
    X("Create Directory", PUT, OF_DIRECTORY, "", NULL, 'o', "cw", "cw", false,                     \
      op_directory_create)                                                                         \
    X("Get Directory Properties", GETS, OF_DIRECTORY, "", NULL, 'o', "r", "r", true,               \
      op_directory_get)                                                                            \
    X("Delete Directory", DELETE, OF_DIRECTORY, "", NULL, 'o', "d", "d", false,                    \
      op_directory_delete)                                                                         \
    X("Set Directory Properties", PUT, OF_DIRECTORY, "properties", NULL, 'o', "w", "w", false,     \
      op_directory_set)                                                                            \
    X("Get Directory Metadata", GETS, OF_DIRECTORY, "metadata", NULL, 'o', "r", "r", true,         \
      op_entry_get_metadata)                                                                       \
    X("Set Directory Metadata", PUT, OF_DIRECTORY, "metadata", NULL, 'o', "w", "w", false,         \
      op_entry_set_metadata)                                                                       \
    X("List Directories and Files", GET, OF_DIRECTORY, "list", NULL, 'c', "l", "l", true,          \
      op_directory_list)                                                                           \
    X("Rename Directory", PUT, OF_DIRECTORY, "rename", NULL, 'o', "w", "w", false,                 \
      op_entry_rename)                                                                             \
    X("List Handles", GET, OF_ENTRY, "listhandles", NULL, 'o', "l", "l", true, op_handles_list)    \
    X("Force Close Handles", PUT, OF_ENTRY, "forceclosehandles", NULL, 'o', "w", "w", true,        \
      op_handles_close)                                                                            \
    X("Copy File", PUT, OF_FILE, "", "x-ms-copy-source", 'o', "cw", "cw", false, op_copy_start)    \
    X("Create File", PUT, OF_FILE, "", NULL, 'o', "cw", "cw", false, op_file_create)               \
    X("Get File", GET, OF_FILE, "", NULL, 'o', "r", "r", true, op_file_get)                        \
    X("Get File Properties", HEAD, OF_FILE, "", NULL, 'o', "r", "r", true, op_file_head)           \
    X("Delete File", DELETE, OF_FILE, "", NULL, 'o', "d", "d", false, op_file_delete)              \
    X("Set File Properties", PUT, OF_FILE, "properties", NULL, 'o', "w", "w", false, op_file_set)  \
    X("Get File Metadata", GETS, OF_FILE, "metadata", NULL, 'o', "r", "r", true,                   \
      op_entry_get_metadata)                                                                       \
    X("Set File Metadata", PUT, OF_FILE, "metadata", NULL, 'o', "w", "w", false,                   \
      op_entry_set_metadata)                                                                       \
    X("Put Range from URL", PUT, OF_FILE, "range", "x-ms-copy-source", 'o', "w", "w", false,       \
      op_range_put_from_url)                                                                       \
    X("Put Range", PUT, OF_FILE, "range", NULL, 'o', "w", "w", false, op_range_put)                \
    X("List Ranges", GET, OF_FILE, "rangelist", NULL, 'o', "r", "r", true, op_range_list)          \
    X("Abort Copy File", PUT, OF_FILE, "copy", NULL, 'o', "w", "w", false, op_copy_abort)          \
    X("Lease File", PUT, OF_FILE, "lease", NULL, 'o', "w", "w", false, op_entry_lease)             \
    X("Rename File", PUT, OF_FILE, "rename", NULL, 'o', "w", "w", false, op_entry_rename)          \
    X("Create Hard Link", PUT, OF_HARD_LINK, "", NULL, 'o', "cw", "cw", false, NULL)               \
    X("Create Symbolic Link", PUT, OF_SYMBOLIC_LINK, "", NULL, 'o', "cw", "cw", false, NULL)       \
    X("Get Symbolic Link", GETS, OF_SYMBOLIC_LINK, "", NULL, 'o', "r", "r", false, NULL)

const FilesOperation files_operations[] = {
#define X(name, methods, scope, comp, header, kind, account, service, snapshots, handler)          \
    {name, methods, scope, comp, header, {kind, account, service}, snapshots, handler},
    OPERATIONS(X)
#undef X
        {0}};

/* --- What a request asks for --- */

static bool read_scope(FilesCall *call, const char *comp, FilesScope *scope)
{
    static const struct {
        const char *type;
        FilesScope scope;
    } types[] = {{"service", OF_SERVICE},
                 {"share", OF_SHARE},
                 {"directory", OF_DIRECTORY},
                 {"hardlink", OF_HARD_LINK},
                 {"symboliclink", OF_SYMBOLIC_LINK}};
    const char *type = http_query(call->request, "restype");
    const bool has_share = *call->address.share != '\0', has_path = *call->address.path != '\0';
    *scope = has_path ? OF_FILE : OF_SERVICE;
    if (ascii_same(comp, "listhandles") || ascii_same(comp, "forceclosehandles")) {
        *scope = OF_ENTRY;
        return has_share || call_refuse(call, AZURE_FILES_INVALID_URI);
    }
    if (!type)
        return has_path || !has_share ||
               call_refuse_for(call, AZURE_FILES_MISSING_QUERY, "(restype)");
    bool is_known = false;
    for (size_t i = 0; i < sizeof types / sizeof *types && !is_known; i++) {
        is_known = ascii_same(type, types[i].type);
        *scope = is_known ? types[i].scope : *scope;
    }
    if (!is_known)
        return call_refuse_for(call, AZURE_FILES_INVALID_QUERY, "(restype: \"%s\")", type);
    const bool fits = *scope == OF_SERVICE     ? !has_share
                      : *scope == OF_SHARE     ? has_share && !has_path
                      : *scope == OF_DIRECTORY ? has_share
                                               : has_path;
    return fits || call_refuse(call, AZURE_FILES_INVALID_URI);
}

/* "GET, HEAD" of 1 << HttpMethod. */
static const char *method_names(Arena *arena, uint32_t methods)
{
    const char *names = "";
    for (int method = 0; method < HTTP_METHOD_COUNT; method++)
        if (methods & 1u << method)
            names = arena_printf(arena, "%s%s%s", names, *names ? ", " : "",
                                 http_method_name((HttpMethod)method));
    return names;
}

const FilesOperation *files_operation_find(FilesCall *call)
{
    const char *said = http_query(call->request, "comp");
    const char *comp = said ? said : "";
    FilesScope scope;
    if (!read_scope(call, comp, &scope))
        return NULL;
    uint32_t methods = 0;
    const uint32_t method = 1u << call->request->method;
    for (const FilesOperation *row = files_operations; row->name; row++) {
        if (row->scope != scope || !ascii_same(row->comp, comp))
            continue;
        methods |= row->methods;
        if ((row->methods & method) && (!row->header || call_header(call, row->header)))
            return row;
    }
    if (methods == 0) {
        call_refuse_for(call, AZURE_FILES_INVALID_QUERY, "(comp: \"%s\")", comp);
        return NULL;
    }
    call_refuse_for(call, AZURE_FILES_UNSUPPORTED_VERB, "(%s)", call->request->method_text);
    http_set(call->response, "Allow", method_names(call->arena, methods));
    return NULL;
}
