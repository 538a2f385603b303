/* A page in the browser, and the data that it needs in addition to emu/control/control.h.
 *
 *     GET /                               the page, for clients that accept HTML
 *     GET /trainyard/page/{}              its files
 *     GET /trainyard/state                an overview (emu/control/state_json.h);
 *         ?limit=50                       of each list, at most 1000
 *         &job_state=running              only jobs in that state
 *         &after_cluster=ID &after_share=ID &before_job=ID     the page after that entry
 *     GET /trainyard/state/clusters/{}    a cluster by its id, with its nodes; ?place=0
 *     GET /trainyard/state/jobs/{}        a job by its id, with its epochs
 *     GET /trainyard/files, /trainyard/file     shares (emu/files/browse.h)
 *
 * The page is emu/control/dashboard/: HTML, CSS and JavaScript, compiled in unchanged. Its
 * Content-Security-Policy allows these files only, it cannot be framed, and requests from pages of
 * other sites are refused. */
#ifndef EMU_DASHBOARD_H
#define EMU_DASHBOARD_H

#include "emu/control/control.h"

extern const ControlRoute dashboard_routes[];
/* Answers a GET of "/". */
void dashboard_page(HttpResponse *response);

#endif
