#include "sim/scenario/format/parameter_types.h"

static const char *const kind_words[] = {
#define X(name, word, expected, quantity) word,
    PARAMETER_KINDS(X)
#undef X
        NULL};

const char *parameter_kind_word(ParameterKind kind)
{
    return kind_words[kind];
}

const char *parameter_kind_expected(ParameterKind kind)
{
    static const char *const texts[] = {
#define X(name, word, expected, quantity) expected,
        PARAMETER_KINDS(X)
#undef X
    };
    return texts[kind];
}

#define OWNER ParameterText
#define ANY_VALUE "{\"type\": [\"integer\", \"number\", \"boolean\", \"string\"]}"
static const Field parameter_fields[] = {
    NEEDED_JSON("value", value, ANY_VALUE,
                "the value, unless --param or a study sets another; it may use other parameters"),
    FIELD_CHOICE("type", kind, kind_words, NULL,
                 "the kind of value; the default is \"choice\" if there are `choices`, otherwise "
                 "\"integer\", \"number\", \"boolean\" or \"text\", as `value` is written"),
    FIELD_JSON("range", range,
               "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": {\"type\": "
               "[\"integer\", \"number\", \"string\"]}}",
               "smallest and largest value, such as [1, 64] or [\"1h\", \"7d\"]"),
    FIELD_JSON("choices", choices,
               "{\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"string\"}}",
               "choice: the words that it may be"),
    FIELD_TEXT("unit", unit, NULL, "integer, number: what it counts, shown after the value"),
    FIELD_TEXT("description", description, NULL, "what it means"),
    {0},
};
#undef OWNER
const ObjectType parameter_type = {
    "parameter",
    "A named value of the scenario. A text \"${name}\" anywhere in the scenario, or in a job.json "
    "or cluster.json that it names, is the value itself, with its type. In a longer text, also in "
    "a formula, ${name} is the value as text. ${2*name + 1} is a formula of integers and numbers "
    "(+ - * / floor ceil min max). $${ is a plain ${. Names begin with a letter and have letters, "
    "digits, '_', and at least one small letter; ${HOME} and ${x:-1} are not changed. Keys, "
    "catalogue files and uploaded files are not changed.",
    sizeof(ParameterText), parameter_fields};
