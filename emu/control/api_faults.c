#include "emu/control/api_faults.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "sim/base/name_table.h"
#include "sim/base/philox.h"
#include "sim/base/units.h"
#include "sim/base/wide.h"
#include "sim/schema/glob.h"

enum { RULES_MAX = 100, READS_MAX = 1000, READ_BYTES_MAX = 1 << 20 };

bool api_fault_is(const Json *rule)
{
    const Json *action = json_member(rule, "do");
    return action != NULL && action->kind == JSON_STRING &&
           strncmp(action->text, "api.", strlen("api.")) == 0;
}

/* --- Rules --- */

typedef struct {
    Arena *arena; /* its own */
    int64_t number;
    const Json *text;
    ApiFaultRule is;
    int64_t asked, struck;
} Rule;

/* How a GET was answered last, and before that answer changed. */
typedef struct {
    Text now, before; /* each the body */
    bool has_before;
} Read;

struct ApiFaults {
    Arena *arena;
    Rule *rules[RULES_MAX]; /* in the order in which they were added */
    int32_t count;
    int64_t last_number;
    NameTable *read_names; /* target -> read */
    Read *reads;
    uint32_t read_count;
};

ApiFaults *api_faults_create(Arena *arena)
{
    ApiFaults *faults = ARENA_NEW(arena, ApiFaults);
    faults->arena = arena;
    faults->read_names = name_table_create(arena);
    return faults;
}

static void remove_at(ApiFaults *faults, int32_t index)
{
    arena_destroy(faults->rules[index]->arena);
    faults->count--;
    for (int32_t i = index; i < faults->count; i++)
        faults->rules[i] = faults->rules[i + 1];
}

void api_faults_clear(ApiFaults *faults)
{
    while (faults->count > 0)
        remove_at(faults, faults->count - 1);
}

void api_faults_move(ApiFaults *to, ApiFaults *from)
{
    api_faults_clear(to);
    for (int32_t i = 0; i < from->count; i++)
        to->rules[i] = from->rules[i];
    to->count = from->count;
    to->last_number = from->last_number;
    from->count = 0;
}

void api_faults_destroy(ApiFaults *faults)
{
    if (faults == NULL)
        return;
    api_faults_clear(faults);
    for (uint32_t i = 0; i < faults->read_count; i++) {
        text_free(&faults->reads[i].now);
        text_free(&faults->reads[i].before);
    }
}

int64_t api_faults_add(ApiFaults *faults, const Json *text, Problems *problems)
{
    const int32_t problems_before = problems->count;
    if (faults->count == RULES_MAX) {
        problems_add(problems, STATUS_CONFLICT, json_at(text), "there are %d rules already",
                     (int)RULES_MAX);
        return 0;
    }
    Arena *arena = arena_create();
    const Json *own = json_copy(arena, text, NULL);
    const ApiFaultText *bound = bind_object(arena, own, &api_fault_type, problems);
    Rule *rule = ARENA_NEW(arena, Rule);
    bool is_whole = api_fault_read(bound, &rule->is, problems);
    if (!is_whole || problems->count > problems_before) {
        arena_destroy(arena);
        return 0;
    }
    rule->arena = arena;
    rule->number = ++faults->last_number;
    rule->text = own;
    faults->rules[faults->count++] = rule;
    return rule->number;
}

bool api_faults_remove(ApiFaults *faults, int64_t number)
{
    for (int32_t i = 0; i < faults->count; i++)
        if (faults->rules[i]->number == number) {
            remove_at(faults, i);
            return true;
        }
    return false;
}

Json *api_faults_list(const ApiFaults *faults, Arena *arena)
{
    Json *list = json_array(arena);
    for (int32_t i = 0; i < faults->count; i++) {
        const Rule *rule = faults->rules[i];
        Json *item = json_add(list, json_object(arena));
        json_put_integer(arena, item, "number", rule->number);
        json_set(arena, item, "rule", json_copy(arena, rule->text, NULL));
        json_put_integer(arena, item, "asked", rule->asked);
        json_put_integer(arena, item, "struck", rule->struck);
    }
    return list;
}

/* --- Striking --- */

static bool strikes(Rule *rule, const HttpRequest *request)
{
    if (!glob_matches(rule->is.method, request->method_text) ||
        !glob_matches(rule->is.path, request->target))
        return false;
    const uint64_t number = (uint64_t)rule->asked++;
    if (rule->asked <= rule->is.skip || rule->struck == rule->is.count)
        return false;
    if (rule->is.kind == API_FAULT_STALE && request->method != HTTP_GET)
        return false;
    const PhiloxBlock counter = {
        {(uint32_t)number, (uint32_t)(number >> 32), (uint32_t)rule->number, 0}};
    const uint64_t word = philox(rule->is.seed, counter).word[0];
    if ((int64_t)(word * (uint64_t)PPM >> 32) >= rule->is.chance_ppm)
        return false;
    rule->struck++;
    return true;
}

