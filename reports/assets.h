/* The files of reports/ that are compiled in: plots/NAME.gp and page.css. The table is made by
 * reports/embed.cmake at build time. */
#ifndef REPORTS_ASSETS_H
#define REPORTS_ASSETS_H

typedef struct {
    const char *name; /* without folder: "nodes.gp" */
    const char *text;
} Asset;

extern const Asset assets[];
extern const int asset_count;

/* The text of the asset `name`, which is one of ours: a missing one is a broken invariant. */
const char *asset_text(const char *name);

#endif
