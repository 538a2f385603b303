#include "sim/scenario/variables.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/scenario/glob.h"

#define SERVICE_PREFIX "AZ_BATCHAI_"
#define INPUT_PREFIX SERVICE_PREFIX "INPUT_"
#define OUTPUT_PREFIX SERVICE_PREFIX "OUTPUT_"

struct UnreadVariables {
    const char *pattern;
    const UnreadVariables *next;
};

Variables variables_create(const ConfigContext *context, const Mounts *mounts)
{
    return (Variables){.arena = context->arena, .problems = context->problems, .mounts = mounts};
}

void variables_add(Variables *variables, const char *prefix, const char *id, const char *value)
{
    enum { CAPACITY_AT_FIRST = 16 };
    if (variables->count == variables->capacity) {
        int32_t capacity = variables->capacity == 0 ? CAPACITY_AT_FIRST : 2 * variables->capacity;
        EnvironmentVariable *items = ARENA_ARRAY(variables->arena, EnvironmentVariable, capacity);
        if (variables->count > 0)
            memcpy(items, variables->items, (size_t)variables->count * sizeof(EnvironmentVariable));
        variables->items = items;
        variables->capacity = capacity;
    }
    variables->items[variables->count++] = (EnvironmentVariable){
        .name = arena_printf(variables->arena, "%s%s", prefix, id), .value = value};
}

void variables_add_unread(Variables *variables, const char *prefix, const char *id)
{
    UnreadVariables *unread = ARENA_NEW(variables->arena, UnreadVariables);
    unread->pattern = arena_printf(variables->arena, "%s%s", prefix, id);
    unread->next = variables->unread;
    variables->unread = unread;
}

static bool is_unread(const Variables *variables, const char *name)
{
    for (const UnreadVariables *unread = variables->unread; unread != NULL; unread = unread->next)
        if (glob_matches(unread->pattern, name))
            return true;
    return false;
}

static const EnvironmentVariable *find(const Variables *variables, const char *name)
{
    for (int32_t i = 0; i < variables->count; i++)
        if (strcmp(variables->items[i].name, name) == 0)
            return &variables->items[i];
    return NULL;
}

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Names the kind of variable that was meant, and those of that kind that exist. */
static void unknown_variable(const Variables *variables, const char *name, Place at)
{
    static const struct {
        const char *prefix, *kind, *hint; /* when there is none of that kind */
    } kinds[] = {
        {INPUT_PREFIX, "input directory id", "no \"inputDirectories\" can be used here"},
        {OUTPUT_PREFIX, "output directory id", "no \"outputDirectories\" can be used here"},
        {SERVICE_PREFIX, "variable", ""},
    };
    size_t kind = 0;
    while (!starts_with(name, kinds[kind].prefix))
        kind++;
    bool is_whole = strcmp(kinds[kind].prefix, SERVICE_PREFIX) == 0;
    size_t skipped = is_whole ? 0 : strlen(kinds[kind].prefix);
    const char **names = ARENA_ARRAY(variables->arena, const char *, variables->count);
    int32_t count = 0;
    for (int32_t i = 0; i < variables->count; i++)
        if (starts_with(variables->items[i].name, kinds[kind].prefix))
            names[count++] = variables->items[i].name + skipped;
    Status *problem =
        bind_unknown_name(variables->problems, at, kinds[kind].kind, name + skipped, names, count);
    if (count == 0)
        status_hint(problem, "%s", kinds[kind].hint);
}

static bool is_name_letter(char c)
{
    return ascii_is_alphanumeric(c) || c == '_';
}

/* The name behind the '$' at `dollar`, and the number of bytes from the '$' on that it takes; NULL
 * when no name stands there. */
static const char *variable_name(Arena *arena, const char *dollar, size_t *taken)
{
    bool has_brace = dollar[1] == '{';
    const char *start = dollar + 1 + has_brace;
    size_t length = 0;
    while (is_name_letter(start[length]))
        length++;
    if (length == 0 || (has_brace && start[length] != '}'))
        return NULL;
    *taken = length + 1 + 2 * (size_t)has_brace;
    return arena_strndup(arena, start, length);
}

/* Bytes up to the end of the word: what the shell would take as one path. */
static size_t word_length(const char *text)
{
    return strcspn(text, " \t\n\"';|&<>()$:,");
}

