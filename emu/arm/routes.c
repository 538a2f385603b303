#include "emu/arm/routes.h"

#include "emu/arm/groups.h"
#include "emu/arm/location.h"
#include "emu/arm/storage.h"
#include "emu/arm/subscriptions.h"

#define SUBSCRIPTION "/subscriptions/{}"
#define GROUP SUBSCRIPTION "/resourceGroups/{}"
#define PROVIDER SUBSCRIPTION "/providers/{}"
#define STORAGE "/providers/Microsoft.Storage"
#define ACCOUNT GROUP STORAGE "/storageAccounts/{}"

const ArmRoute arm_routes[] = {
    {{"Tenants_List", HTTP_GET, "/tenants"}, tenants_list},
    {{"Subscriptions_List", HTTP_GET, "/subscriptions"}, subscriptions_list},
    {{"Subscriptions_Get", HTTP_GET, SUBSCRIPTION}, subscriptions_get},
    {{"Subscriptions_ListLocations", HTTP_GET, SUBSCRIPTION "/locations"},
     subscriptions_list_locations},
    {{"Providers_List", HTTP_GET, SUBSCRIPTION "/providers"}, providers_list},
    {{"Providers_Get", HTTP_GET, PROVIDER}, providers_get},
    {{"Providers_Register", HTTP_POST, PROVIDER "/register"}, providers_register},
    {{"Providers_Unregister", HTTP_POST, PROVIDER "/unregister"}, NULL},
    {{"Resources_List", HTTP_GET, SUBSCRIPTION "/resources"}, resources_list},
    {{"Resources_ListByResourceGroup", HTTP_GET, GROUP "/resources"}, resources_list_by_group},
    {{"Resources_MoveResources", HTTP_POST, GROUP "/moveResources"}, NULL},
    {{"ResourceGroups_List", HTTP_GET, SUBSCRIPTION "/resourceGroups"}, groups_list},
    {{"ResourceGroups_CreateOrUpdate", HTTP_PUT, GROUP}, groups_create},
    {{"ResourceGroups_Get", HTTP_GET, GROUP}, groups_get},
    {{"ResourceGroups_CheckExistence", HTTP_HEAD, GROUP}, groups_exists},
    {{"ResourceGroups_Update", HTTP_PATCH, GROUP}, groups_update},
    {{"ResourceGroups_Delete", HTTP_DELETE, GROUP}, groups_delete},
    {{"ResourceGroups_ExportTemplate", HTTP_POST, GROUP "/exportTemplate"}, NULL},
    {{"ResourceGroups_DeleteResult", HTTP_GET, SUBSCRIPTION "/operationresults/{}"},
     groups_operation},
    {{"StorageAccounts_List", HTTP_GET, SUBSCRIPTION STORAGE "/storageAccounts"}, storage_list},
    {{"StorageAccounts_ListByResourceGroup", HTTP_GET, GROUP STORAGE "/storageAccounts"},
     storage_list_by_group},
    {{"StorageAccounts_CheckNameAvailability", HTTP_POST,
      SUBSCRIPTION STORAGE "/checkNameAvailability"},
     storage_check_name},
    {{"StorageAccounts_Create", HTTP_PUT, ACCOUNT}, storage_create},
    {{"StorageAccounts_GetProperties", HTTP_GET, ACCOUNT}, storage_get},
    {{"StorageAccounts_Update", HTTP_PATCH, ACCOUNT}, storage_update},
    {{"StorageAccounts_Delete", HTTP_DELETE, ACCOUNT}, storage_delete},
    {{"StorageAccounts_ListKeys", HTTP_POST, ACCOUNT "/listKeys"}, storage_list_keys},
    {{"StorageAccounts_RegenerateKey", HTTP_POST, ACCOUNT "/regenerateKey"},
     storage_regenerate_key},
    {{"StorageAccounts_ListAccountSAS", HTTP_POST, ACCOUNT "/ListAccountSas"}, NULL},
    {{"StorageAccounts_ListServiceSAS", HTTP_POST, ACCOUNT "/ListServiceSas"}, NULL},
    {{0}, NULL},
};
