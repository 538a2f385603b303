/* The certificate by which clients know the emulator: made at the first start, kept in the state
 * folder, made anew when its names have changed or it is about to expire.
 *
 * It signs itself and may sign nothing else: whoever trusts it trusts this emulator, and a stolen
 * key is worth nothing for other sites. */
#ifndef EMU_CERTIFICATE_H
#define EMU_CERTIFICATE_H

#include "sim/base/status.h"

enum { CERTIFICATE_NAMES_MAX = 16 };

/* "127.0.0.1", "::1", "localhost", "*.file.core.windows.net" */
typedef struct {
    int32_t count;
    const char *items[CERTIFICATE_NAMES_MAX];
} CertificateNames;

typedef struct {
    const char *path;        /* FOLDER/ca.pem: the certificate, for clients that add to their own */
    const char *bundle_path; /* FOLDER/ca-bundle.pem: with those of the system behind it, for
                                clients that take one file instead of their own */
    const char *certificate_pem;
    const char *key_pem; /* FOLDER/tls-key.pem, which only its owner can read */
} Certificate;

/* All of it in `arena`; `folder` exists. `now_s`: the machine's calendar, seconds since 1970.
 * STATUS_MACHINE with what failed. */
MUST_CHECK bool certificate_open(Arena *arena, const char *folder, const CertificateNames *names,
                                 int64_t now_s, Certificate *certificate, Status *status);

#endif
