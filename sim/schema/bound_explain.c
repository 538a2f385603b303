#include "sim/schema/bound_explain.h"

/* Explains a value of the file, or the default of an absent value. */
static void explain_value(Explanation *explanation, const char *name, const Field *field,
                          const Json *node)
{
    bool is_written = node != NULL && node->at.source != NULL;
    const char *value = node != NULL ? json_bare_text(explanation->arena, node) : field->fallback;
    if (field->is_secret && is_written)
        value = "(secret)";
    if (value != NULL)
        explain(explanation, arena_printf(explanation->arena, "%s%s", name, field->name), value,
                is_written ? place_text(explanation->arena, node->at) : "default");
}

void bound_explain(Explanation *explanation, const char *name, const ObjectType *type,
                   const void *bound)
{
    Arena *arena = explanation->arena;
    const char *prefix = name[0] == '\0' ? "" : arena_printf(arena, "%s ", name);
    for (const Field *field = type->fields; field->name != NULL; field++) {
        const char *member = (const char *)bound + field->offset;
        const char *path = arena_printf(arena, "%s%s", prefix, field->name);
        switch (bound_as(field->kind)) {
        case BOUND_TEXT:
            explain_value(explanation, prefix, field,
                          ((const BoundText *)(const void *)member)->node);
            break;
        case BOUND_INTEGER:
            explain_value(explanation, prefix, field,
                          ((const BoundInteger *)(const void *)member)->node);
            break;
        case BOUND_NODE:
            explain_value(explanation, prefix, field, *(const Json *const *)(const void *)member);
            break;
        case BOUND_OBJECT: {
            const void *object = *(const void *const *)(const void *)member;
            if (object != NULL)
                bound_explain(explanation, path, field->type, object);
            break;
        }
        case BOUND_LIST: {
            const BoundList *list = (const void *)member;
            for (int32_t i = 0; i < list->count; i++)
                bound_explain(explanation, arena_printf(arena, "%s[%d]", path, (int)i), field->type,
                              list->items[i]);
            break;
        }
        }
    }
}
