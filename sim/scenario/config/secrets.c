#include "sim/scenario/config/secrets.h"

#include "sim/base/ascii.h"
#include "sim/scenario/format/batchai_types.h"

static const Field *find_field(const ObjectType *type, const char *key)
{
    for (const Field *field = type->fields; field->name != NULL; field++)
        if (ascii_same(field->name, key))
            return field;
    return NULL;
}

/* Whether `type`, or a type that it contains, has a member `parent` whose objects have the secret
 * `key`. */
static bool hides(const ObjectType *type, const char *parent, const char *key)
{
    for (const Field *field = type->fields; field->name != NULL; field++) {
        if (field->type == NULL)
            continue;
        const Field *inner = ascii_same(field->name, parent) ? find_field(field->type, key) : NULL;
        if ((inner != NULL && inner->is_secret) || hides(field->type, parent, key))
            return true;
    }
    return false;
}

static bool is_kept(const char *parent, const char *key)
{
    return parent == NULL || (!hides(&cluster_type, parent, key) && !hides(&job_type, parent, key));
}

Json *without_secrets(Arena *arena, const Json *value)
{
    return json_copy(arena, value, is_kept);
}
