#include "sim/cloud/cluster/crew.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/cloud/cluster/tables.h"
#include "sim/model/bounded.h"

static bool is_crew_free(const Clusters *clusters)
{
    const int32_t crews = clusters->scenario->failures.repair_crews;
    return crews == 0 || clusters->crews.busy < crews;
}

/* A crew works on the node for the rest of its repair time, which began at `since_ns`. */
static void begin_repair(Clusters *clusters, Node *node, int64_t since_ns)
{
    const int64_t now_ns = clusters->engine->now_ns;
    const int64_t over_ns = bounded_add(since_ns, node->failure->repair_ns);
    node->repair = REPAIR_BEGUN;
    clusters->crews.busy++;
    engine_push_at(clusters->engine, over_ns > now_ns ? over_ns : now_ns, EVENT_NODE_REPAIRED,
                   node->id.index, node->life, 0);
}

/* A node calls a crew when it becomes unusable. */
static void emit(Clusters *clusters, const Node *node, const char *name)
{
    TraceRecord *record = node_trace(clusters, TRACE_NODE_REPAIR, node);
    record->name = name;
    record->since_ns = node->state_since_ns;
    record->node_repair.crews = clusters->scenario->failures.repair_crews;
    record->node_repair.waiting = clusters->crews.waiting_count;
    recorder_emit(clusters->recorder);
}

/* Whether `left` gets a crew before `right`. */
static bool is_before(const Clusters *clusters, NodeId left, NodeId right)
{
    const Node *a = node_by_id(clusters, left), *b = node_by_id(clusters, right);
    if (a->failed_ns != b->failed_ns)
        return a->failed_ns < b->failed_ns;
    return left.index < right.index;
}

static void reserve_waiting(Clusters *clusters)
{
    enum { WAITING_AT_FIRST = 16 };
    Crews *crews = &clusters->crews;
    if (crews->waiting_count < crews->capacity)
        return;
    crews->capacity = crews->capacity > 0 ? 2 * crews->capacity : WAITING_AT_FIRST;
    NodeId *larger = ARENA_ARRAY(clusters->arena, NodeId, crews->capacity);
    if (crews->waiting_count > 0)
        memcpy(larger, crews->waiting, (size_t)crews->waiting_count * sizeof *larger);
    crews->waiting = larger;
}

static void wait_for_crew(Clusters *clusters, Node *node)
{
    Crews *crews = &clusters->crews;
    reserve_waiting(clusters);
    int32_t at = crews->waiting_count++;
    for (; at > 0 && is_before(clusters, node->id, crews->waiting[at - 1]); at--)
        crews->waiting[at] = crews->waiting[at - 1];
    crews->waiting[at] = node->id;
    node->repair = REPAIR_WAITS;
    emit(clusters, node, "waiting");
}

static void stop_waiting(Crews *crews, NodeId node)
{
    int32_t at = 0;
    while (crews->waiting[at].index != node.index)
        at++;
    crews->waiting_count--;
    memmove(crews->waiting + at, crews->waiting + at + 1,
            (size_t)(crews->waiting_count - at) * sizeof *crews->waiting);
}

void crew_called(Clusters *clusters, Node *node)
{
    if (is_crew_free(clusters))
        begin_repair(clusters, node, node->failed_ns);
    else
        wait_for_crew(clusters, node);
}

void crew_dismissed(Clusters *clusters, Node *node)
{
    Crews *crews = &clusters->crews;
    const NodeRepair was = node->repair;
    node->repair = REPAIR_NONE;
    if (was == REPAIR_WAITS)
        stop_waiting(crews, node->id);
    if (was != REPAIR_BEGUN)
        return;
    crews->busy--;
    if (crews->waiting_count == 0)
        return;
    Node *next = node_row(clusters, crews->waiting[0]);
    stop_waiting(crews, next->id);
    emit(clusters, next, "begun");
    begin_repair(clusters, next, clusters->engine->now_ns);
}

void crews_check(const Clusters *clusters)
{
    const Crews *crews = &clusters->crews;
    int32_t busy = 0, waiting = 0;
    for (uint32_t n = 0; (n = node_next(clusters, n)) < clusters->nodes.count; n++) {
        const Node *node = node_by_id(clusters, (NodeId){n});
        invariant(node->repair == REPAIR_NONE || node->state == NODE_UNUSABLE);
        busy += node->repair == REPAIR_BEGUN;
        waiting += node->repair == REPAIR_WAITS;
    }
    invariant(busy == crews->busy);
    invariant(waiting == crews->waiting_count);
    invariant(waiting == 0 || !is_crew_free(clusters));
    invariant(clusters->scenario->failures.repair_crews == 0 ||
              busy <= clusters->scenario->failures.repair_crews);
    for (int32_t i = 0; i < waiting; i++) {
        invariant(node_by_id(clusters, crews->waiting[i])->repair == REPAIR_WAITS);
        invariant(i == 0 || is_before(clusters, crews->waiting[i - 1], crews->waiting[i]));
    }
}
