/* One request to Azure Files on its way: what it is about, who asks, and its answer. Included by
 * emu/files*.c and emu/files/blob.c alone.
 *
 * Whatever checks something about the request answers a refusal itself and returns false, so that
 * checks chain with &&. */
#ifndef EMU_FILES_CALL_H
#define EMU_FILES_CALL_H

#include "emu/emulator.h"
#include "emu/files/auth.h"
#include "emu/files/json.h"
#include "emu/files/lease.h"
#include "emu/files/operations.h"
#include "emu/files/xml.h"

struct FilesCall {
    Emulator *emulator;
    FileStore *files;
    const HttpRequest *request;
    HttpResponse *response;
    Arena *arena; /* the request's */
    FilesAddress address;
    ShareName share;
    FilesAccess access;
    const char *version;    /* of the protocol, as the client says */
    const char *request_id; /* a GUID */
};

/* --- Refusing --- */

/* X(ENUM, code, status, message); what the store refuses is in emu/files/store/file_store.h. */
#define FILES_ERRORS(X)                                                                            \
    X(INVALID_URI, "InvalidUri", 400,                                                              \
      "The requested URI does not represent any resource on the "                                  \
      "server.")                                                                                   \
    X(INVALID_NAME, "InvalidResourceName", 400,                                                    \
      "The specified resource name contains invalid characters.")                                  \
    X(INVALID_HEADER, "InvalidHeaderValue", 400,                                                   \
      "The value for one of the HTTP headers is not in the correct format.")                       \
    X(MISSING_HEADER, "MissingRequiredHeader", 400,                                                \
      "An HTTP header that's mandatory for this request is not specified.")                        \
    X(UNSUPPORTED_HEADER, "UnsupportedHeader", 400,                                                \
      "One of the headers specified in the request is not supported.")                             \
    X(INVALID_QUERY, "InvalidQueryParameterValue", 400,                                            \
      "Value for one of the query parameters specified in the request URI is invalid.")            \
    X(MISSING_QUERY, "MissingRequiredQueryParameter", 400,                                         \
      "A query parameter that's mandatory for this request is not specified.")                     \
    X(RANGE_OF_QUERY, "OutOfRangeQueryParameterValue", 400,                                        \
      "One of the query parameters specified in the request URI is outside the permissible "       \
      "range.")                                                                                    \
    X(INVALID_INPUT, "InvalidInput", 400, "One of the request inputs is not valid.")               \
    X(OUT_OF_RANGE, "OutOfRangeInput", 400, "One of the request inputs is out of range.")          \
    X(INVALID_METADATA, "InvalidMetadata", 400,                                                    \
      "The metadata specified is invalid. It has characters that are not permitted.")              \
    X(EMPTY_KEY, "EmptyMetadataKey", 400,                                                          \
      "The key for one of the metadata key-value pairs is empty.")                                 \
    X(METADATA_TOO_LARGE, "MetadataTooLarge", 400,                                                 \
      "The size of the specified metadata exceeds the maximum size permitted.")                    \
    X(INVALID_XML, "InvalidXmlDocument", 400, "XML specified is not syntactically valid.")         \
    X(INVALID_XML_VALUE, "InvalidXmlNodeValue", 400,                                               \
      "The value for one of the XML nodes is not in the correct format.")                          \
    X(UNSUPPORTED_XML, "UnsupportedXmlNode", 400,                                                  \
      "One of the XML nodes specified in the request body is not supported.")                      \
    X(INVALID_MD5, "InvalidMd5", 400,                                                              \
      "The MD5 value specified in the request is invalid. The MD5 value must be 128 bits and "     \
      "Base64-encoded.")                                                                           \
    X(MD5_MISMATCH, "Md5Mismatch", 400,                                                            \
      "The MD5 value specified in the request did not match with the MD5 value calculated by the " \
      "server.")                                                                                   \
    X(CRC64_MISMATCH, "Crc64Mismatch", 400,                                                        \
      "The CRC64 value specified in the request did not match with the CRC64 value calculated by " \
      "the server.")                                                                               \
    X(PERMISSION, "FileInvalidPermission", 400, "The specified file permission is not valid.")     \
    X(PERMISSION_KEY, "FileInvalidPermissionKey", 400,                                             \
      "The specified file permission key doesn't exist in the share.")                             \
    X(GENERATION, "FileGenerationMismatch", 409,                                                   \
      "The file has been recreated since the previous snapshot was taken.")                        \
    X(ON_SNAPSHOT, "ShareSnapshotOperationNotSupported", 400,                                      \
      "The specified operation is not supported on a share snapshot.")                             \
    X(COPY_SOURCE, "CannotVerifyCopySource", 400,                                                  \
      "Could not verify the copy source: it is no file of this emulator's.")                       \
    X(COPY_SOURCE_DENIED, "CannotVerifyCopySource", 403,                                           \
      "Could not verify the copy source: the request may not read it.")                            \
    X(COPY_SOURCE_MISSING, "CannotVerifyCopySource", 404,                                          \
      "Could not verify the copy source: the specified resource does not exist.")                  \
    X(NOT_FOUND, "ResourceNotFound", 404, "The specified resource does not exist.")                \
    X(VERB, "UnsupportedHttpVerb", 405, "The resource doesn't support the specified HTTP verb.")   \
    X(NO_COPY, "NoPendingCopyOperation", 409, "There is currently no pending copy operation.")     \
    X(READ_ONLY, "ReadOnlyAttribute", 409,                                                         \
      "The specified resource is read-only and cannot be modified at this time.")                  \
    X(OTHER_KIND, "ResourceTypeMismatch", 409,                                                     \
      "The specified resource type does not match the type of the existing resource.")             \
    X(CONDITION, "ConditionNotMet", 412,                                                           \
      "The condition specified using HTTP conditional header(s) is not met.")                      \
    X(SNAPSHOT_LEASED, "DeleteShareWhenSnapshotLeased", 409,                                       \
      "Unable to delete share because one or more share snapshots have active leases.")            \
    X(CORS, "CorsPreflightFailure", 403,                                                           \
      "CORS not enabled or no matching rule found for this request.")                              \
    X(LEASE_MISSING, "LeaseIdMissing", 412,                                                        \
      "There is currently a lease on the resource and no lease ID was specified in the request.")  \
    X(LEASE_LOST, "LeaseLost", 412,                                                                \
      "A lease ID was specified, but the lease for the resource has expired.")                     \
    X(LEASE_OF_FILE, "LeaseIdMismatchWithFileOperation", 412,                                      \
      "The lease ID specified did not match the lease ID for the file.")                           \
    X(LEASE_OF_SHARE, "LeaseIdMismatchWithContainerOperation", 412,                                \
      "The lease ID specified did not match the lease ID for the share.")                          \
    X(NO_LEASE_OF_FILE, "LeaseNotPresentWithFileOperation", 412,                                   \
      "There is currently no lease on the file.")                                                  \
    X(NO_LEASE_OF_SHARE, "LeaseNotPresentWithContainerOperation", 412,                             \
      "There is currently no lease on the share.")                                                 \
    X(BODY_TOO_LARGE, "RequestBodyTooLarge", 413,                                                  \
      "The size of the request body exceeds the maximum size permitted.")                          \
    X(NOT_IMPLEMENTED, "NotImplemented", 501,                                                      \
      "The requested operation is not implemented by this emulator.")

typedef enum {
#define X(name, code, status, message) ERROR_##name,
    FILES_ERRORS(X)
#undef X
        FILES_ERROR_COUNT
} FilesError;

/* All return false. A message is one line. */
bool call_refuse(FilesCall *call, FilesError error);
/* With an element that some errors have beside their message ("MaxLimit"). */
bool call_refuse_with(FilesCall *call, FilesError error, const char *element, const char *value);
/* With what exactly is wrong behind the message. */
bool call_refuse_for(FilesCall *call, FilesError error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool call_refuse_failure(FilesCall *call, FilesFailure failure);
bool call_refuse_denial(FilesCall *call, const FilesDenial *denial);
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
