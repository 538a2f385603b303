#include "sim/scenario/format/api_fault_types.h"

#define OWNER ApiFaultText
static const char *const kind_words[] = {
#define X(name, text, what) text,
    API_FAULT_KINDS(X)
#undef X
        NULL};
static const Field rule_fields[] = {
    NEEDED_CHOICE("do", action, kind_words, "what goes wrong"),
    FIELD_TEXT("method", method, "*", "glob on the method, such as \"PUT\""),
    FIELD_TEXT("path", path, "*", "glob on the path as it is sent, such as \"*/jobs/*\""),
    FIELD_INTEGER("status", status, 400, 599, "500", "api.error: status of the answer"),
    FIELD_TEXT("code", code, NULL, "api.error: code of the error; the default fits the status"),
    FIELD_DURATION("retry_after", retry_after, NULL, "api.error: Retry-After, in whole seconds"),
    FIELD_TEXT("rate", rate, "1kB/s", "api.slow: how fast the body is sent"),
    FIELD_TEXT("chance", chance, "100%", "how likely it strikes a request that it is about"),
    FIELD_INTEGER("skip", skip, 0, INT32_MAX, "0", "so many requests pass before it may strike"),
    FIELD_INTEGER("count", count, 1, INT32_MAX, NULL,
                  "it strikes so often; the default is without end"),
    FIELD_INTEGER("seed", seed, 0, INT64_C(1) << 53, "1", "where its random numbers start"),
    {0},
};
#undef OWNER
const ObjectType api_fault_type = {"api_fault", "What goes wrong between a client and the service.",
                                   sizeof(ApiFaultText), rule_fields};
