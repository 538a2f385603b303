/* A page to look at, and what it needs beyond the control API (emu/control/control.h).
 *
 *     GET /                               the page, for who accepts HTML
 *     GET /trainyard/page/{}              its files
 *     GET /trainyard/state                all at a glance (emu/control/state_json.h);
 *         ?limit=50                       of each list, at most 1000
 *         &job_state=running              only those jobs
 *         &after_cluster=ID &after_share=ID &before_job=ID     the page behind that one
 *     GET /trainyard/state/clusters/{}    one by its id, with its nodes; ?place=0
 *     GET /trainyard/state/jobs/{}        one by its id, with its epochs
 *     GET /trainyard/files, /trainyard/file     shares (emu/files/browse.h)
 *
 * The page is emu/dashboard/: HTML, CSS and JavaScript as they are, compiled in. Its
 * Content-Security-Policy lets nothing in but these files, it cannot be framed, and pages of other
 * sites are refused what it is told. */
#ifndef EMU_DASHBOARD_H
#define EMU_DASHBOARD_H

#include "emu/control/control.h"

extern const ControlRoute dashboard_routes[];
/* Answers a GET of "/". */
void dashboard_page(HttpResponse *response);

#endif
