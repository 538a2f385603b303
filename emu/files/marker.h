/* Lists in pieces: which part of one is asked for.
 *
 * A marker is the prefix and the last name that was told, in base64. It carries the prefix because
 * some clients send another one with the marker than they sent before. */
#ifndef EMU_FILES_MARKER_H
#define EMU_FILES_MARKER_H

#include "emu/files/call.h"

typedef struct {
    const char *prefix;
    const char *after;  /* the last name that was told; "" at the beginning */
    const char *marker; /* as the client sent it; "" */
} ListPage;

/* prefix and marker of the query. */
bool list_page_read(FilesCall *call, ListPage *page);
/* <Prefix>, <Marker> and <MaxResults>, as they were asked for. Without a prefix there is no
 * <Prefix>: the Python SDK asks for the next piece with what it makes of an empty one. */
void list_page_write(FilesCall *call, XmlWriter *xml, const ListPage *page);
const char *list_marker(Arena *arena, const char *prefix, const char *name);

#endif
