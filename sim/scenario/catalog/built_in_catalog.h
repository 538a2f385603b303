/* The catalogue of the program: the files of scenarios/catalog, compiled in, so that an installed
 * program needs no data path. */
#ifndef SIM_SCENARIO_BUILT_IN_CATALOG_H
#define SIM_SCENARIO_BUILT_IN_CATALOG_H

#include "sim/scenario/catalog/asset_files.h"

extern const Asset catalog_assets[];
extern const int catalog_assets_count;

/* The assets as files of a folder "catalog": "catalog/azure-2018.json". */
FileSource built_in_catalog(void);
/* The first of its files that has the section ("share_tiers"): "azure-2018.json", or NULL. */
const char *built_in_catalog_with(const char *section);
/* The file whose name is most like `path` ("catalog/idael.json"), in `arena`; NULL: none is. */
const char *built_in_catalog_nearest(Arena *arena, const char *path);
/* An AssetFolder with the same files at `folder` ("catalog/"). */
#define BUILT_IN_CATALOG(folder)                                                                   \
    {                                                                                              \
        .path = folder, .assets = catalog_assets, .count = &catalog_assets_count                   \
    }

#endif
