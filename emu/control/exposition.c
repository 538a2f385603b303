#include "emu/control/exposition.h"

#include <inttypes.h>

void exposition_family(Text *out, const char *name, const char *type, const char *help)
{
    text_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void exposition_number(Text *out, int64_t value, int32_t decimals)
{
    int64_t unit = 1;
    for (int32_t i = 0; i < decimals; i++)
        unit *= 10;
    int64_t part = value % unit;
    if (part < 0)
        part = -part;
    text_printf(out, "%s%" PRId64, value < 0 && value > -unit ? "-" : "", value / unit);
    for (; part % 10 == 0 && decimals > 0; decimals--)
        part /= 10;
    if (decimals > 0)
        text_printf(out, ".%0*" PRId64, (int)decimals, part);
}

static void add_label(Text *out, const Label *label)
{
    text_printf(out, "%s=\"", label->name);
    for (const char *c = label->value; *c != '\0'; c++)
        if (*c == '\\' || *c == '"')
            text_printf(out, "\\%c", *c);
        else if (*c == '\n')
            text_add(out, "\\n");
        else
            text_append(out, c, 1);
    text_add(out, "\"");
}

void exposition_sample(Text *out, const char *name, const char *suffix, const Label *labels,
                       int32_t label_count, int64_t value, int32_t decimals)
{
    text_printf(out, "%s%s", name, suffix);
    for (int32_t i = 0; i < label_count; i++) {
        text_add(out, i == 0 ? "{" : ",");
        add_label(out, &labels[i]);
    }
    text_add(out, label_count > 0 ? "} " : " ");
    exposition_number(out, value, decimals);
    text_add(out, "\n");
}