/* A path below a mount root must be on a mount; otherwise false. */
static bool check_mounted(const Variables *variables, const char *name, const char *root,
                          const char *rest, Place at)
{
    if (strcmp(name, SERVICE_PREFIX "MOUNT_ROOT") != 0 &&
        strcmp(name, SERVICE_PREFIX "JOB_MOUNT_ROOT") != 0)
        return true;
    int length = (int)word_length(rest);
    if (rest[0] != '/' || length == 1)
        return true; // the root itself
    const char *inside;
    const char *path =
        path_tidy(variables->arena, arena_printf(variables->arena, "%s%.*s", root, length, rest));
    if (mounts_find(variables->mounts, path, &inside) != NULL)
        return true;
    mounts_hint(problems_add(variables->problems, STATUS_BAD_INPUT, at, "$%s%.*s is under no mount",
                             name, length, rest),
                variables->mounts);
    return false;
}

/* Refuses a name that should be a variable and is none; false when what it stands for cannot be
 * known. */
static bool check_foreign(const Variables *variables, const char *name, Place at)
{
    if (is_unread(variables, name))
        return false;
    if (!starts_with(name, SERVICE_PREFIX))
        return true;
    unknown_variable(variables, name, at);
    return false;
}

const char *variables_expand(const Variables *variables, BoundText text)
{
    if (text.value == NULL)
        return NULL;
    Text out = {0};
    bool is_known = true;
    for (const char *in = text.value;;) {
        size_t plain = strcspn(in, "$");
        text_append(&out, in, plain);
        in += plain;
        if (*in == '\0')
            break;
        size_t taken = 1;
        const char *name = variable_name(variables->arena, in, &taken);
        const EnvironmentVariable *variable = name != NULL ? find(variables, name) : NULL;
        if (variable != NULL && variable->value != NULL) {
            text_add(&out, variable->value);
            is_known &=
                check_mounted(variables, name, variable->value, in + taken, json_at(text.node));
        } else {
            text_append(&out, in, taken);
            is_known &= name == NULL || variable != NULL ||
                        check_foreign(variables, name, json_at(text.node));
        }
        in += taken;
    }
    const char *expanded = is_known ? arena_strdup(variables->arena, text_string(&out)) : NULL;
    text_free(&out);
    return expanded;
}

void variables_check_command(const ConfigContext *context, const Variables *variables,
                             BoundText command)
{
    Variables heard = *variables;
    if (context->is_of_session)
        heard.problems = config_warnings(context);
    variables_expand(&heard, command);
}

const char *path_tidy(Arena *arena, const char *path)
{
    char *tidy = arena_strdup(arena, path);
    char *out = tidy;
    for (const char *in = tidy; *in != '\0'; in++)
        if (in[0] != '/' || (in[1] != '/' && (in[1] != '\0' || out == tidy)))
            *out++ = *in;
    *out = '\0';
    return tidy;
}

static OutputPlace place_of(const Variables *variables, const char *expanded)
{
    const char *inside;
    const char *path = path_tidy(variables->arena, expanded);
    const Mount *mount = mounts_find(variables->mounts, path, &inside);
    if (mount != NULL && mount->is_unread)
        return (OutputPlace){0};
    if (mount == NULL || mount->share == NULL)
        return (OutputPlace){.directory = path};
    if (mount->folder[0] != '\0')
        inside = arena_printf(variables->arena, "%s%s%s", mount->folder,
                              inside[0] != '\0' ? "/" : "", inside);
    return (OutputPlace){.share = mount->share->name, .directory = inside};
}

OutputPlace variables_place(const Variables *variables, BoundText text)
{
    const char *expanded = variables_expand(variables, text);
    return expanded != NULL ? place_of(variables, expanded) : (OutputPlace){0};
}

bool output_path_check(Problems *problems, const char *key, BoundText text, const char *path)
{
    for (const char *part = path; *part != '\0'; part += strspn(part, "/")) {
        size_t length = strcspn(part, "/");
        bool is_step = (length == 1 || length == 2) && strspn(part, ".") == length;
        if (is_step) {
            status_hint(problems_add(problems, STATUS_BAD_INPUT, json_at(text.node),
                                     "%s \"%s\" has a part \"%.*s\"", key, text.value, (int)length,
                                     part),
                        "name the folder where the output is to be, without detours");
            return false;
        }
        part += length;
    }
    return true;
}

OutputPlace variables_output(const Variables *variables, Problems *problems, const char *key,
                             BoundText text)
{
    const char *expanded = variables_expand(variables, text);
    return expanded != NULL && output_path_check(problems, key, text, expanded)
               ? place_of(variables, expanded)
               : (OutputPlace){0};
}
