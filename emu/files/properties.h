/* Properties of directories and files that clients set and read in headers: content headers, and
 * what SMB knows of a file (attributes, times, permission).
 *
 * The store keeps them as JSON objects with the members "content-type", "content-encoding",
 * "content-language", "cache-control", "content-disposition", "content-md5", "untyped" (its type
 * was cleared), "attributes", "creation-time", "last-write-time", "change-time" (until the next
 * change), "permission-key", and for copies "copy-id", "copy-source", "copy-progress",
 * "copy-completion-time". A member that is "" counts as missing. */
#ifndef EMU_FILES_PROPERTIES_H
#define EMU_FILES_PROPERTIES_H

#include "emu/files/call.h"

/* --- Content headers --- */

/* Reads x-ms-content-type and the other content headers; a missing header becomes "". `*is_any`:
 * the request has at least one of them. */
bool content_take(FilesCall *call, Json *properties, bool *is_any);
/* Replaces a file's content headers by `taken`; those that are missing in `taken` are removed. */
void content_replace(Arena *arena, Json *properties, const Json *taken);
/* Sets Content-Type, ... of Get File. Content-MD5 is the checksum of the whole contents, so an
 * answer with a part of them has it as x-ms-content-md5. */
void content_answer(FilesCall *call, const Json *properties, bool is_whole);

/* The text of `properties` for the store, without members that are "". */
const char *properties_print(Arena *arena, const Json *properties);

/* --- What SMB knows --- */

/* The word in a header that keeps the value of an entry: "preserve" of the entry that is changed,
 * "source" of the entry that is copied. */
typedef struct {
    const char *word; /* NULL: no such word, for a new entry */
    const FilesEntry *entry;
} SmbWord;

/* Reads x-ms-file-attributes, -creation-time, -last-write-time, -change-time, -permission and
 * -permission-key. A missing header leaves its value unchanged, except that the time of the last
 * change becomes now. A permission is stored in the share. */
bool smb_take(FilesCall *call, Json *properties, SmbWord word);
/* The same for a copy, with x-ms-file-copy-set-archive and x-ms-file-permission-copy-mode. A
 * missing header gives the value of a new file. */
bool smb_take_copy(FilesCall *call, Json *properties, ShareName source, const FilesEntry *entry);
/* The entry's properties without a time of change set by a client, so that the store's applies. */
const char *smb_changed_now(Arena *arena, const FilesEntry *entry);
/* Whether the request has all SMB headers, which versions 2019-02-02 to 2021-04-10 require when an
 * entry is created or its properties are set. */
bool smb_has_all_headers(FilesCall *call);
/* Sets the SMB headers, ETag and Last-Modified. Here and below `properties` are the parsed
 * properties of the entry. */
void smb_answer(FilesCall *call, const FilesEntry *entry, const Json *properties);
/* The same for the entry at `path`. */
void smb_answer_path(FilesCall *call, const char *path);
const char *smb_attributes(Arena *arena, const FilesEntry *entry, const Json *properties);
const char *smb_created(Arena *arena, const FilesEntry *entry, const Json *properties);
const char *smb_written(Arena *arena, const FilesEntry *entry, const Json *properties);
const char *smb_changed(Arena *arena, const FilesEntry *entry, const Json *properties);
const char *smb_permission_key(const Json *properties);
/* Refuses the request if the entry has the read-only attribute. */
bool smb_is_writable(FilesCall *call, const FilesEntry *entry);

/* --- Permissions (files_permission.c) --- */

/* Stores `sddl` in the share and returns its key; refuses an invalid permission. */
bool permission_keep(FilesCall *call, const char *sddl, const char **key);
/* Copies a permission from another share into the request's share; `*to` is "" for the inherited
 * permission. */
bool permission_copy(FilesCall *call, ShareName from, const char *key, const char **to);
/* Whether the share has a permission with that key. */
bool permission_has(const FilesCall *call, const char *key);
/* The key of the inherited permission. */
const char *permission_default_key(void);

#endif
