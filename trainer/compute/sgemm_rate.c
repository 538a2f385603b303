#include "trainer/compute/sgemm_rate.h"

#ifdef TRAINYARD_HAVE_ONEDNN

#include <oneapi/dnnl/dnnl.h>
#include <stdlib.h>

#include "sim/base/units.h"
#include "sim/cli/machine_clock.h"
#include "trainer/base/floats.h"
#include "trainer/base/spread.h"

/* A function of GCC's OpenMP, which sets oneDNN's number of threads. Declared here, because clang
 * has no <omp.h> for it. */
void omp_set_num_threads(int threads);

static const int32_t sides[] = {256, 384, 512, 768, 1024};
enum { SIDE_COUNT = sizeof sides / sizeof sides[0], RUNS_MAX = 1000 };
static const int64_t side_ns = 100 * NS_PER_MS; // measuring time of each side

/* Measures one product; false if oneDNN fails. */
static bool multiply(int32_t side, const float *a, const float *b, float *product, int64_t *took_ns)
{
    const int64_t begin_ns = machine_clock_ns();
    const dnnl_status_t done =
        dnnl_sgemm('N', 'N', side, side, side, 1.0f, a, side, b, side, 0.0f, product, side);
    *took_ns = machine_clock_ns() - begin_ns;
    *took_ns = *took_ns > 0 ? *took_ns : 1;
    return done == dnnl_success;
}

static bool rate_of_side(int32_t side, SgemmRate *rate)
{
    const int64_t count = (int64_t)side * side;
    float *a = floats_zeroed(count), *b = floats_zeroed(count), *product = floats_zeroed(count);
    for (int64_t i = 0; i < count; i++) {
        a[i] = (float)(i % 7);
        b[i] = (float)(i % 5);
    }
    double runs_ns[RUNS_MAX];
    int64_t sum_ns = 0;
    int32_t runs = 0;
    bool is_fine = true;
    while (is_fine && runs < RUNS_MAX && sum_ns < side_ns) {
        int64_t took_ns;
        is_fine = multiply(side, a, b, product, &took_ns);
        sum_ns += took_ns;
        runs_ns[runs++] = (double)took_ns;
    }
    free(a);
    free(b);
    free(product);
    const Spread spread_ns = spread_of(runs_ns, runs);
    const double work_ns = 2e9 * (double)count * (double)side; // 2 n^3 operations, in ns a second
    *rate = (SgemmRate){.median = work_ns / spread_ns.median, .best = work_ns / spread_ns.min};
    return is_fine;
}

bool sgemm_rate(int32_t threads, SgemmRate *rate, Status *status)
{
    omp_set_num_threads(threads);
    *rate = (SgemmRate){0.0, 0.0};
    for (int32_t i = 0; i < SIDE_COUNT; i++) {
        SgemmRate of_side;
        if (!rate_of_side(sides[i], &of_side))
            return status_fail(status, STATUS_MACHINE, place_in("--sgemm", 0, 0),
                               "oneDNN's sgemm failed");
        if (of_side.median > rate->median)
            *rate = of_side;
    }
    return true;
}

#else

bool sgemm_rate(int32_t threads, SgemmRate *rate, Status *status)
{
    (void)threads, (void)rate;
    status_fail(status, STATUS_MACHINE, place_in("--sgemm", 0, 0), "this build has no oneDNN");
    return status_hint(status, "install libdnnl-dev (Debian's name) and build again");
}

#endif
