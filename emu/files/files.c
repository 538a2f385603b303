#include "emu/files/files.h"

#include <string.h>

#include "emu/files/auth/sas_fields.h"
#include "emu/files/blob.h"
#include "emu/files/call.h"
#include "emu/files/cors.h"

/* --- What all answers have --- */

static bool version_is_valid(FilesCall *call)
{
    const char *said = call_header(call, "x-ms-version");
    return !said || files_is_version(said) ||
           call_refuse_for(call, AZURE_FILES_INVALID_HEADER, "(x-ms-version: \"%s\")", said);
}

/* Up to 1 KiB of visible characters. */
static bool is_client_request_id(const char *text)
{
    enum { ID_MAX = 1024 };
    const size_t length = strlen(text);
    for (size_t i = 0; i < length; i++)
        if (text[i] <= ' ' || text[i] > '~')
            return false;
    return length > 0 && length <= ID_MAX;
}

static void begin_answer(FilesCall *call)
{
    char id[FILES_ID];
    call->service->new_id(call->service->owner, "files.request", id);
    call->request_id = arena_strdup(call->arena, id);
    http_set(call->response, "x-ms-request-id", call->request_id);
    http_set(call->response, "x-ms-version", call->version);
    const char *client_id = http_header(call->request, "x-ms-client-request-id");
    if (client_id && is_client_request_id(client_id))
        http_set(call->response, "x-ms-client-request-id", arena_strdup(call->arena, client_id));
}

/* --- Requests --- */

static bool read_address(FilesCall *call)
{
    const AzureError fault =
        files_address_read(call->request, call->service->storage_suffix, &call->address);
    call->share = (ShareName){.account = call->address.account,
                              .share = call->address.share,
                              .is_container = call->address.host == BLOB_HOST,
                              .snapshot = call->address.snapshot};
    if (fault == AZURE_OK)
        return true;
    // A signature without an account is invalid.
    const bool is_unsigned =
        fault == AZURE_FILES_ADDRESS_ACCOUNT && call->request->listener == LISTENER_USERINFO;
    return call_refuse(call, is_unsigned ? AZURE_FILES_AUTHENTICATION_FAILED : fault);
}

static bool authenticate(FilesCall *call)
{
    FilesDenial denial;
    return files_authenticate(call->service, call->request, &call->address, &call->access,
                              &denial) ||
           call_refuse_denial(call, &denial);
}

static bool authorize(FilesCall *call, const FilesNeeds *needs)
{
    FilesDenial denial;
    return files_authorize(&call->access, needs, &denial) || call_refuse_denial(call, &denial);
}

static void operate(FilesCall *call, const FilesOperation *operation)
{
    if (!authorize(call, &operation->needs))
        return;
    if (!operation->handler) {
        call_refuse_for(call, AZURE_FILES_NOT_IMPLEMENTED, "(%s)", operation->name);
        return;
    }
    if (call->share.snapshot && !operation->works_on_snapshots) {
        call_refuse(call, AZURE_FILES_ON_SNAPSHOT);
        return;
    }
    call->kind = operation->scope == OF_SHARE       ? FILES_SHARE
                 : operation->scope == OF_DIRECTORY ? FILES_DIRECTORY
                                                    : FILES_FILE;
    if (operation->scope == OF_SERVICE || call_conditions(call))
        operation->handler(call);
}

static void handle(FilesCall *call)
{
    const FilesOperation *operation = files_operation_find(call);
    if (!operation)
        return;
    operate(call, operation);
    call->response->operation = operation->name;
}

bool files_serves(const AzureFiles *service, const HttpRequest *request)
{
    return files_address_is_ours(request, service->storage_suffix);
}

static FilesCall call_begin(AzureFiles *service, const HttpRequest *request, HttpResponse *response)
{
    *response = http_response(200);
    FilesCall call = {.service = service,
                      .files = service->files,
                      .request = request,
                      .response = response,
                      .arena = request->arena,
                      .version = files_version(request)};
    begin_answer(&call);
    return call;
}

void files_refuse(AzureFiles *service, const HttpRequest *request, HttpResponse *response,
                  int32_t status, const char *code, const char *message)
{
    FilesCall call = call_begin(service, request, response);
    call_refuse_code(&call, status, code, message);
}

void files_refuse_unwritten(AzureFiles *service, const HttpRequest *request, HttpResponse *response)
{
    FilesCall call = call_begin(service, request, response);
    call_refuse_failure(&call, FILES_NO_SPACE);
}

void files_handle(AzureFiles *service, const HttpRequest *request, HttpResponse *response)
{
    FilesCall call = call_begin(service, request, response);
    if (!read_address(&call))
        return;
    // A preflight request has no signature.
    if (request->method == HTTP_OPTIONS) {
        op_preflight(&call);
        response->operation = "Preflight File Request";
        return;
    }
    if (authenticate(&call) && version_is_valid(&call)) {
        if (call.address.host == BLOB_HOST)
            blob_handle(&call);
        else
            handle(&call);
    }
    cors_answer(&call); // a page can read the reason of a refusal
}
