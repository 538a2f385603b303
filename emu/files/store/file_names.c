#include "emu/files/store/file_names.h"

#include <string.h>
#include <unicase.h>
#include <unistr.h>

#include "sim/base/ascii.h"

enum { UTF8_MAX = 4 }; // bytes of a character

const char *file_name_fold(Arena *arena, const char *name)
{
    size_t length = strlen(name), used = 0;
    // An upper case can be longer than its character: U+0250 has 2 bytes, its upper case U+2C6F 3.
    uint8_t *folded = arena_alloc(arena, length * UTF8_MAX + 1);
    const uint8_t *at = (const uint8_t *)name, *end = at + length;
    while (at < end) {
        ucs4_t character;
        int taken = u8_mbtoucr(&character, at, (size_t)(end - at));
        if (taken < 1) {
            folded[used++] = *at++;
            continue;
        }
        used += (size_t)u8_uctomb(folded + used, uc_toupper(character), UTF8_MAX);
        at += taken;
    }
    return (const char *)folded;
}

/* All characters except control characters and those that Windows reserves. */
static bool is_allowed(ucs4_t character)
{
    bool is_control = character < 0x20 || (character >= 0x7f && character < 0xa0);
    bool is_special = character < 0x80 && strchr("\"\\/:|<>*?", (int)character);
    return !is_control && !is_special;
}

static size_t length_without_dots(const char *name, size_t length)
{
    while (length > 0 && name[length - 1] == '.')
        length--;
    return length;
}

static bool is_reserved(const char *name)
{
    static const char *const devices[] = {"PRN", "AUX", "NUL", "CON", "CLOCK$"};
    const size_t length = length_without_dots(name, strlen(name));
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (length == strlen(devices[i]) && ascii_same_start(name, devices[i], length))
            return true;
    bool is_port = ascii_same_start(name, "LPT", 3) || ascii_same_start(name, "COM", 3);
    return length == 0 || (is_port && length == 4 && name[3] >= '1' && name[3] <= '9');
}

/* The length of `name` in characters; 0 if it is not a valid name. */
static int32_t name_length(const char *name)
{
    int32_t units = 0;
    const uint8_t *at = (const uint8_t *)name, *end = at + strlen(name);
    while (at < end) {
        ucs4_t character;
        int taken = u8_mbtoucr(&character, at, (size_t)(end - at));
        if (taken < 1 || !is_allowed(character))
            return 0;
        units += character < 0x10000 ? 1 : 2;
        at += taken;
    }
    return units <= FILE_NAME_MAX && !is_reserved(name) ? units : 0;
}

bool file_path_fits(const char *path)
{
    int32_t units = 0, parts = 0;
    const uint8_t *at = (const uint8_t *)path, *end = at + strlen(path);
    while (at < end && units <= FILE_PATH_MAX) {
        ucs4_t character;
        const bool begins = *at != '/' && (at == (const uint8_t *)path || at[-1] == '/');
        const int taken = u8_mbtoucr(&character, at, (size_t)(end - at));
        parts += begins;
        units += taken > 0 && character >= 0x10000 ? 2 : 1;
        at += taken > 0 ? taken : 1;
    }
    return units <= FILE_PATH_MAX && parts <= FILE_DEPTH_MAX;
}

const char *file_path_without_dots(Arena *arena, const char *path)
{
    char *out = arena_alloc(arena, strlen(path) + 1);
    size_t used = 0;
    while (*path) {
        const size_t length = strcspn(path, "/");
        const size_t kept = length_without_dots(path, length);
        memcpy(out + used, path, kept > 0 ? kept : length);
        used += kept > 0 ? kept : length;
        path += length;
        if (*path == '/')
            out[used++] = *path++;
    }
    out[used] = '\0';
    return out;
}

bool file_path_split(Arena *arena, const char *path, FileName **names, int32_t *count)
{
    int32_t room = 1;
    for (const char *c = path; *c; c++)
        room += *c == '/';
    *names = ARENA_ARRAY(arena, FileName, room);
    *count = 0;
    if (!file_path_fits(path))
        return false;
    for (const char *part = path; *part;) {
        size_t length = strcspn(part, "/");
        const char *next = part + length + (part[length] == '/');
        if (length > 0) {
            const char *name = arena_strndup(arena, part, length);
            if (name_length(name) == 0)
                return false;
            (*names)[(*count)++] = (FileName){name, file_name_fold(arena, name)};
        }
        part = next;
    }
    return true;
}

bool share_name_is_valid(const char *name)
{
    size_t length = strlen(name);
    if (length < 3 || length > 63 ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != length)
        return false;
    return name[0] != '-' && name[length - 1] != '-' && !strstr(name, "--");
}
