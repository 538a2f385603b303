/* Private to emu/files: stored access policies of a share, to which SAS refer by their identifiers
 * (emu/files/auth/sas.c). They are the share's property "policies", [{"id", "start", "expiry",
 * "permission"}], without missing members. */
#include <string.h>
#include <unistr.h>

#include "emu/files/auth/sas_fields.h"
#include "emu/files/call.h"

enum { POLICIES_MAX = 5, ID_MAX = 64 };

static const struct {
    const char *element, *key;
} fields[] = {{"Start", "start"}, {"Expiry", "expiry"}, {"Permission", "permission"}};

void op_share_get_acl(FilesCall *call)
{
    FilesEntry share;
    if (!call_look_to_read(call, &share))
        return;
    call_stamp(call, &share);
    const Json *policies = json_member(files_json_read(call->arena, share.properties), "policies");
    XmlWriter *xml = xml_begin(call->arena, "SignedIdentifiers");
    for (const Json *policy = policies ? policies->first : NULL; policy; policy = policy->next) {
        xml_open(xml, "SignedIdentifier");
        xml_text(xml, "Id", files_json_text(policy, "id"));
        xml_open(xml, "AccessPolicy");
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
            if (json_member(policy, fields[i].key))
                xml_text(xml, fields[i].element, files_json_text(policy, fields[i].key));
        xml_close(xml);
        xml_close(xml);
    }
    call_answer_xml(call, xml);
}

static bool value_is_valid(const char *element, const char *value)
{
    int64_t unix_ms;
    return strcmp(element, "Permission") == 0 ? value[strspn(value, "rcwdl")] == '\0'
                                              : sas_time_parse(value, &unix_ms);
}

static bool has_policy(const Json *policies, const char *id)
{
    for (const Json *policy = policies->first; policy; policy = policy->next)
        if (strcmp(files_json_text(policy, "id"), id) == 0)
            return true;
    return false;
}

static bool take_policy(FilesCall *call, const XmlNode *node, Json *policies)
{
    const char *id = xml_child_text(node, "Id");
    const bool is_id = id && *id && u8_mbsnlen((const uint8_t *)id, strlen(id)) <= ID_MAX;
    if (strcmp(node->name, "SignedIdentifier") != 0 || !is_id || has_policy(policies, id) ||
        policies->count == POLICIES_MAX)
        return call_refuse_for(call, AZURE_FILES_INVALID_XML_VALUE, "(%s)", node->name);
    Json *policy = json_add(policies, json_object(call->arena));
    files_json_put(call->arena, policy, "id", id);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const char *value = xml_child_text(xml_child(node, "AccessPolicy"), fields[i].element);
        if (!value || *value == '\0')
            continue;
        if (!value_is_valid(fields[i].element, value))
            return call_refuse_for(call, AZURE_FILES_INVALID_XML_VALUE, "(%s: \"%s\")",
                                   fields[i].element, value);
        files_json_put(call->arena, policy, fields[i].key, value);
    }
    return true;
}

/* An absent body removes all policies. */
static bool take_policies(FilesCall *call, Json *policies)
{
    if (call->request->body_bytes == 0)
        return true;
    const XmlNode *root = xml_read(call->arena, call->request->body, call->request->body_bytes);
    if (!root || strcmp(root->name, "SignedIdentifiers") != 0)
        return call_refuse(call, AZURE_FILES_INVALID_XML);
    for (const XmlNode *node = root->first; node; node = node->next)
        if (!take_policy(call, node, policies))
            return false;
    return true;
}

void op_share_set_acl(FilesCall *call)
{
    FilesEntry share;
    Json *policies = json_array(call->arena);
    if (!call_look_to_change(call, &share) || !take_policies(call, policies))
        return;
    Json *properties = files_json_read(call->arena, share.properties);
    json_set(call->arena, properties, "policies", policies);
    const FilesFailure failure = files_change(
        call->files, call->share, "", -1, files_json_print(call->arena, properties), NULL, NULL);
    if (failure != FILES_OK)
        call_refuse_failure(call, failure);
    else
        call_stamp_path(call, "");
}