ApiVerdict api_faults_before(ApiFaults *faults, const HttpRequest *request)
{
    for (int32_t i = 0; i < faults->count; i++) {
        Rule *rule = faults->rules[i];
        if (strikes(rule, request))
            return (ApiVerdict){
                .kind = rule->is.kind,
                .bytes_per_s = rule->is.bytes_per_s,
                .status = rule->is.status,
                .code = rule->is.code,
                .message = arena_printf(request->arena,
                                        "Fault %" PRId64 " of the emulator's rules.", rule->number),
                .retry_after_s = rule->is.retry_after_s,
            };
    }
    return (ApiVerdict){.kind = API_FAULT_NONE};
}

/* --- Slow bodies --- */

typedef struct {
    Arena *arena; /* its own */
    const int64_t *machine_ns;
    int64_t begin_ns;
    int64_t bytes_per_s;
    const char *body; /* or ... */
    int64_t bytes;
    HttpSource source;
} Slow;

static int64_t slow_read(void *owner, int64_t offset, char *room, size_t length)
{
    const Slow *slow = owner;
    const int64_t passed_ns = *slow->machine_ns - slow->begin_ns;
    const int64_t may = wide_proportion(passed_ns, slow->bytes_per_s, NS_PER_S);
    const int64_t left = (may < slow->bytes ? may : slow->bytes) - offset;
    if (left <= 0)
        return 0; // not yet
    size_t count = (size_t)left < length ? (size_t)left : length;
    if (slow->source.read != NULL)
        return slow->source.read(slow->source.owner, offset, room, count);
    memcpy(room, slow->body + offset, count);
    return (int64_t)count;
}

static void slow_free(void *owner)
{
    Slow *slow = owner;
    if (slow->source.free != NULL)
        slow->source.free(slow->source.owner);
    arena_destroy(slow->arena);
}

static void slow_down(HttpResponse *response, int64_t bytes_per_s, const int64_t *machine_ns)
{
    bool has_source = response->source.read != NULL;
    int64_t bytes = has_source ? response->source_bytes : (int64_t)response->body_bytes;
    if (bytes <= 0 || response->is_event_stream) // nothing, or of unknown length
        return;
    Arena *arena = arena_create();
    Slow *slow = ARENA_NEW(arena, Slow);
    *slow = (Slow){.arena = arena,
                   .machine_ns = machine_ns,
                   .begin_ns = *machine_ns,
                   .bytes_per_s = bytes_per_s,
                   .bytes = bytes,
                   .source = response->source};
    if (!has_source)
        slow->body = arena_strndup(arena, response->body, response->body_bytes);
    response->source = (HttpSource){.owner = slow, .read = slow_read, .free = slow_free};
    response->source_bytes = bytes;
    response->body = NULL;
    response->body_bytes = 0;
}

/* --- Stale reads --- */

static bool has_stale_rule(const ApiFaults *faults)
{
    for (int32_t i = 0; i < faults->count; i++)
        if (faults->rules[i]->is.kind == API_FAULT_STALE)
            return true;
    return false;
}

/* Notes the answer to a GET, while a rule may want it again; NULL: it is not noted. */
static Read *note_read(ApiFaults *faults, const HttpRequest *request, const HttpResponse *response)
{
    uint32_t index;
    if (request->method != HTTP_GET || response->status != 200 || response->source.read != NULL ||
        response->body_bytes == 0 || response->body_bytes > READ_BYTES_MAX)
        return NULL;
    const char *name = arena_printf(request->arena, "%s?%s", request->target, request->query_text);
    if (!name_table_find(faults->read_names, name, &index)) {
        if (faults->read_count == READS_MAX)
            return NULL;
        if (faults->reads == NULL)
            faults->reads = ARENA_ARRAY(faults->arena, Read, READS_MAX);
        index = faults->read_count++;
        name_table_set(faults->read_names, name, index);
    }
    Read *read = &faults->reads[index];
    bool is_first = read->now.length == 0;
    bool is_other = read->now.length != response->body_bytes ||
                    memcmp(read->now.data, response->body, response->body_bytes) != 0;
    if (!is_first && is_other) {
        Text freed = read->before;
        read->before = read->now;
        read->now = freed;
        read->has_before = true;
    }
    if (is_first || is_other) {
        text_clear(&read->now);
        text_append(&read->now, response->body, response->body_bytes);
    }
    return read;
}

static void answer_stale(const Read *read, const HttpRequest *request, HttpResponse *response)
{
    if (read == NULL || !read->has_before)
        return;
    response->body = arena_strndup(request->arena, read->before.data, read->before.length);
    response->body_bytes = read->before.length;
}

/* The connection is cut instead of the answer. */
static void lose(HttpResponse *response)
{
    if (response->source.free != NULL)
        response->source.free(response->source.owner);
    *response = http_response(0);
}

void api_faults_after(ApiFaults *faults, ApiVerdict verdict, const HttpRequest *request,
                      HttpResponse *response, const int64_t *machine_ns)
{
    const Read *read = has_stale_rule(faults) ? note_read(faults, request, response) : NULL;
    if (verdict.kind == API_FAULT_STALE)
        answer_stale(read, request, response);
    if (verdict.kind == API_FAULT_SLOW)
        slow_down(response, verdict.bytes_per_s, machine_ns);
    if (verdict.kind == API_FAULT_LOST)
        lose(response);
}
