/* Checks the form of a command, and finds the path of its resource. Private to sim/scenario. */
#ifndef SIM_SCENARIO_COMMAND_CHECK_H
#define SIM_SCENARIO_COMMAND_CHECK_H

#include "sim/scenario/config/config_context.h"
#include "sim/scenario/format/command_members.h"

/* Refuses members that this kind of command does not take or lacks, and ill-formed names. */
void command_check(const ConfigContext *context, const CommandText *command);

/* Refuses members of `object`, a command or fault of this kind, that it may not have, and reports
 * needed members that are missing. */
void members_check(const ConfigContext *context, const Json *object, const ObjectType *type,
                   CommandKind kind);

/* Whether the command's kind and all parts of its resource's path are known. */
bool command_is_placed(const CommandText *command);

/* Refuses a name that is empty, longer than `length_max`, or has anything but letters, digits and
 * the characters of `more`. */
void name_check(const ConfigContext *context, BoundText name, const char *more, size_t length_max);
bool name_is_formed(const char *name, const char *more, size_t length_max);

/* For names of clusters, jobs, file servers. */
#define COMMAND_NAME_MORE "-_"
enum { COMMAND_NAME_MAX = 64 };

/* Source: Azure's naming rules for resource groups; the last character must not be a period. */
#define GROUP_NAME_MORE "-_.()"
enum { GROUP_NAME_MAX = 90 };

/* Source: Azure's naming rules for storage accounts, file shares and blob containers. */
#define ACCOUNT_NAME_MORE ""
#define SHARE_NAME_MORE "-$"
enum { ACCOUNT_NAME_MAX = 24, SHARE_NAME_MAX = 63 };

/* The path of the command's resource; parts that the command does not name are the scenario's. */
ResourcePath command_path(const ScenarioText *text, const CommandText *command);

#endif
