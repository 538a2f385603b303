/* Azure Files over HTTP: from a request to the handler of its operation.
 *
 * The operations are in emu/files/operations.h, their authorisation in emu/files/auth, the stored
 * shares and files in emu/files/store. */
#ifndef EMU_FILES_H
#define EMU_FILES_H

#include "emu/files/auth/auth.h"
#include "emu/files/auth/azure_files.h"
#include "emu/files/auth/sas.h"

/* Whether a request is for Azure Files: its host is a storage account, it came in at the userinfo
 * listener, or its path begins with an account's name and not with a word of the Resource Manager.
 */
bool files_serves(const AzureFiles *service, const HttpRequest *request);
void files_handle(AzureFiles *service, const HttpRequest *request, HttpResponse *response);

/* Answers an error with the headers of all other answers. */
void files_refuse(AzureFiles *service, const HttpRequest *request, HttpResponse *response,
                  int32_t status, const char *code, const char *message);
/* Answers a request whose writes could not be committed. */
void files_refuse_unwritten(AzureFiles *service, const HttpRequest *request,
                            HttpResponse *response);

#endif
