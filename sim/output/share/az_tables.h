/* The tables that `az batchai ... --output table` prints, letter for letter, and the commands that
 * print them. Columns: azure-cli's batchai module (its table transformers); layout:
 * sim/base/table.h. */
#ifndef SIM_OUTPUT_AZ_TABLES_H
#define SIM_OUTPUT_AZ_TABLES_H

#include "sim/base/text.h"
#include "sim/cloud/cluster/cluster.h"
#include "sim/cloud/job/job.h"
#include "sim/cloud/world.h"
#include "sim/output/share/job_files.h"

/* az batchai cluster show. State: allocationState, or "deleting". */
void az_cluster_table(Text *out, const Cluster *cluster);
/* az batchai job show, of a job on `cluster`. Exit code is blank where there is none. */
void az_job_table(Text *out, const Job *job, const Cluster *cluster);
/* az batchai job file list. */
void az_file_table(Text *out, const FileEntry *entries, int32_t count);

/* az batchai list-usages: what clusters hold of the subscription's quotas, in the service's order.
 * A limit of -1 is none. The names are those of its answers of 2018. */
void az_usage_table(Text *out, const World *world);

/* az batchai cluster show --query nodeStateCounts; az batchai job show --query executionState: JSON
 * with its members in order of name, as az prints it. */
void az_cluster_counts(Text *out, const Cluster *cluster);
void az_job_state(Text *out, const Job *job);

/* "az batchai cluster show --name gpu --workspace dev --resource-group rg --output table", or with
 * `--query "nodeStateCounts"` instead of the last two words; without a line end. */
void az_cluster_show(Text *out, const Cluster *cluster, ShowQuery query);
void az_job_show(Text *out, const Job *job, ShowQuery query);
void az_job_file_list(Text *out, const Job *job);
void az_list_usages(Text *out, const Scenario *scenario);

#endif
