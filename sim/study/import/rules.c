#include "sim/study/import/rules.h"

const RuleText import_rules[] = {
#define X(name, what, text) {.key = #name, .effect = RULE_##what, .words = text},
    IMPORT_RULES(X)
#undef X
};

const char *const rule_effect_names[] = {"dropped", "mended", "noted"};
