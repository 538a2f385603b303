/* The catalogue that comes with the program: files of scenarios/catalog, compiled in, so that an
 * installed program needs no data path. */
#ifndef SIM_SCENARIO_BUILT_IN_CATALOG_H
#define SIM_SCENARIO_BUILT_IN_CATALOG_H

#include "sim/base/asset_files.h"

extern const Asset catalog_assets[];
extern const int catalog_assets_count;

/* They are in a folder "catalog": "catalog/azure-2018.json". */
FileSource built_in_catalog(void);
/* The same folder among others, at `folder` ("catalog/"). */
#define BUILT_IN_CATALOG(folder)                                                                   \
    {                                                                                              \
        .path = folder, .assets = catalog_assets, .count = &catalog_assets_count                   \
    }

#endif
