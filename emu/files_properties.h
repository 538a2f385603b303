/* What clients say of directories and files in headers, and are told again: content headers,
 * metadata, and what SMB knows of a file (attributes, times, permission).
 *
 * The store keeps them as JSON objects. Properties: "content-type", "content-encoding",
 * "content-language", "cache-control", "content-disposition", "content-md5", "attributes",
 * "creation-time", "last-write-time", "permission-key", and of copies "copy-id", "copy-source",
 * "copy-progress", "copy-completion-time". A member that is "" is none. */
#ifndef EMU_FILES_PROPERTIES_H
#define EMU_FILES_PROPERTIES_H

#include "emu/files_call.h"

/* --- Content headers --- */

/* Takes x-ms-content-type and its like; those that are not sent become "". `*is_any`: whether one
 * was sent. */
bool content_take(FilesCall *call, Json *properties, bool *is_any);
/* Content-Type, ... of Get File; Content-MD5 belongs to the whole contents, and is
 * x-ms-content-md5 with a part of them. */
void content_tell(FilesCall *call, const Json *properties, bool is_whole);

/* As the store keeps what the functions here and below have taken: what is "" reads the same when
 * it is not there, and goes. */
const char *properties_print(Arena *arena, const Json *properties);

/* --- What SMB knows --- */

/* Takes x-ms-file-attributes, -creation-time, -last-write-time, -permission, -permission-key;
 * those that are not sent, and "preserve", leave it as it is. A permission is kept in the share. */
bool smb_take(FilesCall *call, Json *properties, const FilesEntry *old);
/* With ETag and Last-Modified. Here and below `properties` are the entry's, read. */
void smb_tell(FilesCall *call, const FilesEntry *entry, const Json *properties);
/* The same of what is there now at `path`. */
void smb_tell_path(FilesCall *call, const char *path);
const char *smb_attributes(Arena *arena, const FilesEntry *entry, const Json *properties);
const char *smb_created(Arena *arena, const FilesEntry *entry, const Json *properties);
const char *smb_written(Arena *arena, const FilesEntry *entry, const Json *properties);
const char *smb_changed(Arena *arena, const FilesEntry *entry);
const char *smb_permission_key(const Json *properties);
/* Refuses where the read-only attribute is set. */
bool smb_is_writable(FilesCall *call, const FilesEntry *entry);

/* --- Metadata --- */

/* All x-ms-meta-NAME of the request; "" without any. */
bool metadata_take(FilesCall *call, const char **metadata);
/* Gives it to the directory or file that the call is about, and answers. */
void metadata_set(FilesCall *call);
void metadata_tell(FilesCall *call, const char *metadata);
void metadata_write(XmlWriter *xml, Arena *arena, const char *metadata); /* <Metadata> */

/* --- Permissions (files_permission.c) --- */

/* Keeps `sddl` in the share and says by which key; refuses what is no permission. */
bool permission_keep(FilesCall *call, const char *sddl, const char **key);
/* Whether the share has one under that key. */
bool permission_has(const FilesCall *call, const char *key);
/* Of whatever was given none of its own: what it inherits. */
const char *permission_default_key(void);

#endif
