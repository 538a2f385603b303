#include "emu/batchai/rights.h"

#include "emu/arm/call.h"

/* Source: example ListOperation of the API's OpenAPI document, 2018-05-01, whose words are kept,
 * spelling included. */
static const struct {
    const char *name; /* after "Microsoft.BatchAI/" */
    const char *resource, *operation, *description;
} operations[] = {
    {"workspaces/read", "Batch AI Workspaces", "List or get Batch AI workspaces",
     "Lists Batch AI workspaces or gets the properties of a Batch AI workspace"},
    {"workspaces/write", "Batch AI Workspaces", "Create or update Batch AI workspace",
     "Creates a new Batch AI workspace or updates an existing Batch AI workspace"},
    {"workspaces/delete", "Batch AI Clusters", "Delete Batch AI workspace",
     "Deletes a Batch AI workspace"},
    {"workspaces/experiments/read", "Batch AI Experiments", "List or get Batch AI experiements",
     "Lists Batch AI experiments or gets the properties of a Batch AI experiment"},
    {"workspaces/experiments/write", "Batch AI Experiments",
     "Create or update Batch AI experiement",
     "Creates a new Batch AI experiment or updates an existing Batch AI experiment"},
    {"workspaces/experiments/delete", "Batch AI Experiments", "Delete Batch AI experiment",
     "Deletes a Batch AI experiment"},
    {"clusters/read", "Batch AI Clusters", "List or get Batch AI clusters",
     "Lists Batch AI clusters or gets the properties of a Batch AI cluster"},
    {"workspaces/clusters/read", "Batch AI Clusters", "List or get Batch AI clusters",
     "Lists Batch AI clusters or gets the properties of a Batch AI cluster"},
    {"workspaces/clusters/write", "Batch AI Clusters", "Create or update Batch AI cluster",
     "Creates a new Batch AI cluster or updates an existing Batch AI cluster"},
    {"workspaces/clusters/delete", "Batch AI Clusters", "Delete Batch AI cluster",
     "Deletes a Batch AI cluster"},
    {"workspaces/clusters/remoteLoginInformation/action", "Batch AI Clusters",
     "List Batch AI cluster remote-login information",
     "Lists remote-login information for a Batch AI cluster"},
    {"workspaces/experiments/jobs/read", "Batch AI Jobs", "List or get Batch AI jobs",
     "Lists Batch AI jobs or gets the properties of a Batch AI job"},
    {"workspaces/experiments/jobs/write", "Batch AI Jobs", "Create or update Batch AI job",
     "Creates a new Batch AI job or updates an existing Batch AI job"},
    {"workspaces/experiments/jobs/delete", "Batch AI Jobs", "Delete Batch AI job",
     "Deletes a Batch AI job"},
    {"workspaces/experiments/jobs/terminate/action", "Batch AI Jobs", "Terminate Batch AI job",
     "Terminates a Batch AI job"},
    {"workspaces/experiments/jobs/remoteLoginInformation/action", "Batch AI Jobs",
     "List Batch AI job remote-login information",
     "Lists remote-login information for a Batch AI job"},
    {"workspaces/experiments/jobs/listoutputfiles/action", "Batch AI Jobs",
     "List Batch AI job output files", "Lists output files for a Batch AI job"},
    {"fileservers/read", "Batch AI Fileservers", "List or get Batch AI fileservers",
     "Lists Batch AI fileservers or gets the properties of a Batch AI fileserver"},
    {"workspaces/fileservers/read", "Batch AI Fileservers", "List or get Batch AI fileservers",
     "Lists Batch AI fileservers or gets the properties of a Batch AI fileserver"},
    {"workspaces/fileservers/write", "Batch AI Fileservers", "Create or update Batch AI fileserver",
     "Creates a new Batch AI fileserver or updates an existing Batch AI fileserver"},
    {"workspaces/fileservers/delete", "Batch AI Fileservers", "Delete Batch AI filserver",
     "Deletes a Batch AI fileserver"},
    {"locations/usages/read", "Batch AI Usages", "Get Batch AI Usages",
     "Gets Batch AI usages of the specified subscription at the specified Azure region"},
    {"register/action", "Batch AI Resource Provider", "Register the Batch AI Resource Provider",
     "Registers the subscription for the Batch AI Resource Provider and enables the creation of "
     "Batch AI resources"},
    {"unregister/action", "Batch AI Resource Provider", "Unregister the Batch AI Resource Provider",
     "Unregisters the subscription for the Batch AI Resource Provider preventing the creation of "
     "Batch AI resources"},
    {"locations/operationresults/read", "Batch AI Operation Results",
     "Get Batch AI Opreation Result",
     "Gets Batch AI async operation result at the specified Azure region"},
    {"locations/operationstatuses/read", "Batch AI Operation Statuses",
     "Get Batch AI Opreation Status",
     "Gets Batch AI async operation status at the specified Azure region"},
};

void operations_list(const ArmCall *call)
{
    Arena *arena = call->arena;
    Json *body = json_object(arena);
    Json *list = json_put_array(arena, body, "value");
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        Json *operation = json_add(list, json_object(arena));
        json_put_text(arena, operation, "name",
                      arena_printf(arena, "Microsoft.BatchAI/%s", operations[i].name));
        Json *display = json_put_object(arena, operation, "display");
        json_put_text(arena, display, "provider", "Microsoft Batch AI");
        json_put_text(arena, display, "resource", operations[i].resource);
        json_put_text(arena, display, "operation", operations[i].operation);
        json_put_text(arena, display, "description", operations[i].description);
        json_put_text(arena, operation, "origin", "user,system");
        json_put_null(arena, operation, "properties");
    }
    arm_answer(call, 200, body);
}
