/* The catalogue that comes with the program: files of scenarios/catalog, compiled in, so that an
 * installed program needs no data path. */
#ifndef SIM_SCENARIO_BUILT_IN_CATALOG_H
#define SIM_SCENARIO_BUILT_IN_CATALOG_H

#include "sim/base/asset.h"
#include "sim/base/file_source.h"

extern const Asset catalog_assets[];
extern const int catalog_assets_count;

/* They lie in a folder "catalog": "catalog/azure-2018.json". The text of one; NULL for any other
 * path. */
const char *built_in_catalog_text(const char *path);
FileSource built_in_catalog(void);

#endif
