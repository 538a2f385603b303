#include "emu/files/auth/signature.h"

#include <string.h>

#include "emu/http/crypto.h"

bool files_deny(FilesDenial *denial, AzureError error, const char *detail)
{
    *denial = (FilesDenial){.error = error, .detail = detail};
    return false;
}

const char *files_account_key(const AzureFiles *service, Arena *arena, const char *account,
                              int which)
{
    return service->is_files_only ? FILES_DEVELOPMENT_KEY
                                  : service->account_key(service->owner, arena, account, which);
}

/* False if there is no such account. */
static bool sign(const AzureFiles *service, Arena *arena, const char *account, int which,
                 const char *text, unsigned char code[SHA256_BYTES])
{
    const char *key = files_account_key(service, arena, account, which);
    size_t length;
    const unsigned char *bytes = key ? base64_decode(arena, key, &length) : NULL;
    if (bytes)
        crypto_hmac_sha256(bytes, length, text, strlen(text), code);
    return bytes != NULL;
}

const char *files_signature(const AzureFiles *service, Arena *arena, const char *account, int which,
                            const char *text)
{
    unsigned char code[SHA256_BYTES];
    return sign(service, arena, account, which, text, code)
               ? base64_encode(arena, code, sizeof code)
               : NULL;
}

bool files_signature_is_valid(const AzureFiles *service, Arena *arena, const char *account,
                              const char *text, const char *signature)
{
    size_t length;
    const unsigned char *given = base64_decode(arena, signature, &length);
    if (!given || length != SHA256_BYTES)
        return false;
    for (int which = 0; which < 2; which++) {
        unsigned char code[SHA256_BYTES];
        if (sign(service, arena, account, which, text, code) &&
            crypto_equal(code, given, sizeof code))
            return true;
    }
    return false;
}
