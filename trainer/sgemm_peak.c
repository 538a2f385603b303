#include "trainer/sgemm_peak.h"

#ifdef TRAINYARD_HAVE_OPENBLAS

#include <cblas.h>
#include <stdlib.h>

#include "trainer/host.h"
#include "trainer/timeline.h"

enum { RUNS = 12 };
static const int32_t sides[] = {256, 384, 512, 768, 1024};
enum { SIDE_COUNT = sizeof sides / sizeof sides[0] };

static double best_of_side(int32_t side)
{
    const int64_t count = (int64_t)side * side;
    float *a = host_floats(count), *b = host_floats(count), *c = host_floats(count);
    int64_t best_ns = INT64_MAX;
    for (int64_t i = 0; i < count; i++) {
        a[i] = (float)(i % 7);
        b[i] = (float)(i % 5);
    }
    for (int32_t run = 0; run < RUNS; run++) {
        int64_t begin_ns = timeline_clock_ns();
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, side, side, side, 1.0f, a, side, b,
                    side, 0.0f, c, side);
        int64_t took_ns = timeline_clock_ns() - begin_ns;
        best_ns = took_ns < best_ns ? took_ns : best_ns;
    }
    free(a);
    free(b);
    free(c);
    return 2e9 * (double)count * (double)side / (double)(best_ns > 0 ? best_ns : 1);
}

bool sgemm_peak(int32_t threads, double *flops_per_s, Status *status)
{
    (void)status;
    openblas_set_num_threads(threads);
    *flops_per_s = 0.0;
    for (int32_t i = 0; i < SIDE_COUNT; i++) {
        double flops = best_of_side(sides[i]);
        *flops_per_s = flops > *flops_per_s ? flops : *flops_per_s;
    }
    return true;
}

#else

bool sgemm_peak(int32_t threads, double *flops_per_s, Status *status)
{
    (void)threads, (void)flops_per_s;
    status_fail(status, STATUS_MACHINE, place_in("--sgemm", 0, 0), "this build has no OpenBLAS");
    return status_hint(status, "install libopenblas-dev (Debian's name) and build again");
}

#endif
