#include "sim/scenario/format/api_fault_types.h"

#include <string.h>

#include "sim/cloud/spec/command.h"

#define OWNER ApiFaultText
static const char *const kind_words[] = {
#define X(name, text, what) text,
    API_FAULT_KINDS(X)
#undef X
        NULL};
static const Field rule_fields[] = {
    NEEDED_CHOICE("do", action, kind_words, "the kind of fault"),
    FIELD_TEXT("method", method, "*", "pattern of the method, such as \"PUT\""),
    FIELD_TEXT("path", path, "*",
               "pattern of the path as the client sends it, such as \"*/jobs/*\""),
    FIELD_INTEGER("status", status, 400, 599, "500", "api.error: status of the answer"),
    FIELD_TEXT("code", code, NULL,
               "api.error: code of the error; the default follows from the status"),
    FIELD_DURATION("retry_after", retry_after, NULL, "api.error: Retry-After, in whole seconds"),
    FIELD_TEXT("rate", rate, "1kB/s", "api.slow: how fast the body is sent"),
    FIELD_TEXT("chance", chance, "100%", "chance that the fault affects a request that matches"),
    FIELD_INTEGER("skip", skip, 0, INT32_MAX, "0",
                  "how many matching requests are not affected at first"),
    FIELD_INTEGER("count", count, 1, INT32_MAX, NULL,
                  "how many requests are affected at most; without it there is no limit"),
    FIELD_INTEGER("seed", seed, 0, SEED_MOST, "1", "the seed of its random numbers"),
    {0},
};
#undef OWNER
const ObjectType api_fault_type = {"api_fault", "A failure between a client and the service.",
                                   sizeof(ApiFaultText), rule_fields};

const char *api_fault_name(ApiFaultKind kind)
{
    return kind_words[kind];
}

bool api_fault_takes(ApiFaultKind kind, const char *key)
{
    static const struct {
        const char *key;
        ApiFaultKind kind;
    } of_one_kind[] = {
        {"status", API_FAULT_ERROR},
        {"code", API_FAULT_ERROR},
        {"retry_after", API_FAULT_ERROR},
        {"rate", API_FAULT_SLOW},
    };
    for (size_t i = 0; i < sizeof of_one_kind / sizeof *of_one_kind; i++)
        if (strcmp(of_one_kind[i].key, key) == 0)
            return kind == of_one_kind[i].kind;
    return true;
}
