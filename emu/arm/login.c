#include "emu/arm/login.h"

#include <inttypes.h>
#include <string.h>

#include "emu/arm/call.h"
#include "emu/arm/id.h"

enum { TOKEN_S = 86400 };

/* RFC 4648, section 5, without padding. */
static void add_base64url(Text *out, const char *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const size_t length = strlen(bytes);
    for (size_t i = 0; i < length; i += 3) {
        const size_t left = length - i;
        uint32_t word = (uint32_t)(unsigned char)bytes[i] << 16;
        if (left > 1)
            word |= (uint32_t)(unsigned char)bytes[i + 1] << 8;
        if (left > 2)
            word |= (uint32_t)(unsigned char)bytes[i + 2];
        const char four[] = {digits[word >> 18], digits[word >> 12 & 63], digits[word >> 6 & 63],
                             digits[word & 63]};
        text_append(out, four, left > 2 ? 4 : left + 1);
    }
}

static void add_part(Text *token, const Json *part)
{
    Text text = {0};
    json_print(&text, part, JSON_COMPACT);
    add_base64url(token, text_string(&text));
    text_free(&text);
}

/* Makes an unsigned JSON web token ("alg": "none"). It has a third part because some clients count
 * the parts. */
static const char *make_token(const ArmCall *call, const char *audience, int64_t now_s)
{
    Arena *arena = call->arena;
    char owner[GUID_TEXT];
    session_guid(call->session, "owner of tokens", 0, owner);
    Json *header = json_object(arena);
    json_put_text(arena, header, "alg", "none");
    json_put_text(arena, header, "typ", "JWT");
    Json *claims = json_object(arena);
    json_put_text(arena, claims, "aud", audience);
    json_put_text(arena, claims, "iss", arm_url(call, "/adfs"));
    json_put_integer(arena, claims, "iat", now_s);
    json_put_integer(arena, claims, "nbf", now_s);
    json_put_integer(arena, claims, "exp", now_s + TOKEN_S);
    json_put_text(arena, claims, "tid", session_tenant(call->session));
    json_put_text(arena, claims, "oid", owner);
    json_put_text(arena, claims, "appid", "emulator");
    Text token = {0};
    add_part(&token, header);
    text_add(&token, ".");
    add_part(&token, claims);
    text_add(&token, ".");
    add_base64url(&token, "unsigned");
    const char *out = arena_strdup(arena, text_string(&token));
    text_free(&token);
    return out;
}

/* Returns a request whose query is the form in the body. NULL after answering 400. */
static const HttpRequest *read_form(const ArmCall *call)
{
    HttpRequest *form = ARENA_NEW(call->arena, HttpRequest);
    *form = *call->request;
    if (http_read_query(form,
                        arena_strndup(call->arena, call->request->body, call->request->body_bytes)))
        return form;
    arm_error(call, AZURE_ARM_INVALID_FORM);
    return NULL;
}

static const char *decimal(Arena *arena, int64_t value)
{
    return arena_printf(arena, "%" PRId64, value);
}

static void managed_identity_token(const ArmCall *call)
{
    const HttpRequest *form = read_form(call);
    if (!form)
        return;
    const char *resource = http_query(form, "resource");
    // A page in a browser cannot send this header.
    if (!http_header(call->request, "Metadata") || !resource) {
        arm_error(call, AZURE_ARM_INVALID_TOKEN_REQUEST);
        return;
    }
    Arena *arena = call->arena;
    const int64_t now_s = call->arm->pace->real_unix_ms / 1000;
    char client[GUID_TEXT];
    session_guid(call->session, "client of tokens", 0, client);
    Json *body = json_object(arena);
    json_put_text(arena, body, "access_token", make_token(call, resource, now_s));
    json_put_text(arena, body, "token_type", "Bearer");
    json_put_text(arena, body, "expires_in", decimal(arena, TOKEN_S));
    json_put_text(arena, body, "expires_on", decimal(arena, now_s + TOKEN_S));
    json_put_text(arena, body, "not_before", decimal(arena, now_s));
    json_put_text(arena, body, "resource", resource);
    json_put_text(arena, body, "client_id", client);
    arm_answer(call, 200, body);
}

static void configuration(const ArmCall *call)
{
    Arena *arena = call->arena;
    Json *body = json_object(arena);
    json_put_text(arena, body, "issuer", arm_url(call, "/adfs"));
    json_put_text(arena, body, "authorization_endpoint", arm_url(call, "/adfs/oauth2/authorize"));
    json_put_text(arena, body, "token_endpoint", arm_url(call, "/adfs/oauth2/token"));
    arm_answer(call, 200, body);
}

static void service_principal_token(const ArmCall *call)
{
    const HttpRequest *form = read_form(call);
    if (!form)
        return;
    const char *scope = http_query(form, "scope");
    const char *grant = http_query(form, "grant_type");
    if (!scope || !grant || strcmp(grant, "client_credentials") != 0) {
        arm_error(call, AZURE_ARM_UNSUPPORTED_GRANT);
        return;
    }
    Arena *arena = call->arena;
    Json *body = json_object(arena);
    json_put_text(arena, body, "token_type", "Bearer");
    json_put_text(arena, body, "access_token",
                  make_token(call, scope, call->arm->pace->real_unix_ms / 1000));
    json_put_integer(arena, body, "expires_in", TOKEN_S - 1);
    arm_answer(call, 200, body);
}

/* For `az cloud register --endpoint-resource-manager`. */
static void metadata(const ArmCall *call)
{
    Arena *arena = call->arena;
    const char *own = arm_url(call, "");
    Json *body = json_object(arena);
    json_put_text(arena, body, "galleryEndpoint", own);
    json_put_text(arena, body, "graphEndpoint", own);
    json_put_text(arena, body, "portalEndpoint", own);
    Json *login = json_put_object(arena, body, "authentication");
    json_put_text(arena, login, "loginEndpoint", arm_url(call, "/adfs"));
    Json *audiences = json_put_array(arena, login, "audiences");
    json_add(audiences, json_string(arena, "https://management.core.windows.net/"));
    json_add(audiences, json_string(arena, own));
    arm_answer(call, 200, body);
}

const ArmRoute login_routes[] = {
    {{"ManagedIdentity_Token", HTTP_POST, "/msi/token"}, managed_identity_token},
    {{"OpenId_Configuration", HTTP_GET, "/adfs/.well-known/openid-configuration"}, configuration},
    {{"OAuth2_Token", HTTP_POST, "/adfs/oauth2/token"}, service_principal_token},
    {{"OAuth2_Authorize", HTTP_GET, "/adfs/oauth2/authorize"}, NULL},
    {{"Metadata_Endpoints", HTTP_GET, "/metadata/endpoints"}, metadata},
    {{0}, NULL},
};
