/* Shares for the dashboard, read without signatures and never changed.
 *
 *     GET /trainyard/files?share=ACCOUNT/SHARE&path=a/b      {"share", "path", "entries": [...],
 *                                                             "next": null}
 *     GET /trainyard/file?share=ACCOUNT/SHARE&path=a/b.txt   its bytes, for saving
 *
 * Entries are {"name", "kind": "directory"}, or "file" with "bytes" and "written"; "next" is the
 * value of &after= that continues the list. With &last=N only the last N bytes of a file are sent;
 * X-File-Bytes is the size of the file. */
#ifndef EMU_FILES_BROWSE_H
#define EMU_FILES_BROWSE_H

#include "emu/files/store/file_store.h"
#include "emu/http/http.h"

void files_browse_list(FileStore *files, const HttpRequest *request, HttpResponse *response);
void files_browse_get(FileStore *files, const HttpRequest *request, HttpResponse *response);

#endif
