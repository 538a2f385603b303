#include "trainer/run/backends.h"

#include <string.h>

#include "sim/base/text.h"

/* --- Backends that this build left out --- */

__attribute__((unused)) // if no backend is left out
static bool
fail_left_out(const char *library, const char *remedy, Status *status)
{
    status_fail(status, STATUS_MACHINE, place_in("trainyard", 0, 0), "this build has no %s",
                library);
    return status_hint(status, "install %s and build again", remedy);
}

#ifndef TRAINYARD_HAVE_CUDA
static bool cuda_left_out(Precision precision, Status *status)
{
    (void)precision;
    return fail_left_out("CUDA", "NVIDIA's CUDA toolkit (nvcc)", status);
}
const Backend backend_cuda = {
    .name = "cuda", .summary = "CUDA (left out of this build)", .probe = cuda_left_out};
#endif

#ifndef TRAINYARD_HAVE_ONEDNN
static bool onednn_left_out(Precision precision, Status *status)
{
    (void)precision;
    return fail_left_out("oneDNN", "libdnnl-dev (Debian's name)", status);
}
const Backend backend_onednn = {
    .name = "onednn", .summary = "oneDNN (left out of this build)", .probe = onednn_left_out};
#endif

/* --- The choice --- */

const Backend *const backends[] = {&backend_cuda, &backend_onednn, &backend_ref, NULL};

bool backend_word_allows(const char *word, const Backend *backend)
{
    if (strcmp(word, "auto") == 0)
        return true;
    if (strcmp(word, "cpu") == 0)
        return backend != &backend_cuda && backend != &backend_ref; // "ref" is only for checks
    return strcmp(word, backend->name) == 0;
}

const Backend *backend_find(const char *word, Precision precision, Status *status)
{
    Text reasons = {0};
    Status reason = {0};
    for (int32_t i = 0; backends[i]; i++) {
        if (!backend_word_allows(word, backends[i]))
            continue;
        if (backends[i]->probe(precision, &reason)) {
            text_free(&reasons);
            return backends[i];
        }
        text_printf(&reasons, "%s%s: %s", reasons.length > 0 ? "; " : "", backends[i]->name,
                    reason.message);
    }
    status_fail(status, STATUS_MACHINE, place_in("trainyard", 0, 0),
                "no backend for \"%s\" in %s: %s", word, precision_names[precision],
                text_string(&reasons));
    if (reason.hint[0])
        status_hint(status, "%s", reason.hint);
    text_free(&reasons);
    return NULL;
}
