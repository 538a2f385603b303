#include "emu/batchai/routes.h"

#include "emu/batchai/cluster.h"
#include "emu/batchai/file_server.h"
#include "emu/batchai/job.h"
#include "emu/batchai/operations.h"
#include "emu/batchai/output_files.h"
#include "emu/batchai/rights.h"
#include "emu/batchai/usages.h"
#include "emu/batchai/workspace.h"

#define PROVIDER "/subscriptions/{}/providers/Microsoft.BatchAI"
#define WORKSPACES "/subscriptions/{}/resourceGroups/{}/providers/Microsoft.BatchAI/workspaces"
#define WORKSPACE WORKSPACES "/{}"
#define CLUSTER WORKSPACE "/clusters/{}"
#define EXPERIMENT WORKSPACE "/experiments/{}"
#define JOB EXPERIMENT "/jobs/{}"
#define FILE_SERVER WORKSPACE "/fileServers/{}"

const ArmRoute batchai_routes[] = {
    {{"Clusters_Get", HTTP_GET, CLUSTER}, clusters_get},
    {{"Jobs_Get", HTTP_GET, JOB}, jobs_get},
    {{"Operations_List", HTTP_GET, "/providers/Microsoft.BatchAI/operations"}, operations_list},
    {{"Usages_List", HTTP_GET, PROVIDER "/locations/{}/usages"}, usages_list},
    {{"Workspaces_List", HTTP_GET, PROVIDER "/workspaces"}, workspaces_list},
    {{"Workspaces_ListByResourceGroup", HTTP_GET, WORKSPACES}, workspaces_list_by_group},
    {{"Workspaces_Create", HTTP_PUT, WORKSPACE}, workspaces_create},
    {{"Workspaces_Update", HTTP_PATCH, WORKSPACE}, workspaces_update},
    {{"Workspaces_Delete", HTTP_DELETE, WORKSPACE}, workspaces_delete},
    {{"Workspaces_Get", HTTP_GET, WORKSPACE}, workspaces_get},
    {{"Experiments_ListByWorkspace", HTTP_GET, WORKSPACE "/experiments"}, experiments_list},
    {{"Experiments_Create", HTTP_PUT, EXPERIMENT}, experiments_create},
    {{"Experiments_Delete", HTTP_DELETE, EXPERIMENT}, experiments_delete},
    {{"Experiments_Get", HTTP_GET, EXPERIMENT}, experiments_get},
    {{"Jobs_ListByExperiment", HTTP_GET, EXPERIMENT "/jobs"}, jobs_list},
    {{"Jobs_Create", HTTP_PUT, JOB}, jobs_create},
    {{"Jobs_Delete", HTTP_DELETE, JOB}, jobs_delete},
    {{"Jobs_ListOutputFiles", HTTP_POST, JOB "/listOutputFiles"}, jobs_list_files},
    {{"Jobs_ListOutputFilesNext", HTTP_GET, JOB "/listOutputFiles"}, jobs_list_files},
    {{"Jobs_ListRemoteLoginInformation", HTTP_POST, JOB "/listRemoteLoginInformation"},
     jobs_list_logins},
    {{"Jobs_Terminate", HTTP_POST, JOB "/terminate"}, jobs_terminate},
    {{"FileServers_Create", HTTP_PUT, FILE_SERVER}, file_servers_create},
    {{"FileServers_Delete", HTTP_DELETE, FILE_SERVER}, file_servers_delete},
    {{"FileServers_Get", HTTP_GET, FILE_SERVER}, file_servers_get},
    {{"FileServers_ListByWorkspace", HTTP_GET, WORKSPACE "/fileServers"}, file_servers_list},
    {{"Clusters_Create", HTTP_PUT, CLUSTER}, clusters_create},
    {{"Clusters_Update", HTTP_PATCH, CLUSTER}, clusters_update},
    {{"Clusters_Delete", HTTP_DELETE, CLUSTER}, clusters_delete},
    {{"Clusters_ListRemoteLoginInformation", HTTP_POST, CLUSTER "/listRemoteLoginInformation"},
     clusters_list_logins},
    {{"Clusters_ListByWorkspace", HTTP_GET, WORKSPACE "/clusters"}, clusters_list},
    {{"OperationResults_Get", HTTP_GET, PROVIDER "/locations/{}/operationresults/{}"},
     operations_result},
    {{"OperationStatuses_Get", HTTP_GET, PROVIDER "/locations/{}/operationstatuses/{}"},
     operations_status},
    {{0}, NULL},
};
