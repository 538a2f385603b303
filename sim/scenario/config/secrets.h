/* Secrets that are never stored: account keys, passwords, values of secret variables. The tables
 * of cluster.json and job.json mark them (Field.is_secret). */
#ifndef SIM_SCENARIO_SECRETS_H
#define SIM_SCENARIO_SECRETS_H

#include "sim/json/json.h"

/* A copy of a command, cluster.json, job.json or body of a request without the members that hold
 * secrets, at any depth and in any letter case. The result has the same meaning. */
Json *without_secrets(Arena *arena, const Json *value);

#endif
