#include "sim/scenario/catalog/built_in_catalog.h"

FileSource built_in_catalog(void)
{
    static const AssetFolder folder = BUILT_IN_CATALOG("catalog/");
    static const AssetFiles files = {.folder_count = 1, .folders = &folder};
    return asset_files(&files);
}
