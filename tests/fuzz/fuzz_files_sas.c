/* Any bytes as the query of a signed URL: with the signature in the input every request is refused.
 * With the right signature some are accepted, and these have the signed permissions. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "emu/files/files.h"
#include "sim/base/invariant.h"
#include "tests/fuzz/the_service.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *field(const HttpRequest *request, const char *name)
{
    const char *value = http_query(request, name);
    return value ? value : "";
}

/* The string to sign of the service, built in another way: from the names of the fields. */
static const char *string_to_sign(const HttpRequest *request, const char *resource)
{
    static const char *const service[] = {"sp", "st",   "se",   "*",    "si",   "sip", "spr",
                                          "sv", "rscc", "rscd", "rsce", "rscl", "rsct"};
    static const char *const account[] = {"@", "sp", "ss", "srt", "st", "se", "sip", "spr", "sv"};
    const bool is_account = http_query(request, "ss") != NULL;
    const char *const *names = is_account ? account : service;
    const int count = is_account ? 9 : 13;
    const char *text = "";
    for (int i = 0; i < count; i++) {
        const char *value = names[i][0] == '*'   ? resource
                            : names[i][0] == '@' ? "pathacct"
                                                 : field(request, names[i]);
        text = arena_printf(request->arena, "%s%s%s", text, i ? "\n" : "", value);
    }
    if (!is_account)
        return text;
    return strcmp(field(request, "sv"), "2020-12-06") >= 0
               ? arena_printf(request->arena, "%s\n%s\n", text, field(request, "ses"))
               : arena_printf(request->arena, "%s\n", text);
}

static void check(FilesService *service, const char *query)
{
    HttpRequest request = service_request(service, "GET", "/pathacct/sss/f", "", "", 0);
    FilesAddress address;
    FilesAccess access;
    FilesDenial denial;
    if (!http_read_query(&request, query) ||
        files_address_read(&request, "core.windows.net", &address) != AZURE_OK)
        return;
    invariant(!files_authenticate(&service->azure, &request, &address, &access, &denial));
    invariant(denial.error != AZURE_OK && denial.detail);
    const bool is_share = strcmp(field(&request, "sr"), "s") == 0;
    const char *resource = is_share ? "/file/pathacct/sss" : "/file/pathacct/sss/f";
    const char *signature = files_signature(&service->azure, service->arena, "pathacct", 0,
                                            string_to_sign(&request, resource));
    const char *is_signed = arena_printf(service->arena, "sig=%s&%s",
                                         http_encode(service->arena, signature, ""), query);
    invariant(http_read_query(&request, is_signed));
    if (files_authenticate(&service->azure, &request, &address, &access, &denial))
        invariant(access.permissions && *access.permissions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    begin();
    const int32_t made = service_ask(&the_service, "PUT", "/sss?restype=share", "");
    invariant(made == 201);
    const FilesFailure failure =
        files_change(the_service.files, (ShareName){.account = "pathacct", .share = "sss"}, "", -1,
                     "{\"policies\":[{\"id\":\"p\",\"permission\":\"rl\"}]}", NULL, NULL);
    invariant(failure == FILES_OK);
    check(&the_service, arena_strndup(the_service.arena, (const char *)data, size));
    return 0;
}
