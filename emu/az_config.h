/* Configuration that directs the unmodified Azure CLI and SDKs to an emulator: a configuration
 * folder in az's format, and some variables. The user's folder (~/.azure) is never touched, and the
 * configuration contains no secret.
 *
 * az builds the names of storage hosts from the cloud's suffix, so there are two forms:
 *
 *     proxy       ACCOUNT.file.core.windows.net, through the emulator's CONNECT proxy (HTTPS_PROXY)
 *     userinfo    ACCOUNT.file.core.trainyard@127.0.0.1:PORT: a URL whose user name az takes for
 *                 the account's host, while the library `requests` connects to the address after
 *                 the '@'. It needs no proxy, but SAS tokens and az's older storage commands do
 *                 not work. */
#ifndef EMU_AZ_CONFIG_H
#define EMU_AZ_CONFIG_H

#include "emu/http/ready.h"
#include "sim/cli/shell_code.h"

typedef enum { AZ_PROXY, AZ_USERINFO } AzForm;

/* "FOLDER/az" or "FOLDER/az-no-proxy" */
const char *az_config_folder(Arena *arena, const Ready *ready, AzForm form);
/* Writes the folder, mode 0700, or updates it; az's other files in it are kept. */
MUST_CHECK bool az_config_write(const Ready *ready, AzForm form, Status *status);
/* The same for those of both forms that exist: the emulator's ports may have changed. */
MUST_CHECK bool az_config_refresh(const Ready *ready, Status *status);

/* Lines for the shell that set the variables, or unset them. */
void az_config_exports(const Ready *ready, AzForm form, CodeShell shell, Text *out);
void az_config_unsets(CodeShell shell, Text *out);
/* The variables to set, as an object; null: one to unset, because it would mislead. */
void az_config_json(const Ready *ready, AzForm form, Text *out);

#endif
