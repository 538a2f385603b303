/* The files of reports/ that are compiled in: plots/NAME.gp and page.css. */
#ifndef REPORTS_ASSETS_H
#define REPORTS_ASSETS_H

#include "sim/base/asset.h"

extern const Asset report_assets[];
extern const int report_assets_count;

/* The text of the asset `name`, which must be compiled in: a missing name breaks an invariant. */
const char *asset_text(const char *name);

#endif
