/* One request to Azure Files: its subject, its authorisation and its answer.
 *
 * A function that checks something about the request answers a refusal itself and returns false, so
 * that checks chain with &&. */
#ifndef EMU_FILES_CALL_H
#define EMU_FILES_CALL_H

#include "emu/files/auth/auth.h"
#include "emu/files/auth/azure_files.h"
#include "emu/files/lease.h"
#include "emu/files/operations.h"
#include "emu/files/store/json.h"
#include "emu/files/xml.h"
#include "emu/http/azure_error.h"

struct FilesCall {
    AzureFiles *service;
    FileStore *files;
    const HttpRequest *request;
    HttpResponse *response;
    Arena *arena; /* the request's */
    FilesAddress address;
    ShareName share;
    FilesAccess access;
    FilesKind kind;         /* the kind of the operation's subject, if that is an entry */
    const char *version;    /* of the protocol, from the request */
    const char *request_id; /* a GUID */
};

/* --- Refusing --- */

/* These return false. A message is one line. */
/* With the texts for the "%s" of the error's message. */
bool call_refuse(FilesCall *call, AzureError error, ...);
/* With another element after the message, which some errors have ("MaxLimit"). */
bool call_refuse_with(FilesCall *call, AzureError error, const char *element, const char *value);
/* With details after the message. */
bool call_refuse_for(FilesCall *call, AzureError error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool call_refuse_failure(FilesCall *call, FilesFailure failure);
bool call_refuse_denial(FilesCall *call, const FilesDenial *denial);
/* With an error of the scenario's faults, which is not in the table. */
bool call_refuse_code(FilesCall *call, int32_t status, const char *code, const char *message);

/* --- Reading the request --- */

const char *call_header(const FilesCall *call,
                        const char *name); /* NULL if it is missing or empty */
bool call_has_header(FilesCall *call, const char *name,
                     const char **value); /* answers 400 if it is missing */
/* The same for a header whose text is stored: UTF-8 that fits into an answer. */
bool call_text(FilesCall *call, const char *name, const char **value); /* NULL if it is missing */
/* A whole number; `*value` is unchanged if the header is missing. */
bool call_number(FilesCall *call, const char *name, int64_t least, int64_t most, int64_t *value);
bool call_is_true(const FilesCall *call, const char *name); /* "true" */
/* One of `words`, compared without letter case; NULL if the header is missing. */
bool call_word(FilesCall *call, const char *name, const char *const *words, int32_t count,
               const char **value);
/* The range of "x-ms-range", or else of "Range". `*is_there`: the request has one of them. */
bool call_range(FilesCall *call, FilesRange *range, bool *is_there);
/* maxresults of the query: 1 to 5000, the default; a larger number counts as 5000. */
bool call_max_results(FilesCall *call, int32_t *max);
/* Whether `include` of the query names `word`. */
bool call_includes(const FilesCall *call, const char *word);

/* --- Looking --- */

/* Looks up the entry that the request is about. An entry of another kind is 404 if the request only
 * reads, else 409. The root directory exists for `kind` FILES_DIRECTORY (as FILES_SHARE, with the
 * id 0). */
bool call_look(FilesCall *call, FilesKind kind, FilesEntry *entry);
/* Looks up the entry of the operation's kind and checks that its lease allows to read or change it.
 * The root directory cannot be changed as a directory; directories have no leases. */
bool call_look_to_read(FilesCall *call, FilesEntry *entry);
bool call_look_to_change(FilesCall *call, FilesEntry *entry);
/* Whether the lease of the entry allows the operation: `is_write` needs the id of an active lease.
 */
bool call_lease_allows(FilesCall *call, const FilesEntry *entry, const char *header, bool is_write);
/* Checks If-Match, If-None-Match, If-Modified-Since and If-Unmodified-Since against the entry. */
bool call_conditions(FilesCall *call);
/* If-Range: whether the entry is unchanged, so that a range of it is sent and not the whole. */
bool call_wants_range(const FilesCall *call, const FilesEntry *entry);
int64_t call_now_ms(const FilesCall *call); /* simulated */

/* --- Answering --- */

void call_set(FilesCall *call, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Sets ETag and Last-Modified. */
void call_stamp(FilesCall *call, const FilesEntry *entry);
/* Sets them from the entry at `path`, which is looked up again. */
void call_stamp_path(FilesCall *call, const char *path);
void call_answer_lease(FilesCall *call, const FilesEntry *entry);
/* Writes a name, path or prefix as an element. Characters that XML cannot hold are percent-encoded,
 * for clients of version 2021-12-02 or later. */
void call_write_name(const FilesCall *call, XmlWriter *xml, const char *element, const char *name);
/* The percent-encoded name; NULL if the name is written unchanged. */
const char *call_encoded_name(const FilesCall *call, const char *name);
void call_answer_xml(FilesCall *call, XmlWriter *xml);
/* "https://ACCOUNT.file.core.windows.net/", as the client reaches it. */
const char *call_endpoint(const FilesCall *call);
const char *entry_etag(Arena *arena, const FilesEntry *entry);     /* quoted */
const char *entry_modified(Arena *arena, const FilesEntry *entry); /* "Sun, 06 Nov ..." */

/* The name of a setting in the store that belongs to the account until it is deleted, not to a
 * later account of the same name. */
const char *call_setting(const FilesCall *call, const char *kind, const char *name);

/* --- Reporting to the world: 4xx or 507 where it refuses --- */

bool call_report_share(FilesCall *call, bool is_created);
/* Reports the size of the file at `path`. */
bool call_report_upload(FilesCall *call, const char *path, int64_t bytes);
/* Records that the contents of the file are to be reported later (emu/files/report.h). */
bool call_report_later(FilesCall *call, const char *path);
/* `path` is from files_path, because the file is already deleted. */
bool call_report_delete(FilesCall *call, const char *path);

#endif
