/* The commands about files on shares, and the files that a scenario has on its shares at the start.
 * Private to sim/scenario. */
#ifndef SIM_SCENARIO_COMMAND_SHARE_FILES_H
#define SIM_SCENARIO_COMMAND_SHARE_FILES_H

#include "sim/scenario/command/creators.h"

/* The upload of `content`: the name of a local file, {"bytes": size} or {"text": "..."}. Returns
 * false when `file` is not a path on a share; a content that cannot be read is reported only. */
bool upload_bind(const CommandBinder *binder, const char *share, const char *file,
                 const Json *content, Place at, Command *command);

/* Refuses a share that no command creates. */
void share_name_check(const ConfigContext *context, const CommandText *text);
/* A file.upload; false as upload_bind, or when a member is missing. */
bool file_upload_bind(const CommandBinder *binder, const CommandText *text, Command *command);
void file_delete_bind(const CommandBinder *binder, const CommandText *text, Command *command);

#endif
