#include <string.h>

#include "reports/text/assets.h"
#include "sim/base/invariant.h"

const char *asset_text(const char *name)
{
    int index = 0;
    while (index < report_assets_count && strcmp(report_assets[index].name, name) != 0)
        index++;
    invariant(index < report_assets_count);
    return report_assets[index].text;
}
