#include "emu/http/certificate.h"

#include <arpa/inet.h>
#include <gnutls/crypto.h>
#include <gnutls/x509.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emu/state/state_folder.h"
#include "sim/cli/files.h"

enum {
    DAY_S = 24 * 60 * 60,
    VALID_S = 397 * DAY_S, // the maximum of browsers (CA/Browser Forum, baseline requirements)
    RENEWED_S = 30 * DAY_S,
    FILE_BYTES_MAX = 4 << 20,
    SERIAL_BYTES = 16,
    KEY_ID_BYTES = 20,
};

static const char system_bundle[] = "/etc/ssl/certs/ca-certificates.crt"; // Debian and derivatives

typedef struct {
    unsigned char bytes[sizeof(struct in6_addr)];
    unsigned length;
} Address;

static bool address_read(const char *text, Address *address)
{
    address->length = 0;
    if (inet_pton(AF_INET, text, address->bytes) == 1)
        address->length = sizeof(struct in_addr);
    else if (inet_pton(AF_INET6, text, address->bytes) == 1)
        address->length = sizeof(struct in6_addr);
    return address->length > 0;
}

static bool fail(const char *doing, int code, Status *status)
{
    return status_fail(status, STATUS_MACHINE, place_in("certificate", 0, 0), "%s failed: %s",
                       doing, gnutls_strerror(code));
}

/* --- The one that is there --- */

typedef struct {
    gnutls_x509_privkey_t key;
    gnutls_x509_crt_t certificate;
} Pair;

/* pair_free frees everything, even after a failure. */
static int pair_init(Pair *pair)
{
    *pair = (Pair){0};
    const int code = gnutls_x509_privkey_init(&pair->key);
    return code < 0 ? code : gnutls_x509_crt_init(&pair->certificate);
}

static void pair_free(Pair *pair)
{
    if (pair->certificate)
        gnutls_x509_crt_deinit(pair->certificate);
    if (pair->key)
        gnutls_x509_privkey_deinit(pair->key);
}

static bool has_name(gnutls_x509_crt_t certificate, unsigned at, const char *name)
{
    char found[256];
    size_t length = sizeof found;
    Address address;
    const int kind = gnutls_x509_crt_get_subject_alt_name(certificate, at, found, &length, NULL);
    if (address_read(name, &address))
        return kind == GNUTLS_SAN_IPADDRESS && length == address.length &&
               memcmp(found, address.bytes, length) == 0;
    return kind == GNUTLS_SAN_DNSNAME && length == strlen(name) && memcmp(found, name, length) == 0;
}

/* Whether the certificate has exactly these names in this order. */
static bool has_names(gnutls_x509_crt_t certificate, const CertificateNames *names)
{
    char room[256];
    size_t length = sizeof room;
    for (int32_t i = 0; i < names->count; i++)
        if (!has_name(certificate, (unsigned)i, names->items[i]))
            return false;
    return gnutls_x509_crt_get_subject_alt_name(certificate, (unsigned)names->count, room, &length,
                                                NULL) == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE;
}

static bool key_matches(const Pair *pair)
{
    unsigned char of_key[KEY_ID_BYTES], of_certificate[KEY_ID_BYTES];
    size_t key_length = sizeof of_key, length = sizeof of_certificate;
    return gnutls_x509_privkey_get_key_id(pair->key, 0, of_key, &key_length) == 0 &&
           gnutls_x509_crt_get_key_id(pair->certificate, 0, of_certificate, &length) == 0 &&
           length == key_length && memcmp(of_key, of_certificate, length) == 0;
}

static gnutls_datum_t datum(const char *text)
{
    return (gnutls_datum_t){.data = (unsigned char *)text, .size = (unsigned)strlen(text)};
}

static bool is_usable(const Pair *pair, const Certificate *certificate,
                      const CertificateNames *names, int64_t now_s)
{
    const gnutls_datum_t key_pem = datum(certificate->key_pem);
    const gnutls_datum_t certificate_pem = datum(certificate->certificate_pem);
    return gnutls_x509_privkey_import(pair->key, &key_pem, GNUTLS_X509_FMT_PEM) == 0 &&
           gnutls_x509_crt_import(pair->certificate, &certificate_pem, GNUTLS_X509_FMT_PEM) == 0 &&
           key_matches(pair) && has_names(pair->certificate, names) &&
           gnutls_x509_crt_get_activation_time(pair->certificate) <= now_s &&
           gnutls_x509_crt_get_expiration_time(pair->certificate) >= now_s + RENEWED_S;
}

/* False if there is no usable certificate: then one is made. */
static bool certificate_read(Arena *arena, const char *key_path, const CertificateNames *names,
                             int64_t now_s, Certificate *certificate)
{
    Status ignored;
    Pair pair;
    char *pem, *key_pem;
    size_t length;
    if (access(certificate->bundle_path, R_OK) != 0 ||
        !file_read(arena, certificate->path, FILE_BYTES_MAX, &pem, &length, &ignored) ||
        !file_read(arena, key_path, FILE_BYTES_MAX, &key_pem, &length, &ignored))
        return false;
    certificate->certificate_pem = pem;
    certificate->key_pem = key_pem;
    const bool is_fine = pair_init(&pair) == 0 && is_usable(&pair, certificate, names, now_s);
    pair_free(&pair);
    return is_fine;
}

/* --- A new one --- */

static int add_names(gnutls_x509_crt_t certificate, const CertificateNames *names)
{
    for (int32_t i = 0; i < names->count; i++) {
        Address address;
        const char *name = names->items[i];
        const bool is_address = address_read(name, &address);
        const int code = gnutls_x509_crt_set_subject_alt_name(
            certificate, is_address ? GNUTLS_SAN_IPADDRESS : GNUTLS_SAN_DNSNAME,
            is_address ? (const void *)address.bytes : name,
            is_address ? address.length : (unsigned)strlen(name), GNUTLS_FSAN_APPEND);
        if (code < 0)
            return code;
    }
    return 0;
}

