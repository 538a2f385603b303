"""Resource Manager as az sees it: accounts, groups, providers, storage accounts and their keys; and what az-env says of itself."""
import subprocess

from support import TRAINYARD, Case, main

SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"


class Resources(Case):
    def env(self, *options):
        """az-env in the emulator's folder: status, stdout, stderr."""
        result = subprocess.run([TRAINYARD, "az-env", *options], cwd=self.folder, check=False, capture_output=True, text=True)
        return result.returncode, result.stdout, result.stderr

    def test_az_env_checks_what_az_will_use(self):
        tls, files = self.emulator.ready["tls"], "trainyardcheck.file.core.windows.net"
        for options, host in (([], files), (["--no-proxy"], self.emulator.ready["userinfo"])):
            self.assertEqual(self.env("--check", *options), (0, f"Azure Resource Manager at https://{tls} answers.\n"
                                                                f"Azure Files at https://{host} answers.\n", ""))

    def test_az_env_says_so_where_nothing_is_served(self):
        status, out, error = self.env("--check", "--state", "nowhere")
        self.assertEqual((status, out), (2, ""))
        self.assertIn("nowhere", error)

    def test_az_is_logged_in_and_has_a_folder_of_its_own(self):
        account = self.az("account show").json
        self.assertHas(account, {"id": SUBSCRIPTION, "name": "Emulator", "state": "Enabled", "isDefault": True})
        self.assertEqual(self.az("account list --query [].id").json, [SUBSCRIPTION])
        self.assertTrue(self.environment["AZURE_CONFIG_DIR"].startswith(str(self.folder)))
        self.assertFalse((self.folder / "home/.azure").exists(), "what the user has of the real Azure is not touched")

    def test_locations_are_listed(self):
        self.assertEqual(self.az(["account", "list-locations", "--query", "[?name=='eastus'].displayName"]).json, ["East US"])

    def test_providers_are_there_and_can_be_registered(self):
        self.assertIn("Microsoft.BatchAI", self.az("provider list --query [].namespace").json)
        self.assertHas(self.az("provider show --namespace Microsoft.BatchAI").json,
                       {"namespace": "Microsoft.BatchAI", "registrationState": "Registered"})
        self.az("provider register --namespace Microsoft.BatchAI")
        self.az("provider register --namespace Microsoft.Batch --wait")
        self.missing("provider show --namespace Microsoft.Nothing", "(InvalidResourceNamespace)")

    def test_a_group_is_made_changed_listed_and_found_in_any_case(self):
        self.assertEqual(self.az("group create --name Some.group --location eastus --tags a=1").json, {
            "id": f"/subscriptions/{SUBSCRIPTION}/resourceGroups/Some.group", "location": "eastus", "managedBy": None,
            "name": "Some.group", "properties": {"provisioningState": "Succeeded"}, "tags": {"a": "1"},
            "type": "Microsoft.Resources/resourceGroups"})
        self.assertEqual(self.az("group update --name some.GROUP --set tags.b=2 --query tags").json, {"a": "1", "b": "2"})
        self.assertEqual(self.az("group show --name SOME.group --query [name,tags.b]").json, ["Some.group", "2"])
        self.assertEqual(self.az("group list --output table").rows, [{"Name": "Some.group", "Location": "eastus", "Status": "Succeeded"}])
        self.assertEqual(self.az("group exists --name some.group").stdout, "true\n")
        self.assertEqual(self.az("group exists --name none").stdout, "false\n")

    def test_mistakes_with_groups_are_told(self):
        self.fails("group create --name some.group --location westus2", "(InvalidResourceGroupLocation) Invalid resource group location "
                   "'westus2'. The Resource group already exists in location 'eastus'.")
        self.fails("group create --name bad. --location eastus", "(InvalidResourceGroup)")
        self.fails("group create --name new --location nowhere", "(LocationNotAvailableForResourceGroup) The provided location 'nowhere' "
                   "is not available for resource group. List of available regions is 'centralus,")
        for command in ("group show", "group update --tags a=b", "group delete --yes"):
            self.missing(f"{command} --name none", "(ResourceGroupNotFound) Resource group 'none' could not be found.")

    def test_a_storage_account_is_made_changed_and_found(self):
        self.assertEqual(self.az("storage account check-name --name acct").json["nameAvailable"], True)
        account = self.az("storage account create --name acct --resource-group some.group --location eastus --sku Standard_LRS").json
        self.assertHas(account, {"name": "acct", "location": "eastus", "provisioningState": "Succeeded", "kind": "StorageV2",
                                 "resourceGroup": "Some.group", "sku": {"name": "Standard_LRS", "tier": "Standard"},
                                 "primaryEndpoints": {"file": f"http://{self.emulator.ready['plain']}/acct"}})
        self.assertEqual(self.az("storage account check-name --name acct").json, {
            "message": "The storage account named acct is already taken.", "nameAvailable": False, "reason": "AlreadyExists"})
        self.assertEqual(self.az("storage account show --name acct").json, account)
        self.assertEqual(self.az("storage account list").json, [account])
        self.assertEqual(self.az("storage account update --name acct --resource-group some.group --tags x=y --query tags").json, {"x": "y"})
        self.assertEqual(self.az("storage account show --name acct --query tags").json, {"x": "y"})
        self.assertEqual(self.az("resource list --query [].name").json, ["acct"])

    def test_keys_are_two_and_renewed_one_by_one(self):
        where = "--account-name acct --resource-group some.group"
        old = self.az(f"storage account keys list {where}").json
        self.assertEqual([(key["keyName"], key["permissions"], len(key["value"])) for key in old], [("key1", "FULL", 88), ("key2", "FULL", 88)])
        renewed = self.az(f"storage account keys renew {where} --key key1").json
        self.assertNotEqual(renewed[0]["value"], old[0]["value"])
        self.assertEqual(renewed[1]["value"], old[1]["value"])
        self.assertEqual(self.az(f"storage account keys list {where}").json, renewed)
        text = self.az("storage account show-connection-string --name acct --resource-group some.group").json["connectionString"]
        self.assertIn(f"AccountKey={renewed[0]['value']};FileEndpoint=http://{self.emulator.ready['plain']}/acct", text)
        listed = ["storage", "share", "list", "--account-name", "acct", "--account-key"]
        self.assertEqual(self.az([*listed, renewed[0]["value"]]).json, [])
        self.fails([*listed, old[0]["value"]], "AuthenticationFailed")
        self.assertNotIn(renewed[0]["value"], self.emulator.log())

    def test_mistakes_with_accounts_are_told(self):
        self.fails("storage account create --name ACCT! --resource-group some.group --location eastus",
                   "(AccountNameInvalid) ACCT! is not a valid storage account name.")
        self.az("group create --name other --location eastus")
        self.fails("storage account create --name acct --resource-group other --location eastus", "(StorageAccountAlreadyTaken)")
        self.missing("storage account show --name none --resource-group other", "(ResourceNotFound) The Resource "
                     "'Microsoft.Storage/storageAccounts/none' under resource group 'other' was not found.")
        self.missing("storage account create --name one --resource-group none --location eastus", "(ResourceGroupNotFound)")

    def test_an_unknown_type_is_no_silent_success(self):
        self.missing("storage account file-service-properties show --account-name acct --resource-group some.group", "(InvalidResourceType)")

    def test_a_group_takes_with_it_what_it_holds(self):
        self.az("batchai workspace create --resource-group some.group --workspace w")
        self.az("group delete --name some.group --yes --no-wait")
        self.az("group wait --name some.group --deleted")
        self.assertEqual(self.az("group list --query [].name").json, ["other"])
        self.assertEqual(self.az("storage account list").json, [])
        self.assertEqual(self.az("batchai workspace list").json, [])


if __name__ == "__main__":
    main()
