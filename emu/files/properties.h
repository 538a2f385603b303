/* What clients say of directories and files in headers, and are told again: content headers,
 * metadata, and what SMB knows of a file (attributes, times, permission).
 *
 * The store keeps them as JSON objects. Properties: "content-type", "content-encoding",
 * "content-language", "cache-control", "content-disposition", "content-md5", "untyped" (its type
 * was cleared), "attributes",
 * "creation-time", "last-write-time", "change-time" (until something changes again),
 * "permission-key", and of copies "copy-id", "copy-source", "copy-progress",
 * "copy-completion-time". A member that is "" is none. */
#ifndef EMU_FILES_PROPERTIES_H
#define EMU_FILES_PROPERTIES_H

#include "emu/files/call.h"

/* --- Content headers --- */

/* Takes x-ms-content-type and its like; those that are not sent become "". `*is_any`: whether one
 * was sent. */
bool content_take(FilesCall *call, Json *properties, bool *is_any);
/* What was taken in the place of what a file has: all that was not sent is gone. */
void content_replace(Arena *arena, Json *properties, const Json *taken);
/* Content-Type, ... of Get File; Content-MD5 belongs to the whole contents, and is
 * x-ms-content-md5 with a part of them. */
void content_tell(FilesCall *call, const Json *properties, bool is_whole);

/* As the store keeps what the functions here and below have taken: what is "" reads the same when
 * it is not there, and goes. */
const char *properties_print(Arena *arena, const Json *properties);

/* --- What SMB knows --- */

/* The word that stands in a header for what an entry has: "preserve" for what is changed, "source"
 * for what is copied. */
typedef struct {
    const char *word; /* NULL: there is none, for what is new */
    const FilesEntry *entry;
} SmbWord;

/* Takes x-ms-file-attributes, -creation-time, -last-write-time, -change-time, -permission,
 * -permission-key; what is not sent stays as it is, but for the time of the last change, which is
 * now. A permission is kept in the share. */
bool smb_take(FilesCall *call, Json *properties, SmbWord word);
/* The same of a copy, and x-ms-file-copy-set-archive, x-ms-file-permission-copy-mode: it has what
 * is said, else what a new file has. */
bool smb_take_copy(FilesCall *call, Json *properties, ShareName source, const FilesEntry *entry);
/* The entry's properties when it changes now and no time is said: the store's then. */
const char *smb_changed_now(Arena *arena, const FilesEntry *entry);
/* Versions 2019-02-02 to 2021-04-10 have whoever makes something, or sets its properties, say all
 * of these. */
bool smb_is_said(FilesCall *call);
/* With ETag and Last-Modified. Here and below `properties` are the entry's, read. */
void smb_tell(FilesCall *call, const FilesEntry *entry, const Json *properties);
/* The same of what is there now at `path`. */
void smb_tell_path(FilesCall *call, const char *path);
const char *smb_attributes(Arena *arena, const FilesEntry *entry, const Json *properties);
const char *smb_created(Arena *arena, const FilesEntry *entry, const Json *properties);
const char *smb_written(Arena *arena, const FilesEntry *entry, const Json *properties);
const char *smb_changed(Arena *arena, const FilesEntry *entry, const Json *properties);
const char *smb_permission_key(const Json *properties);
/* Refuses where the read-only attribute is set. */
bool smb_is_writable(FilesCall *call, const FilesEntry *entry);

/* --- Permissions (files_permission.c) --- */

/* Keeps `sddl` in the share and says by which key; refuses what is no permission. */
bool permission_keep(FilesCall *call, const char *sddl, const char **key);
/* What another share has under the key, in the request's share; "" for what is inherited. */
bool permission_copy(FilesCall *call, ShareName from, const char *key, const char **to);
/* Whether the share has one under that key. */
bool permission_has(const FilesCall *call, const char *key);
/* Of whatever was given none of its own: what it inherits. */
const char *permission_default_key(void);

#endif
