/* Every operation of Azure Files, named as in Microsoft's documentation. The same rows find the
 * operation of a request, say which permissions of a SAS it needs, and make the list of operations
 * in the documentation. */
#ifndef EMU_FILES_OPERATIONS_H
#define EMU_FILES_OPERATIONS_H

#include "emu/files/auth/auth.h"

typedef struct FilesCall FilesCall;
typedef void FilesHandler(FilesCall *call);

typedef enum {
    OF_SERVICE,
    OF_SHARE,
    OF_DIRECTORY,
    OF_FILE,
    OF_ENTRY, /* a directory or file: the query does not distinguish them */
    OF_HARD_LINK,
    OF_SYMBOLIC_LINK,
    OF_ANYTHING, /* preflight requests of browsers */
} FilesScope;

typedef struct {
    const char *name; /* "Create Share"; NULL ends the table */
    uint32_t methods; /* 1 << HttpMethod */
    FilesScope scope;
    const char *comp;   /* the query's comp; "" */
    const char *header; /* a header that the request must have; NULL */
    FilesNeeds needs;
    bool works_on_snapshots;
    FilesHandler *handler; /* NULL: not implemented */
} FilesOperation;

extern const FilesOperation files_operations[];

/* The row for a request; NULL after refusing the request. */
const FilesOperation *files_operation_find(FilesCall *call);

/* --- Handlers --- */

FilesHandler op_service_list, op_service_get, op_service_set;                   /* service.c */
FilesHandler op_preflight;                                                      /* cors.c */
FilesHandler op_share_create, op_share_get, op_share_delete, op_share_snapshot; /* share.c */
FilesHandler op_share_set, op_share_stats;
FilesHandler op_share_get_acl, op_share_set_acl;                         /* acl.c */
FilesHandler op_permission_create, op_permission_get;                    /* permission.c */
FilesHandler op_directory_create, op_directory_get, op_directory_delete; /* directory.c */
FilesHandler op_directory_set, op_directory_list, op_handles_list, op_handles_close;
FilesHandler op_file_create, op_file_get, op_file_head, op_file_delete, op_file_set; /* file.c */
FilesHandler op_range_put, op_range_put_from_url, op_range_list;                     /* ranges.c */
FilesHandler op_copy_start, op_copy_abort;                                           /* copy.c */
/* For shares, directories and files: */
FilesHandler op_entry_get_metadata, op_entry_set_metadata; /* metadata.c */
FilesHandler op_entry_lease;                               /* lease_action.c */
FilesHandler op_entry_rename;                              /* rename.c */

#endif
