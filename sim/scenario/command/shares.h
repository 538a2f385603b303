/* The shares that a scenario has. Private to sim/scenario. */
#ifndef SIM_SCENARIO_SCENARIO_SHARES_H
#define SIM_SCENARIO_SCENARIO_SHARES_H

#include "sim/scenario/config/config_context.h"

/* Adds to `context` the shares that the scenario's storage and its share.create and
 * fileserver.create commands make, with their files, including uploads. Also sets the account that
 * replaces the placeholder in job files: the first one, where accounts of the storage precede those
 * of commands. */
void scenario_shares(ConfigContext *context, const ScenarioText *text);

/* The name of a share or container of the scenario's storage; both have a name. In `arena`. */
const char *stored_share_name(Arena *arena, const StorageText *storage, const ShareText *share);

/* Reports an unknown tier of a share.create command. */
void share_command_check(const ConfigContext *context, const CommandText *command);
/* The limits of the share of such a command; NULL when they are not known. */
const ShareTier *share_command_tier(const ConfigContext *context, const CommandText *command);
/* The limits of the disks of a fileserver.create command; NULL when they are not known. */
const ShareTier *file_server_tier(const ConfigContext *context, const CommandText *command);

#endif
