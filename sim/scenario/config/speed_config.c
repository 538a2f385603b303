#include "sim/scenario/config/speed_config.h"

void speeds_set(KindSpeeds *speeds, KindSet kinds, int64_t ppm)
{
    for (int32_t k = 0; k < NODE_KINDS_MAX; k++)
        if ((kinds >> k & 1) != 0 && speeds->ppm[k] == 0)
            speeds->ppm[k] = (int32_t)ppm;
}

bool speeds_check(const ConfigContext *context, const Json *speeds)
{
    const int32_t problems_before = context->problems->count;
    if (speeds != NULL && (speeds->kind != JSON_OBJECT || speeds->count == 0))
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(speeds),
                     "speeds is not an object such as {\"V100\": 1, \"A100\": 2.5}");
    else
        for (const Json *speed = speeds != NULL ? speeds->first : NULL; speed != NULL;
             speed = speed->next)
            (void)kind_speed_read(context, speed,
                                  arena_printf(context->arena, "the speed on \"%s\"", speed->key));
    return context->problems->count == problems_before;
}

/* Adds what one object states. */
static void add_stated(const ConfigContext *context, const ClusterSpec *spec, const Json *stated,
                       KindSpeeds *speeds)
{
    KindSet done = 0;
    for (const Json *speed = stated->first; speed != NULL; speed = speed->next) {
        const KindSet kinds = kinds_find(context, spec, speed->key_at, speed->key);
        if ((kinds & done) != 0)
            status_hint(problems_add(context->problems, STATUS_BAD_INPUT, speed->key_at,
                                     "\"%s\" is a kind of nodes whose speed is stated already",
                                     speed->key),
                        "a kind has one speed, by its name, VM size or GPU model");
        speeds_set(speeds, kinds, kind_speed_read(context, speed, "speed"));
        done |= kinds;
    }
}

const KindSpeeds *speeds_of_job(const ConfigContext *context, const ClusterConfig *cluster,
                                const Json *own, const Json *of_program)
{
    const int32_t problems_before = context->problems->count;
    const bool has_kinds = cluster->spec.kind_count > 0;
    KindSpeeds speeds = {{0}};
    if (!speeds_check(context, own) || cluster->text == NULL || cluster->spec.vm_size == NULL)
        return NULL;
    if (own != NULL && kinds_are_stated(context, cluster, own))
        add_stated(context, &cluster->spec, own, &speeds);
    if (of_program != NULL && has_kinds)
        add_stated(context, &cluster->spec, of_program, &speeds);
    if (!has_kinds || (own == NULL && of_program == NULL) ||
        context->problems->count != problems_before)
        return NULL;
    KindSpeeds *kept = ARENA_NEW(context->arena, KindSpeeds);
    *kept = speeds;
    return kept;
}
