/* One request to Azure Files on its way: what it is about, who asks, and its answer. Included by
 * emu/files*.c and emu/files/blob.c alone.
 *
 * Whatever checks something about the request answers a refusal itself and returns false, so that
 * checks chain with &&. */
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
    const AzureFiles *service;
    FileStore *files;
    const HttpRequest *request;
    HttpResponse *response;
    Arena *arena; /* the request's */
    FilesAddress address;
    ShareName share;
    FilesAccess access;
    FilesKind kind;         /* what the operation is about, if that is a share, directory or file */
    const char *version;    /* of the protocol, as the client says */
    const char *request_id; /* a GUID */
};

/* --- Refusing --- */

/* All return false. A message is one line. */
/* With the texts that the message asks for. */
bool call_refuse(FilesCall *call, AzureError error, ...);
/* With an element that some errors have beside their message ("MaxLimit"). */
bool call_refuse_with(FilesCall *call, AzureError error, const char *element, const char *value);
/* With what exactly is wrong behind the message. */
bool call_refuse_for(FilesCall *call, AzureError error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool call_refuse_failure(FilesCall *call, FilesFailure failure);
bool call_refuse_denial(FilesCall *call, const FilesDenial *denial);
/* With an error that is in no table: a fault of the scenario. */
bool call_refuse_code(FilesCall *call, int32_t status, const char *code, const char *message);

/* --- Reading the request --- */

const char *call_header(const FilesCall *call, const char *name); /* NULL: none, or empty */
bool call_has_header(FilesCall *call, const char *name, const char **value); /* 400 without */
/* The same for one that is kept as text: UTF-8, and so small that answers have room for it. */
bool call_text(FilesCall *call, const char *name, const char **value); /* NULL without */
/* A whole number; `*value` stays where there is no header. */
bool call_number(FilesCall *call, const char *name, int64_t least, int64_t most, int64_t *value);
bool call_is_true(const FilesCall *call, const char *name); /* "true" */
/* One of `words`, in any letter case, as it stands there; NULL without header. */
bool call_word(FilesCall *call, const char *name, const char *const *words, int32_t count,
               const char **value);
/* "Range" or, before it, "x-ms-range". `*is_there` tells whether there was one. */
bool call_range(FilesCall *call, FilesRange *range, bool *is_there);
/* Of the query: 1 to 5000, above counts as 5000, which is the default. */
bool call_max_results(FilesCall *call, int32_t *max);
/* Whether `include` of the query names `word`. */
bool call_includes(const FilesCall *call, const char *word);

/* --- Looking --- */

/* The entry that the request is about. Another kind is 404 where it is only read, else 409. The
 * root directory is there (FILES_SHARE, its id 0) for `kind` FILES_DIRECTORY. */
bool call_look(FilesCall *call, FilesKind kind, FilesEntry *entry);
/* The same of the kind that the operation is about, if its lease allows to read or to change it.
 * The root directory is not changed as a directory, and directories have no leases. */
bool call_look_to_read(FilesCall *call, FilesEntry *entry);
bool call_look_to_change(FilesCall *call, FilesEntry *entry);
/* Whether its lease allows this: `is_write` needs the id of one that holds. */
bool call_lease_allows(FilesCall *call, const FilesEntry *entry, const char *header, bool is_write);
/* If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since, of what is there now. */
bool call_conditions(FilesCall *call);
/* If-Range: whether a range is wanted of what is there now, and not the whole of it. */
bool call_wants_range(const FilesCall *call, const FilesEntry *entry);
int64_t call_now_ms(const FilesCall *call); /* simulated */

/* --- Answering --- */

void call_set(FilesCall *call, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* ETag and Last-Modified. */
void call_stamp(FilesCall *call, const FilesEntry *entry);
/* The same of what is there now at `path`, which is looked up again. */
void call_stamp_path(FilesCall *call, const char *path);
void call_tell_lease(FilesCall *call, const FilesEntry *entry);
/* A name, path or prefix as an element: percent-encoded where XML cannot hold it, of which clients
 * before version 2021-12-02 know nothing. */
void call_write_name(const FilesCall *call, XmlWriter *xml, const char *element, const char *name);
/* What is written for it then; NULL: the name itself. */
const char *call_encoded_name(const FilesCall *call, const char *name);
void call_answer_xml(FilesCall *call, XmlWriter *xml);
/* "https://ACCOUNT.file.core.windows.net/", as the client reaches it. */
const char *call_endpoint(const FilesCall *call);
const char *entry_etag(Arena *arena, const FilesEntry *entry);     /* quoted */
const char *entry_modified(Arena *arena, const FilesEntry *entry); /* "Sun, 06 Nov ..." */

/* A setting of the store's that belongs to the account as it is now: when it is deleted and made
 * again, it has none. */
const char *call_setting(const FilesCall *call, const char *kind, const char *name);

/* --- Telling the world: 4xx or 507 where it refuses --- */

bool call_tell_share(FilesCall *call, bool is_created);
/* Of the size of the file at `path`. */
bool call_tell_upload(FilesCall *call, const char *path, int64_t bytes);
/* That there is something in it that the world does not know: told later (emu/files/told.h). */
bool call_tell_later(FilesCall *call, const char *path);
/* `path` as files_path says it, for the file is gone. */
bool call_tell_delete(FilesCall *call, const char *path);

#endif
