/* Private to emu/files: operations of a storage account's file service. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "emu/files/cors.h"
#include "emu/files/marker.h"
#include "emu/files/metadata.h"
#include "emu/files/properties.h"
#include "emu/files/service.h"
#include "emu/files/store/shares.h"

/* --- Shares --- */

static void write_share(FilesCall *call, XmlWriter *xml, const FilesEntry *share)
{
    Arena *arena = call->arena;
    const Json *properties = files_json_read(arena, share->properties);
    const Lease lease = lease_read(arena, share->lease);
    const LeaseState state = lease_state(&lease, call_now_ms(call));
    xml_open(xml, "Share");
    xml_text(xml, "Name", share->name);
    if (*share->snapshot)
        xml_text(xml, "Snapshot", share->snapshot);
    xml_open(xml, "Properties");
    xml_text(xml, "Last-Modified", entry_modified(arena, share));
    xml_text(xml, "Etag", entry_etag(arena, share));
    xml_number(xml, "Quota", share->quota_gib);
    const char *tier = files_json_text(properties, "access-tier");
    xml_text(xml, "AccessTier", *tier ? tier : "TransactionOptimized");
    if (*files_json_text(properties, "access-tier-change-time"))
        xml_text(xml, "AccessTierChangeTime",
                 files_json_text(properties, "access-tier-change-time"));
    xml_text(xml, "EnabledProtocols", "SMB");
    xml_text(xml, "LeaseStatus",
             lease_is_locked(&lease, call_now_ms(call)) ? "locked" : "unlocked");
    xml_text(xml, "LeaseState", lease_state_name(state));
    if (state == LEASE_LEASED)
        xml_text(xml, "LeaseDuration", lease.ends_ms == INT64_MAX ? "infinite" : "fixed");
    xml_close(xml);
    if (call_includes(call, "metadata") && *share->metadata)
        metadata_write(xml, arena, share->metadata);
    xml_close(xml);
}

/* The marker after which the next page begins; snapshots are listed one by one. */
static const char *marker_of(FilesCall *call, const ListPage *page, const FilesEntry *share)
{
    const char *name = *share->snapshot
                           ? arena_printf(call->arena, "%s/%s", share->name, share->snapshot)
                           : share->name;
    return list_marker(call->arena, page->prefix, name);
}

void op_service_list(FilesCall *call)
{
    int32_t max, count;
    ListPage page;
    bool more;
    if (!call_max_results(call, &max) || !list_page_read(call, &page))
        return;
    FilesEntry *shares =
        files_shares(call->files, call->arena, call->address.account, page.prefix, page.after, max,
                     call_includes(call, "snapshots"), &count, &more);
    XmlWriter *xml = xml_begin(call->arena, "EnumerationResults");
    xml_attribute(xml, "ServiceEndpoint", call_endpoint(call));
    list_page_write(call, xml, &page);
    xml_open(xml, "Shares");
    for (int32_t i = 0; i < count; i++)
        write_share(call, xml, &shares[i]);
    xml_close(xml);
    xml_text(xml, "NextMarker",
             more && count > 0 ? marker_of(call, &page, &shares[count - 1]) : "");
    call_answer_xml(call, xml);
}

/* --- Properties --- */

/* The sections that may be set, in the order of answers, with their defaults. */
static const struct {
    const char *name, *fallback;
} sections[] = {{"HourMetrics",
                 "<HourMetrics><Version>1.0</Version><Enabled>false</Enabled>"
                 "<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></HourMetrics>"},
                {"MinuteMetrics", "<MinuteMetrics><Version>1.0</Version><Enabled>false</Enabled>"
                                  "<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy>"
                                  "</MinuteMetrics>"},
                {"Cors", "<Cors/>"},
                {"ProtocolSettings", "<ProtocolSettings><SMB><Multichannel><Enabled>false</Enabled>"
                                     "</Multichannel></SMB></ProtocolSettings>"}};
enum { SECTIONS = sizeof sections / sizeof *sections };
#define ROOT "StorageServiceProperties"

static const char *setting_name(const FilesCall *call)
{
    return call_setting(call, "files.service", "properties");
}

static const XmlNode *service_section(const FilesCall *call, const char *name)
{
    const char *kept = store_setting(call->service->store, call->arena, setting_name(call));
    const XmlNode *section =
        kept ? xml_child(xml_read(call->arena, kept, strlen(kept)), name) : NULL;
    for (int i = 0; i < SECTIONS && !section; i++)
        if (strcmp(sections[i].name, name) == 0)
            section = xml_read(call->arena, sections[i].fallback, strlen(sections[i].fallback));
    return section;
}

const XmlNode *service_cors_rules(const FilesCall *call)
{
    AzureFiles *service = call->service;
    if (strcmp(service->account_without_cors, call->address.account) == 0)
        return NULL;
    const char *kept = store_setting(service->store, call->arena, setting_name(call));
    if (kept && strstr(kept, "<CorsRule>"))
        return service_section(call, "Cors")->first;
    snprintf(service->account_without_cors, sizeof service->account_without_cors, "%s",
             call->address.account);
    return NULL;
}

/* The current properties, with the sections of `news` (NULL: none) in their place. */
static XmlWriter *write_properties(FilesCall *call, const XmlNode *news)
{
    XmlWriter *xml = xml_begin(call->arena, ROOT);
    for (int i = 0; i < SECTIONS; i++) {
        const XmlNode *section = xml_child(news, sections[i].name);
        xml_copy(xml, section ? section : service_section(call, sections[i].name));
    }
    return xml;
}

