/* Any bytes as the follow.json of a plan of the small scenario: reading ends with an outcome or
 * with problems, and an outcome can be printed. */
#include <stdint.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/study/follow/follow_text.h"
#include "tests/support/memory_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char plan_text[] =
    "{\"trainyard_study\": 1, \"scenario\": \"scenario.json\", \"factors\": {\"fidelity\": "
    "{\"set\": \"/fidelity\", \"values\": [\"job\", \"epoch\"]}}, \"metrics\": "
    "[\"cost_usd.total\"], \"minimise\": \"cost_usd.total\", \"subject_to\": [{\"metric\": "
    "\"jobs.train.queue_s\", \"at_most\": \"20m\"}]}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_create();
    MemoryFiles files = small_scenario(arena);
    memory_files_set(&files, "study.json", plan_text, strlen(plan_text));
    memory_files_set(&files, "plan/follow.json", (const char *)data, size);
    Problems problems = problems_create(arena);
    const FileSource source = memory_files_source(&files);
    const Study *plan = study_read(arena, source, "study.json", &problems);
    invariant(plan != NULL);
    FollowOutcome outcome;
    const bool is_read = follow_outcome_read(arena, source, "plan", plan, &outcome, &problems);
    invariant(is_read == (problems.count == 0));
    if (is_read) {
        Text text = {0};
        follow_text_print(&outcome, plan, &text);
        text_free(&text);
        invariant(follow_findings_json(arena, &outcome, plan) != NULL);
    }
    arena_destroy(arena);
    return 0;
}
