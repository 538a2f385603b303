#include <string.h>

#include "reports/assets.h"
#include "sim/base/invariant.h"

const char *asset_text(const char *name)
{
    int index = 0;
    while (index < asset_count && strcmp(assets[index].name, name) != 0)
        index++;
    invariant(index < asset_count);
    return assets[index].text;
}
