#include "sim/scenario/command/api_fault_read.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/units.h"

/* "12.5%", in millionths. */
static bool read_chance(BoundText text, int64_t *chance_ppm, Problems *problems)
{
    int64_t value = 0, unit = 10000;
    const char *c = text.value;
    bool has_point = false, is_sound = ascii_is_digit(c[0]);
    for (; *c != '\0' && *c != '%' && is_sound; c++) {
        is_sound = value <= 1000000 && (ascii_is_digit(*c) || (*c == '.' && !has_point));
        if (*c == '.')
            has_point = true;
        else if (has_point)
            value += (*c - '0') * (unit /= 10);
        else
            value = value * 10 + (int64_t)(*c - '0') * 10000;
    }
    if (is_sound && strcmp(c, "%") == 0 && value <= 1000000) {
        *chance_ppm = value;
        return true;
    }
    status_hint(problems_add(problems, STATUS_BAD_INPUT, json_at(text.node),
                             "\"%s\" is not a chance", text.value),
                "0%% to 100%%, as in \"12.5%%\"");
    return false;
}

/* Returns false, with a problem added, when the rate is refused. */
static bool read_rate(BoundText text, int64_t *bytes_per_s, Problems *problems)
{
    Status status = {0};
    if (!rate_parse(text.value, json_at(text.node), bytes_per_s, &status))
        problems_add_status(problems, &status);
    else if (*bytes_per_s == 0)
        problems_add(problems, STATUS_BAD_INPUT, json_at(text.node), "rate is 0");
    return status.code == STATUS_OK && *bytes_per_s > 0;
}

static const char *code_of(int32_t status)
{
    return status == 429   ? "TooManyRequests"
           : status == 500 ? "InternalServerError"
           : status == 503 ? "ServiceUnavailable"
           : status == 504 ? "GatewayTimeout"
                           : "InjectedFault";
}

/* A member of another kind would have no effect. */
static bool check_members(const ApiFaultText *text, Problems *problems)
{
    const ApiFaultKind kind = (ApiFaultKind)text->action.value;
    bool is_whole = true;
    for (const Json *member = text->node->first; member != NULL; member = member->next) {
        if (api_fault_takes(kind, member->key))
            continue;
        problems_add(problems, STATUS_BAD_INPUT, json_at(member), "%s has no \"%s\"",
                     api_fault_name(kind), member->key);
        is_whole = false;
    }
    return is_whole;
}

bool api_fault_read(const ApiFaultText *text, ApiFaultRule *rule, Problems *problems)
{
    if (!bind_is_whole(&api_fault_type, text) || !check_members(text, problems))
        return false;
    *rule = (ApiFaultRule){
        .kind = (ApiFaultKind)text->action.value,
        .method = text->method.value,
        .path = text->path.value,
        .status = (int32_t)text->status.value,
        .skip = text->skip.value,
        .count = text->count.node != NULL ? text->count.value : INT64_MAX,
        .seed = (uint64_t)text->seed.value,
    };
    rule->code = text->code.value != NULL ? text->code.value : code_of(rule->status);
    rule->retry_after_s = text->retry_after.node != NULL
                              ? (text->retry_after.value + NS_PER_S - 1) / NS_PER_S
                          : rule->status == 429 ? 1
                                                : -1;
    const bool has_rate = read_rate(text->rate, &rule->bytes_per_s, problems);
    return read_chance(text->chance, &rule->chance_ppm, problems) && has_rate;
}