/* The extensions that strict clients require (Python 3.13, RFC 5280): key identifiers, purposes,
 * and that it is not an authority. */
static int add_extensions(const Pair *pair)
{
    unsigned char id[KEY_ID_BYTES];
    size_t length = sizeof id;
    gnutls_x509_crt_t certificate = pair->certificate;
    int code = gnutls_x509_crt_get_key_id(certificate, 0, id, &length);
    if (code >= 0)
        code = gnutls_x509_crt_set_basic_constraints(certificate, 0, -1);
    if (code >= 0)
        code = gnutls_x509_crt_set_key_usage(certificate, GNUTLS_KEY_DIGITAL_SIGNATURE);
    if (code >= 0)
        code = gnutls_x509_crt_set_key_purpose_oid(certificate, GNUTLS_KP_TLS_WWW_SERVER, 0);
    if (code >= 0)
        code = gnutls_x509_crt_set_subject_key_id(certificate, id, length);
    if (code >= 0)
        code = gnutls_x509_crt_set_authority_key_id(certificate, id, length);
    return code;
}

static int describe(const Pair *pair, const CertificateNames *names, int64_t now_s)
{
    static const char name[] = "trainyard emulator";
    unsigned char serial[SERIAL_BYTES];
    gnutls_x509_crt_t certificate = pair->certificate;
    int code = gnutls_rnd(GNUTLS_RND_NONCE, serial, sizeof serial);
    serial[0] = (unsigned char)((serial[0] & 0x7f) | 0x40); // positive, without leading zeros
    if (code >= 0)
        code = gnutls_x509_crt_set_serial(certificate, serial, sizeof serial);
    if (code >= 0)
        code = gnutls_x509_crt_set_version(certificate, 3);
    if (code >= 0)
        code = gnutls_x509_crt_set_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0, name,
                                             sizeof name - 1);
    if (code >= 0) // a day ago: clocks of virtual machines may be late
        code = gnutls_x509_crt_set_activation_time(certificate, (time_t)(now_s - DAY_S));
    if (code >= 0)
        code = gnutls_x509_crt_set_expiration_time(certificate, (time_t)(now_s - DAY_S + VALID_S));
    if (code >= 0)
        code = gnutls_x509_crt_set_key(certificate, pair->key);
    if (code >= 0)
        code = add_names(certificate, names);
    return code;
}

static int make(const Pair *pair, const CertificateNames *names, int64_t now_s)
{
    int code = gnutls_x509_privkey_generate(pair->key, GNUTLS_PK_ECDSA,
                                            GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);
    if (code >= 0)
        code = describe(pair, names, now_s);
    if (code >= 0)
        code = add_extensions(pair);
    if (code >= 0)
        code = gnutls_x509_crt_sign2(pair->certificate, pair->certificate, pair->key,
                                     GNUTLS_DIG_SHA256, 0);
    return code;
}

static const char *take_pem(Arena *arena, gnutls_datum_t pem)
{
    const char *copy = arena_strndup(arena, (const char *)pem.data, pem.size);
    gnutls_free(pem.data);
    return copy;
}

static int make_pem(Arena *arena, const Pair *pair, Certificate *certificate)
{
    gnutls_datum_t pem = {0};
    int code = gnutls_x509_crt_export2(pair->certificate, GNUTLS_X509_FMT_PEM, &pem);
    if (code < 0)
        return code;
    certificate->certificate_pem = take_pem(arena, pem);
    code = gnutls_x509_privkey_export2(pair->key, GNUTLS_X509_FMT_PEM, &pem);
    if (code < 0)
        return code;
    certificate->key_pem = take_pem(arena, pem);
    return 0;
}

static bool write_key(const char *path, const char *pem, Status *status)
{
    const mode_t before = umask(077);
    const bool is_written = file_write(path, pem, strlen(pem), status);
    umask(before);
    return is_written;
}

static bool write_bundle(Arena *arena, const Certificate *certificate, Status *status)
{
    char *others;
    size_t length;
    Status ignored;
    const char *both = certificate->certificate_pem;
    if (file_read(arena, system_bundle, FILE_BYTES_MAX, &others, &length, &ignored))
        both = arena_printf(arena, "%s%s", both, others);
    return file_write(certificate->bundle_path, both, strlen(both), status);
}

static bool certificate_make(Arena *arena, const char *key_path, const CertificateNames *names,
                             int64_t now_s, Certificate *certificate, Status *status)
{
    Pair pair;
    int code = pair_init(&pair);
    if (code >= 0)
        code = make(&pair, names, now_s);
    if (code >= 0)
        code = make_pem(arena, &pair, certificate);
    pair_free(&pair);
    if (code < 0)
        return fail("making a certificate", code, status);
    return write_key(key_path, certificate->key_pem, status) &&
           file_write(certificate->path, certificate->certificate_pem,
                      strlen(certificate->certificate_pem), status) &&
           write_bundle(arena, certificate, status);
}

bool certificate_open(Arena *arena, const char *folder, const CertificateNames *names,
                      int64_t now_s, Certificate *certificate, Status *status)
{
    const char *key_path = state_path(arena, folder, STATE_KEY);
    *certificate = (Certificate){.path = state_path(arena, folder, STATE_CERTIFICATE),
                                 .bundle_path = state_path(arena, folder, STATE_BUNDLE)};
    return certificate_read(arena, key_path, names, now_s, certificate) ||
           certificate_make(arena, key_path, names, now_s, certificate, status);
}
