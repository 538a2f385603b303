#include "emu/control/dashboard.h"

#include <inttypes.h>
#include <string.h>

#include "emu/control/dashboard_assets.h"
#include "emu/control/state_json.h"
#include "emu/files/browse.h"
#include "emu/http/gate.h"
#include "sim/base/invariant.h"

/* --- Access --- */

static void set_guards(HttpResponse *response)
{
    http_set(response, "Content-Security-Policy",
             "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
             "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    http_set(response, "X-Content-Type-Options", "nosniff");
    http_set(response, "X-Frame-Options", "DENY");
    http_set(response, "Referrer-Policy", "no-referrer");
    http_set(response, "Cross-Origin-Opener-Policy", "same-origin");
    http_set(response, "Cross-Origin-Resource-Policy", "same-origin");
    http_set(response, "Cache-Control", "no-store");
}

/* Browsers send the origin of the page (W3C, Fetch Metadata); other clients do not. */
static bool is_of_this_site(const ControlCall *call)
{
    const char *site = http_header(call->request, "Sec-Fetch-Site");
    return !site || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0 ||
           gate_refuse(call->request, call->response, 403, "CrossSiteRequest",
                       "Pages of other sites (see the Sec-Fetch-Site header) have no access.");
}

/* --- The page --- */

static const char *type_of(const char *name)
{
    static const char *const types[][2] = {{".html", "text/html; charset=utf-8"},
                                           {".css", "text/css; charset=utf-8"},
                                           {".js", "text/javascript; charset=utf-8"},
                                           {".svg", "image/svg+xml"}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(name + strlen(name) - strlen(types[i][0]), types[i][0]) == 0)
            return types[i][1];
    invariant_broken("a type for every file of the dashboard", __FILE__, __LINE__);
}

static const Asset *asset_find(const char *name)
{
    for (int i = 0; i < dashboard_assets_count; i++)
        if (strcmp(dashboard_assets[i].name, name) == 0)
            return &dashboard_assets[i];
    return NULL;
}

static void answer_asset(const Asset *asset, HttpResponse *response)
{
    http_body(response, type_of(asset->name), asset->text, strlen(asset->text));
    set_guards(response);
}

void dashboard_page(HttpResponse *response)
{
    answer_asset(asset_find("dashboard.html"), response);
}

static void page_get(const ControlCall *call)
{
    const Asset *asset = asset_find(call->match.parts[0]);
    if (asset)
        answer_asset(asset, call->response);
    else
        gate_refuse(call->request, call->response, 404, "NotFound",
                    "The page has no file of that name.");
}

/* --- The state --- */

static bool read_id(const ControlCall *call, const char *name, uint32_t *id)
{
    int64_t value;
    if (!control_query_number(call, name, ID_NONE, ID_NONE, &value))
        return false;
    *id = (uint32_t)value;
    return true;
}

static bool read_job_state(const ControlCall *call, JobState *state)
{
    const char *text = http_query(call->request, "job_state");
    *state = JOB_STATE_COUNT;
    if (!text)
        return true;
    for (*state = JOB_QUEUED; *state < JOB_STATE_COUNT; ++*state)
        if (strcmp(text, job_state_name(*state)) == 0)
            return true;
    return gate_refuse(call->request, call->response, 400, "InvalidQueryParameterValue",
                       "The query's \"job_state\" is \"%s\", which is not a state of jobs.", text);
}

static bool read_page(const ControlCall *call, StatePage *page)
{
    enum { LIMIT_MOST = 1000, LIMIT = 50 };
    int64_t limit;
    if (!control_query_number(call, "limit", LIMIT_MOST, LIMIT, &limit))
        return false;
    page->limit = (int32_t)limit;
    return read_id(call, "after_cluster", &page->after_cluster.index) &&
           read_id(call, "after_share", &page->after_share.index) &&
           read_id(call, "before_job", &page->before_job.index) &&
           read_job_state(call, &page->jobs);
}

static void answer_json(const ControlCall *call, const Json *body)
{
    Text text = {0};
    json_print(&text, body, JSON_COMPACT);
    http_body(call->response, "application/json; charset=utf-8",
              arena_strndup(call->arena, text_string(&text), text.length), text.length);
    text_free(&text);
}

static void state_get(const ControlCall *call)
{
    StatePage page;
    if (is_of_this_site(call) && read_page(call, &page))
        answer_json(call, state_overview(call->control, call->arena, &page));
    set_guards(call->response);
}

/* Reads the id in the path, one of `count` that ever existed. */
static bool read_path_id(const ControlCall *call, uint32_t count, uint32_t *id)
{
    int64_t value;
    const bool is_id = http_number(call->match.parts[0], &value) && value < count;
    *id = is_id ? (uint32_t)value : ID_NONE;
    return is_id;
}

static void refuse_id(const ControlCall *call)
{
    gate_refuse(call->request, call->response, 404, "NotFound", "No entry has the id %s.",
                call->match.parts[0]);
}

static void answer_cluster(const ControlCall *call, int32_t place)
{
    const World *world = session_world(call->control->session);
    uint32_t id;
    const Cluster *cluster = read_path_id(call, world_cluster_count(world), &id)
                                 ? world_cluster(world, (ClusterId){id})
                                 : NULL;
    if (cluster && cluster->provisioning != PROVISIONING_DELETED)
        answer_json(call, state_cluster(call->control, call->arena, cluster, place));
    else
        refuse_id(call);
}

static void cluster_get(const ControlCall *call)
{
    int64_t place;
    if (is_of_this_site(call) && control_query_number(call, "place", INT32_MAX, 0, &place))
        answer_cluster(call, (int32_t)place);
    set_guards(call->response);
}

static void answer_job(const ControlCall *call)
{
    const World *world = session_world(call->control->session);
    uint32_t id;
    const Job *job =
        read_path_id(call, world_job_count(world), &id) ? world_job(world, (JobId){id}) : NULL;
    if (job && job->provisioning != PROVISIONING_DELETED)
        answer_json(call, state_job(call->control, call->arena, job));
    else
        refuse_id(call);
}

static void job_get(const ControlCall *call)
{
    if (is_of_this_site(call))
        answer_job(call);
    set_guards(call->response);
}

/* --- Shares --- */

static void files_get(const ControlCall *call)
{
    if (is_of_this_site(call))
        files_browse_list(call->control->files, call->request, call->response);
    set_guards(call->response);
}

static void file_get(const ControlCall *call)
{
    if (is_of_this_site(call))
        files_browse_get(call->control->files, call->request, call->response);
    set_guards(call->response);
}

const ControlRoute dashboard_routes[] = {
    {{"Dashboard_File", HTTP_GET, "/trainyard/page/{}"}, page_get},
    {{"State_Show", HTTP_GET, "/trainyard/state"}, state_get},
    {{"State_ShowCluster", HTTP_GET, "/trainyard/state/clusters/{}"}, cluster_get},
    {{"State_ShowJob", HTTP_GET, "/trainyard/state/jobs/{}"}, job_get},
    {{"Share_List", HTTP_GET, "/trainyard/files"}, files_get},
    {{"Share_Get", HTTP_GET, "/trainyard/file"}, file_get},
    {{0}, NULL},
};