void op_service_get(FilesCall *call)
{
    call_answer_xml(call, write_properties(call, NULL));
}

/* --- Checking what is set --- */

/* The child elements of each element; others have none. */
static const struct {
    const char *name, *inner[6];
} elements[] = {
    {ROOT, {"HourMetrics", "MinuteMetrics", "Cors", "ProtocolSettings"}},
    {"HourMetrics", {"Version", "Enabled", "IncludeAPIs", "RetentionPolicy"}},
    {"MinuteMetrics", {"Version", "Enabled", "IncludeAPIs", "RetentionPolicy"}},
    {"RetentionPolicy", {"Enabled", "Days"}},
    {"Cors", {"CorsRule"}},
    {"CorsRule",
     {"AllowedOrigins", "AllowedMethods", "AllowedHeaders", "ExposedHeaders", "MaxAgeInSeconds"}},
    {"ProtocolSettings", {"SMB"}},
    {"SMB", {"Multichannel"}},
    {"Multichannel", {"Enabled"}},
};

static bool element_may_have(const char *name, const char *inner)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        for (int j = 0; strcmp(elements[i].name, name) == 0 && elements[i].inner[j]; j++)
            if (strcmp(elements[i].inner[j], inner) == 0)
                return true;
    return false;
}

/* An unknown element would be set without effect. */
static bool elements_are_known(FilesCall *call, const XmlNode *node)
{
    for (const XmlNode *inner = node->first; inner; inner = inner->next)
        if (!element_may_have(node->name, inner->name))
            return call_refuse_for(call, AZURE_FILES_UNSUPPORTED_XML, "(%s in %s)", inner->name,
                                   node->name);
        else if (!elements_are_known(call, inner))
            return false;
    return true;
}

static bool is_boolean(const char *text)
{
    return text && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0);
}

static bool is_on(const XmlNode *node)
{
    const char *enabled = xml_child_text(node, "Enabled");
    return enabled && strcmp(enabled, "true") == 0;
}

static bool is_number(const char *text, int64_t least, int64_t most)
{
    int64_t number = 0;
    if (!text || *text == '\0' || strlen(text) > 10 || text[strspn(text, "0123456789")] != '\0')
        return false;
    for (; *text; text++)
        number = number * 10 + (*text - '0');
    return number >= least && number <= most;
}

static bool metrics_are_valid(const XmlNode *metrics)
{
    const char *version = xml_child_text(metrics, "Version");
    const XmlNode *policy = xml_child(metrics, "RetentionPolicy");
    const char *apis = xml_child_text(metrics, "IncludeAPIs");
    return version && strcmp(version, "1.0") == 0 &&
           is_boolean(xml_child_text(metrics, "Enabled")) && (!apis || is_boolean(apis)) &&
           (apis || !is_on(metrics)) && is_boolean(xml_child_text(policy, "Enabled")) &&
           (!is_on(policy) || is_number(xml_child_text(policy, "Days"), 1, 365));
}

/* The length of all text in an element and below. */
static size_t text_bytes(const XmlNode *node)
{
    size_t bytes = strlen(node->text);
    for (const XmlNode *inner = node->first; inner; inner = inner->next)
        bytes += text_bytes(inner);
    return bytes;
}

static bool rules_are_valid(const XmlNode *cors)
{
    enum { RULES_MAX = 5, RULES_BYTES_MAX = 2 << 10 };
    int count = 0;
    for (const XmlNode *rule = cors->first; rule; rule = rule->next, count++)
        if (!cors_rule_is_valid(rule) ||
            !is_number(xml_child_text(rule, "MaxAgeInSeconds"), 0, 2000000000))
            return false;
    return count <= RULES_MAX && text_bytes(cors) <= RULES_BYTES_MAX;
}

static bool protocol_is_valid(const XmlNode *protocol)
{
    const XmlNode *channels = xml_child(xml_child(protocol, "SMB"), "Multichannel");
    return !channels || is_boolean(xml_child_text(channels, "Enabled"));
}

static bool section_is_valid(FilesCall *call, const XmlNode *section)
{
    bool (*const checks[SECTIONS])(const XmlNode *) = {metrics_are_valid, metrics_are_valid,
                                                       rules_are_valid, protocol_is_valid};
    for (int i = 0; i < SECTIONS; i++)
        if (strcmp(section->name, sections[i].name) == 0)
            return checks[i](section) ||
                   call_refuse_for(call, AZURE_FILES_INVALID_XML_VALUE, "(%s)", section->name);
    return true;
}

void op_service_set(FilesCall *call)
{
    const XmlNode *news = xml_read(call->arena, call->request->body, call->request->body_bytes);
    if (!news || strcmp(news->name, ROOT) != 0) {
        call_refuse(call, AZURE_FILES_INVALID_XML);
        return;
    }
    if (!elements_are_known(call, news))
        return;
    for (const XmlNode *section = news->first; section; section = section->next)
        if (!section_is_valid(call, section))
            return;
    size_t length;
    Status status = {0};
    call->service->account_without_cors[0] = '\0';
    if (store_set(call->service->store, setting_name(call),
                  xml_finish(write_properties(call, news), &length), &status))
        call->response->status = 202;
    else
        call_refuse_failure(call, FILES_NO_SPACE);
}
