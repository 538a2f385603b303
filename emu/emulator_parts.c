#include "emu/emulator_parts.h"

#include <string.h>
#include <strings.h>

#include "emu/authority.h"

static const struct {
    const char *word;
    EmulatorPart part;
} words[] = {
    {"subscriptions", PART_ARM}, {"providers", PART_ARM}, {"tenants", PART_ARM},
    {"metadata", PART_ARM},      {"adfs", PART_ARM},      {"msi", PART_ARM},
    {"trainyard", PART_CONTROL},
};

static EmulatorPart part_of_word(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == length && strncasecmp(words[i].word, word, length) == 0)
            return words[i].part;
    return PART_NONE;
}

bool emulator_part_word(const char *name)
{
    return part_of_word(name, strlen(name)) != PART_NONE;
}

static bool is_account_name(const char *text, size_t length)
{
    enum { ACCOUNT_MIN = 3, ACCOUNT_MAX = 24 };
    return length >= ACCOUNT_MIN && length <= ACCOUNT_MAX &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789") >= length;
}

static bool is_storage_host(const HttpRequest *request, const char *suffix)
{
    Authority host;
    return authority_read(request->host, strlen(request->host), &host) &&
           authority_is_storage(&host, suffix);
}

EmulatorPart emulator_part(const HttpRequest *request, const char *storage_suffix)
{
    if (request->listener == LISTENER_USERINFO || is_storage_host(request, storage_suffix))
        return PART_FILES;
    const char *first = request->target + strspn(request->target, "/");
    const size_t length = strcspn(first, "/");
    if (length == 0)
        return PART_WELCOME;
    const EmulatorPart part = part_of_word(first, length);
    if (part != PART_NONE)
        return part;
    return is_account_name(first, length) ? PART_FILES : PART_NONE;
}
