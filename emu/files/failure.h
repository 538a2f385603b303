/* The errors with which Azure Files answers failures of its store. */
#ifndef EMU_FILES_FAILURE_H
#define EMU_FILES_FAILURE_H

#include "emu/files/store/file_store.h"
#include "emu/http/azure_error.h"

/* AZURE_OK for FILES_OK. */
AzureError files_failure_error(FilesFailure failure);

#endif
