#include "sim/model/storage.h"

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/model/bounded.h"

int64_t storage_requests(StorageLimits limits, int64_t bytes)
{
    invariant(bytes >= 0);
    return bytes == 0 ? 1 : divide_up(bytes, limits.request_bytes);
}

int64_t storage_latency_ns(StorageLimits limits, int64_t request_latency_ns, int64_t bytes)
{
    int64_t rounds = divide_up(storage_requests(limits, bytes), limits.requests_in_flight);
    return limits.requests_overlap ? request_latency_ns : bounded_times(rounds, request_latency_ns);
}

int64_t storage_window_ppm(StorageLimits limits, int64_t request_latency_ns)
{
    const int64_t window_ns =
        bounded_times(storage_work_ns(limits, limits.request_bytes), limits.requests_in_flight);
    if (!limits.requests_overlap || request_latency_ns <= window_ns)
        return PPM;
    return bounded_part(request_latency_ns, PPM, window_ns);
}

int64_t storage_work_ns(StorageLimits limits, int64_t bytes)
{
    if (bytes == 0)
        return 0;
    int64_t by_bytes_ns = bounded_at_rate_ns(bytes, limits.bytes_per_s);
    int64_t by_requests_ns =
        bounded_at_rate_ns(storage_requests(limits, bytes), limits.requests_per_s);
    return by_bytes_ns > by_requests_ns ? by_bytes_ns : by_requests_ns;
}

int64_t storage_grown(int64_t base, int64_t per_tib, int64_t provisioned_bytes)
{
    const int64_t tib = INT64_C(1) << 40;
    int64_t whole = bounded_times(per_tib, provisioned_bytes / tib);
    return bounded_add(base, bounded_add(whole, mul_div(per_tib, provisioned_bytes % tib, tib)));
}

int64_t storage_files_at_once_ppm(int64_t share_bytes_per_s, int64_t file_bytes_per_s)
{
    if (file_bytes_per_s >= share_bytes_per_s)
        return PPM;
    return bounded_part(share_bytes_per_s, PPM, file_bytes_per_s);
}
