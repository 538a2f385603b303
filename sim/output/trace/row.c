#include "sim/output/trace/row.h"

#include <stddef.h>
#include <string.h>

enum { CLUSTER = 1, NODE = 2, JOB = 4, SHARE = 8, NAME = 16 };

static const unsigned needs[] = {
    [TRACE_COMMAND_APPLIED] = NAME,
    [TRACE_COMMAND_SKIPPED] = NAME,
    [TRACE_COMMAND_REFUSED] = NAME,
    [TRACE_RESOURCE_CREATED] = NAME,
    [TRACE_RESOURCE_DELETED] = NAME,
    [TRACE_CLUSTER_PROVISIONING] = CLUSTER | NAME,
    [TRACE_CLUSTER_ALLOCATION] = CLUSTER | NAME,
    [TRACE_CLUSTER_READY] = CLUSTER,
    [TRACE_CLUSTER_SHOWN] = CLUSTER,
    [TRACE_NODE_STATE] = CLUSTER | NODE | NAME,
    [TRACE_CLUSTER_SCALING] = CLUSTER | NAME,
    [TRACE_CLUSTER_ERROR] = CLUSTER | NAME,
    [TRACE_NODE_ERROR] = CLUSTER | NODE | NAME,
    [TRACE_NODE_NOTICE] = CLUSTER | NODE,
    [TRACE_NODE_SPEED] = CLUSTER | NODE,
    [TRACE_GROUP_STRUCK] = NAME,
    [TRACE_JOB_ATTEMPT] = CLUSTER | JOB | NAME,
    [TRACE_JOB_STALLED] = CLUSTER | JOB | NODE,
    [TRACE_JOB_RESUMED] = CLUSTER | JOB | NAME,
    [TRACE_SHARE_STATE] = SHARE | NAME,
    [TRACE_FILE_SERVER_PROVISIONING] = NAME,
    [TRACE_FILE_SERVER_BILLED] = NAME,
    [TRACE_USAGES_SHOWN] = 0,
    [TRACE_NODE_BILLED] = CLUSTER | NODE | NAME,
    [TRACE_JOB_PROVISIONING] = CLUSTER | JOB | NAME,
    [TRACE_JOB_STATE] = CLUSTER | JOB | NAME,
    [TRACE_JOB_ERROR] = CLUSTER | JOB | NAME,
    [TRACE_JOB_STAGE] = CLUSTER | JOB | NODE | NAME,
    [TRACE_JOB_TRAINING] = CLUSTER | JOB,
    [TRACE_JOB_TRAINED] = CLUSTER | JOB,
    [TRACE_EPOCH] = CLUSTER | JOB,
    [TRACE_EVALUATION] = CLUSTER | JOB,
    [TRACE_CHECKPOINT] = CLUSTER | JOB | NODE | NAME,
    [TRACE_STEP] = CLUSTER | JOB | NODE,
    [TRACE_TRANSFER] = CLUSTER | JOB | NODE | SHARE | NAME,
    [TRACE_FILE_WRITTEN] = SHARE | NAME,
    [TRACE_FILE_DELETED] = SHARE | NAME,
    [TRACE_JOB_SHOWN] = CLUSTER | JOB,
    [TRACE_JOB_FILES_SHOWN] = CLUSTER | JOB,
    [TRACE_RUN_ENDED] = 0,
};
_Static_assert(sizeof needs / sizeof needs[0] == TRACE_KIND_COUNT, "one row per kind");

const char *trace_row_lacks(const TraceRow *row)
{
    const unsigned need = needs[row->record.kind];
    if ((need & CLUSTER) && row->cluster == NULL)
        return "cluster";
    if ((need & NODE) && row->node == NULL)
        return "node";
    if ((need & JOB) && row->job == NULL)
        return "job";
    if ((need & SHARE) && row->share == NULL)
        return "share";
    if ((need & NAME) && row->record.name == NULL)
        return "name";
    return NULL;
}

void trace_row_print_error(Text *out, const TraceRow *row)
{
    const char *error = row->record.name;
    Text repeated = {0};
    text_printf(&repeated, "node %s: ", row->node);
    const char *found = strstr(error, text_string(&repeated));
    if (found != NULL) {
        text_append(out, error, (size_t)(found - error));
        error = found + repeated.length;
    }
    text_add(out, error);
    text_free(&repeated);
}
