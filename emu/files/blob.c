#include "emu/files/blob.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emu/files/operations.h"
#include "sim/base/ascii.h"

/* A container is a setting of the store: its time of creation, in ms of the simulated calendar. In
 * the world it is a share of the blob kind, which jobs may mount. */
static const char *setting_name(const FilesCall *call)
{
    return call_setting(call, "blob.container", call->address.share);
}

static void answer_times(FilesCall *call, int64_t made_ms)
{
    char *date = arena_alloc(call->arena, HTTP_DATE);
    http_date_print(made_ms, date);
    call_set(call, "ETag", "\"0x%" PRIX64 "\"", (uint64_t)made_ms);
    http_set(call->response, "Last-Modified", date);
}

static void container_create(FilesCall *call)
{
    if (store_setting(call->service->store, call->arena, setting_name(call))) {
        call_refuse(call, AZURE_FILES_CONTAINER_EXISTS);
        return;
    }
    Status status = {0};
    const char *made = arena_printf(call->arena, "%" PRId64, call_now_ms(call));
    if (!call_report_share(call, true))
        return;
    if (!store_set(call->service->store, setting_name(call), made, &status)) {
        call_refuse_failure(call, FILES_NO_SPACE);
        return;
    }
    call->response->status = 201;
    answer_times(call, call_now_ms(call));
}

static void container_get(FilesCall *call)
{
    const char *made = store_setting(call->service->store, call->arena, setting_name(call));
    if (!made) {
        call_refuse(call, AZURE_FILES_NO_CONTAINER);
        return;
    }
    answer_times(call, strtoll(made, NULL, 10));
    http_set(call->response, "x-ms-lease-status", "unlocked");
    http_set(call->response, "x-ms-lease-state", "available");
    http_set(call->response, "x-ms-has-immutability-policy", "false");
    http_set(call->response, "x-ms-has-legal-hold", "false");
}

/* Jobs write to a container as to a share, and a client reads the same files as blobs. */
static void blob_get(FilesCall *call)
{
    call->kind = FILES_FILE;
    if (!call_conditions(call))
        return;
    op_file_get(call);
    if (call->response->status < 300)
        http_set(call->response, "x-ms-blob-type", "BlockBlob");
}

static const char *operation_name(const FilesCall *call)
{
    const HttpRequest *request = call->request;
    const char *comp = http_query(request, "comp");
    const char *what = *call->address.share == '\0'  ? "Blob service"
                       : *call->address.path == '\0' ? "Container"
                                                     : "Blob";
    return arena_printf(call->arena, "%s: %s%s%s", what, request->method_text, comp ? " comp=" : "",
                        comp ? comp : "");
}

void blob_handle(FilesCall *call)
{
    const HttpRequest *request = call->request;
    const char *type = http_query(request, "restype"), *comp = http_query(request, "comp");
    const bool is_container = *call->address.share && *call->address.path == '\0' && type &&
                              ascii_same(type, "container") && !comp;
    const bool is_read = request->method == HTTP_GET || request->method == HTTP_HEAD;
    const bool is_blob = *call->address.path && is_read && !type && !comp;
    const FilesNeeds needs = {is_blob ? 'o' : 'c', is_read ? "rl" : "cw", is_blob ? "r" : ""};
    FilesDenial denial;
    if (!is_blob && (!is_container || (!is_read && request->method != HTTP_PUT)))
        call_refuse_for(call, AZURE_FILES_NOT_IMPLEMENTED, "(%s)", operation_name(call));
    else if (!files_authorize(&call->access, &needs, &denial))
        call_refuse_denial(call, &denial);
    else if (is_blob)
        blob_get(call);
    else if (is_read)
        container_get(call);
    else
        container_create(call);
}
