/* The emulator's certificate: made at the first start, kept in the state folder, and made again if
 * its names have changed or it expires soon.
 *
 * It is self-signed and cannot sign others: a client that trusts it trusts this emulator only, and
 * a stolen key is worthless for other sites. */
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
    const char *path; /* FOLDER/ca.pem: the certificate, for clients that add it to their own */
    const char *bundle_path; /* FOLDER/ca-bundle.pem: the certificate and those of the system, for
                                clients that replace their own */
    const char *certificate_pem;
    const char *key_pem; /* FOLDER/tls-key.pem, which only its owner can read */
} Certificate;

/* Reads or makes the certificate, in `arena`; `folder` exists. `now_s`: the machine's calendar,
 * seconds since 1970. STATUS_MACHINE with the step that failed. */
MUST_CHECK bool certificate_open(Arena *arena, const char *folder, const CertificateNames *names,
                                 int64_t now_s, Certificate *certificate, Status *status);

#endif
