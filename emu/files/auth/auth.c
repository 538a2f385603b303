#include "emu/files/auth/auth.h"

#include <stdlib.h>
#include <string.h>

#include "emu/files/auth/sas.h"
#include "emu/files/auth/signature.h"
#include "sim/base/ascii.h"

/* --- What is signed --- */

static void add_line(Text *text, const char *value)
{
    text_add(text, value ? value : "");
    text_add(text, "\n");
}

/* Trims spaces and tabs at both ends, as Azure does. */
static void add_trimmed(Text *text, const char *value)
{
    value += strspn(value, " \t");
    size_t length = strlen(value);
    while (length > 0 && (value[length - 1] == ' ' || value[length - 1] == '\t'))
        length--;
    text_append(text, value, length);
}

static void add_lower_case(Text *text, const char *name)
{
    for (; *name; name++) {
        const char c = ascii_lower(*name);
        text_append(text, &c, 1);
    }
}

/* The order of headers: by bytes, as most clients sort them; or by words, as the service and the
 * JavaScript SDK sort them, where '_' precedes digits. The two only differ for metadata such as
 * "a_b" and "a1b". */
typedef enum { BY_BYTES, BY_WORDS, ORDER_COUNT } HeaderOrder;

static int weight(char c, HeaderOrder order)
{
    return c == '_' && order == BY_WORDS ? '0' - 1 : (unsigned char)ascii_lower(c);
}

static int compare_names(const char *left, const char *right, HeaderOrder order)
{
    while (*left && weight(*left, order) == weight(*right, order)) {
        left++;
        right++;
    }
    return weight(*left, order) - weight(*right, order);
}

/* Compares by name and then by value: names alone order headers ("x-ms-meta" before "x-ms-meta-a",
 * although '-' precedes ':'), and repeated parameters are ordered by value. */
static int compare_fields(const void *left, const void *right, HeaderOrder order)
{
    const HttpField *a = *(const HttpField *const *)left, *b = *(const HttpField *const *)right;
    const int by_name = compare_names(a->name, b->name, order);
    return by_name != 0 ? by_name : strcmp(a->value, b->value);
}

static int by_bytes(const void *left, const void *right)
{
    return compare_fields(left, right, BY_BYTES);
}

static int by_words(const void *left, const void *right)
{
    return compare_fields(left, right, BY_WORDS);
}

static const HttpField **sorted(Arena *arena, const HttpField *fields, int32_t count,
                                const char *start, HeaderOrder order, int32_t *kept)
{
    const HttpField **rows = ARENA_ARRAY(arena, const HttpField *, count);
    *kept = 0;
    for (int32_t i = 0; i < count; i++)
        if (ascii_same_start(fields[i].name, start, strlen(start)))
            rows[(*kept)++] = &fields[i];
    qsort(rows, (size_t)*kept, sizeof *rows, order == BY_WORDS ? by_words : by_bytes);
    return rows;
}

static void add_headers(Text *text, const HttpRequest *request, HeaderOrder order)
{
    int32_t count;
    const HttpField **rows =
        sorted(request->arena, request->headers, request->header_count, "x-ms-", order, &count);
    for (int32_t i = 0; i < count; i++) {
        add_lower_case(text, rows[i]->name);
        text_add(text, ":");
        add_trimmed(text, rows[i]->value);
        text_add(text, "\n");
    }
}

static void add_query(Text *text, const HttpRequest *request)
{
    int32_t count;
    const HttpField **rows =
        sorted(request->arena, request->query, request->query_count, "", BY_BYTES, &count);
    for (int32_t i = 0; i < count; i++) {
        const bool is_repeated = i > 0 && ascii_same(rows[i]->name, rows[i - 1]->name);
        if (!is_repeated) {
            text_add(text, "\n");
            add_lower_case(text, rows[i]->name);
        }
        text_add(text, is_repeated ? "," : ":");
        text_add(text, rows[i]->value);
    }
}

/* The Date header is only signed if there is no x-ms-date. */
static const char *signed_date(const HttpRequest *request)
{
    return http_header(request, "x-ms-date") ? "" : http_header(request, "Date");
}

/* Since version 2015-02-21 a length of zero is signed as an empty text. */
static const char *signed_length(const HttpRequest *request)
{
    const char *length = http_header(request, "Content-Length");
    const bool is_zero = length && strcmp(length, "0") == 0;
    return is_zero && strcmp(files_version(request), "2015-02-21") >= 0 ? "" : length;
}

