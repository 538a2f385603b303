/* Azure Files over HTTP: what requests for shares, directories and files go through.
 *
 * Operations are in emu/files/operations.h, who may ask for them in emu/files/auth/auth.h and
 * emu/files/auth/sas.h, what there is in emu/files/store/file_store.h. */
#ifndef EMU_FILES_H
#define EMU_FILES_H

#include "emu/files/auth/auth.h"
#include "emu/files/auth/azure_files.h"
#include "emu/files/auth/sas.h"

/* Whether a request goes here: to a storage account's host, to the userinfo listener, or to a path
 * that begins with an account's name and not with a word of the Resource Manager's. */
bool files_serves(const AzureFiles *service, const HttpRequest *request);
void files_handle(const AzureFiles *service, const HttpRequest *request, HttpResponse *response);

/* Answers an error with all that the others carry. */
void files_refuse(const AzureFiles *service, const HttpRequest *request, HttpResponse *response,
                  int32_t status, const char *code, const char *message);
/* Answers a request whose writes did not get to the disk. */
void files_refuse_unwritten(const AzureFiles *service, const HttpRequest *request,
                            HttpResponse *response);

#endif
