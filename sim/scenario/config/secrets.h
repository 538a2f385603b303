/* What nobody keeps: account keys, passwords, values of secret variables. Which members those are
 * stands in the tables of cluster.json and job.json (Field.is_secret). */
#ifndef SIM_SCENARIO_SECRETS_H
#define SIM_SCENARIO_SECRETS_H

#include "sim/json/json.h"

/* A copy of a command, cluster.json, job.json or body of a request without the members that hold
 * secrets, wherever they stand and in any letter case. Without them it means the same. */
Json *without_secrets(Arena *arena, const Json *value);

#endif