static void add_standard_headers(Text *text, const HttpRequest *request)
{
    static const char *const names[] = {"Content-Encoding",
                                        "Content-Language",
                                        "Content-Length",
                                        "Content-MD5",
                                        "Content-Type",
                                        "Date",
                                        "If-Modified-Since",
                                        "If-Match",
                                        "If-None-Match",
                                        "If-Unmodified-Since",
                                        "Range"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add_line(text, i == 2   ? signed_length(request)
                       : i == 5 ? signed_date(request)
                                : http_header(request, names[i]));
}

static const char *string_to_sign(const HttpRequest *request, const char *account, bool is_lite,
                                  HeaderOrder order)
{
    Text text = {0};
    add_line(&text, request->method_text);
    if (is_lite) {
        add_line(&text, http_header(request, "Content-MD5"));
        add_line(&text, http_header(request, "Content-Type"));
        add_line(&text, signed_date(request));
    } else {
        add_standard_headers(&text, request);
    }
    add_headers(&text, request, order);
    text_printf(&text, "/%s%s", account, request->target);
    const char *comp = http_query(request, "comp");
    if (!is_lite)
        add_query(&text, request);
    else if (comp)
        text_printf(&text, "?comp=%s", comp);
    const char *out = arena_strdup(request->arena, text_string(&text));
    text_free(&text);
    return out;
}

const char *files_string_to_sign(const HttpRequest *request, const char *account, bool is_lite)
{
    return string_to_sign(request, account, is_lite, BY_BYTES);
}

/* --- Checking --- */

/* A request's date differs from the machine's clock by no more (Azure's documents, "Authorize with
 * Shared Key": a captured request is of no use later). */
enum { DATE_TOLERANCE_MS = 15 * 60 * 1000 };

static bool date_is_fresh(const AzureFiles *service, const HttpRequest *request,
                          FilesDenial *denial)
{
    const char *date = http_header(request, "x-ms-date");
    if (!date)
        date = http_header(request, "Date");
    int64_t unix_ms;
    if (!date || !http_date_parse(date, &unix_ms))
        return files_deny(denial, AZURE_FILES_AUTHENTICATION_FAILED,
                          "x-ms-date or Date must be a date as \"Sun, 06 Nov 1994 08:49:37 GMT\".");
    const int64_t ahead_ms = unix_ms - service->machine_ms(service->owner);
    if (ahead_ms < -DATE_TOLERANCE_MS)
        return files_deny(denial, AZURE_FILES_AUTHENTICATION_FAILED,
                          "Request date header too old: it is more than 15 minutes ago.");
    if (ahead_ms > DATE_TOLERANCE_MS)
        return files_deny(denial, AZURE_FILES_AUTHENTICATION_FAILED,
                          "Request date header too far ahead: it is in more than 15 minutes.");
    return true;
}

/* The signed text helps to find the mistake. It is left out if it contains secrets: the URL of a
 * copy's source or the signature of a SAS. */
static const char *mismatch(const HttpRequest *request, const char *text)
{
    if (http_header(request, "x-ms-copy-source") || http_query(request, "sig") ||
        http_header(request, "x-ms-file-rename-source") ||
        http_header(request, "x-ms-copy-source-authorization") ||
        http_header(request, "x-ms-source-authorization"))
        return "The MAC signature found in the HTTP request is not the same as any computed "
               "signature.";
    return arena_printf(request->arena,
                        "The MAC signature found in the HTTP request is not the same as any "
                        "computed signature. Server used following string to sign: '%s'.",
                        text);
}

static bool check_signature(const AzureFiles *service, const HttpRequest *request,
                            const FilesAddress *address, const char *header, FilesDenial *denial)
{
    static const char schemes[][20] = {"SharedKey ", "SharedKeyLite "};
    for (int is_lite = 0; is_lite < 2; is_lite++) {
        const size_t scheme = strlen(schemes[is_lite]);
        if (strncmp(header, schemes[is_lite], scheme) != 0)
            continue;
        const char *colon = strchr(header + scheme, ':');
        const size_t account = colon ? (size_t)(colon - header) - scheme : 0;
        if (account != strlen(address->account) ||
            strncmp(header + scheme, address->account, account) != 0)
            return files_deny(denial, AZURE_FILES_AUTHENTICATION_FAILED,
                              "The account of the Authorization header is not the one that the "
                              "request is for.");
        for (HeaderOrder order = BY_BYTES; order < ORDER_COUNT; order++)
            if (files_signature_is_valid(service, request->arena, address->account,
                                         string_to_sign(request, address->account, is_lite, order),
                                         colon + 1))
                return date_is_fresh(service, request, denial);
        return files_deny(
            denial, AZURE_FILES_AUTHENTICATION_FAILED,
            mismatch(request, string_to_sign(request, address->account, is_lite, BY_BYTES)));
    }
    return files_deny(denial, AZURE_FILES_AUTHENTICATION_FAILED,
                      "The Authorization header is of the form \"SharedKey ACCOUNT:SIGNATURE\" or "
                      "\"SharedKeyLite ACCOUNT:SIGNATURE\".");
}

/* Checks the request's signature of either kind. */
static bool check(const AzureFiles *service, const HttpRequest *request,
                  const FilesAddress *address, FilesAccess *access, FilesDenial *denial)
{
    const char *header = http_header(request, "Authorization");
    if (header)
        return check_signature(service, request, address, header, denial);
    if (http_query(request, "sig"))
        return files_sas_check(service, request, address, access, denial);
    return files_deny(denial, AZURE_FILES_AUTHENTICATION_FAILED,
                      "The request has neither an Authorization header nor a shared access "
                      "signature.");
}

bool files_authenticate(const AzureFiles *service, const HttpRequest *request,
                        const FilesAddress *address, FilesAccess *access, FilesDenial *denial)
{
    *access = (FilesAccess){0};
    if (check(service, request, address, access, denial))
        return true;
    // Without an account there is no key, and no signature is valid.
    if (!files_account_key(service, request->arena, address->account, 0))
        return files_deny(
            denial, AZURE_FILES_AUTHENTICATION_FAILED,
            arena_printf(request->arena, "There is no storage account \"%s\".", address->account));
    return false;
}

bool files_authorize(const FilesAccess *access, const FilesNeeds *needs, FilesDenial *denial)
{
    if (!access->permissions)
        return true;
    if (access->kinds && !strchr(access->kinds, needs->kind))
        return files_deny(denial, AZURE_FILES_RESOURCE_TYPE_MISMATCH, "");
    const char *letters = access->kinds ? needs->account : needs->service;
    return strpbrk(access->permissions, letters) != NULL ||
           files_deny(denial, AZURE_FILES_PERMISSION_MISMATCH, "");
}
