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

const char *files_signature(const AzureFiles *service, Arena *arena, const char *account, int which,
                            const char *text)
{
    unsigned char code[SHA256_BYTES];
    size_t length;
    const char *key = files_account_key(service, arena, account, which);
    const unsigned char *bytes = key ? base64_decode(arena, key, &length) : NULL;
    if (!bytes)
        return NULL;
    crypto_hmac_sha256(bytes, length, text, strlen(text), code);
    return base64_encode(arena, code, sizeof code);
}

bool files_signature_is_valid(const AzureFiles *service, Arena *arena, const char *account,
                              const char *text, const char *signature)
{
    for (int which = 0; which < 2; which++) {
        // Bytes have one form in base64, so their texts are compared.
        const char *expected = files_signature(service, arena, account, which, text);
        if (expected && strlen(expected) == strlen(signature) &&
            crypto_equal(expected, signature, strlen(expected)))
            return true;
    }
    return false;
}
