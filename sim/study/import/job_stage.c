#include "sim/study/import/job_stage.h"

#include <string.h>

#include "sim/base/ascii.h"

/* States of sacct(1), of Kubernetes' pods, of PAI and of tables that people make. */
static const struct {
    const char *word;
    ImportStage stage;
} stages[] = {{"pending", STAGE_WAITS},       {"waiting", STAGE_WAITS},
              {"queued", STAGE_WAITS},        {"requeue_hold", STAGE_WAITS},
              {"requeue_fed", STAGE_WAITS},   {"special_exit", STAGE_WAITS},
              {"running", STAGE_RUNS},        {"suspended", STAGE_RUNS},
              {"resizing", STAGE_RUNS},       {"completing", STAGE_RUNS},
              {"configuring", STAGE_RUNS},    {"signaling", STAGE_RUNS},
              {"stage_out", STAGE_RUNS},      {"completed", STAGE_ENDED},
              {"cancelled", STAGE_ENDED},     {"canceled", STAGE_ENDED},
              {"failed", STAGE_ENDED},        {"timeout", STAGE_ENDED},
              {"node_fail", STAGE_ENDED},     {"out_of_memory", STAGE_ENDED},
              {"out_of_me", STAGE_ENDED},     {"preempted", STAGE_ENDED},
              {"deadline", STAGE_ENDED},      {"boot_fail", STAGE_ENDED},
              {"launch_failed", STAGE_ENDED}, {"reconfig_fail", STAGE_ENDED},
              {"revoked", STAGE_ENDED},       {"requeued", STAGE_ENDED},
              {"terminated", STAGE_ENDED},    {"succeeded", STAGE_ENDED},
              {"success", STAGE_ENDED},       {"done", STAGE_ENDED},
              {"pass", STAGE_ENDED},          {"ok", STAGE_ENDED},
              {"killed", STAGE_ENDED},        {"error", STAGE_ENDED},
              {"evicted", STAGE_ENDED},       {"finished", STAGE_ENDED},
              {"aborted", STAGE_ENDED}};

ImportStage import_stage(Cell state)
{
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        if (strlen(stages[i].word) == (size_t)state.length &&
            ascii_same_start(stages[i].word, state.text, (size_t)state.length))
            return stages[i].stage;
    return STAGE_UNKNOWN;
}
