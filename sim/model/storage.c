#include "sim/model/storage.h"

#include "sim/base/invariant.h"
#include "sim/model/bounded.h"

int64_t storage_requests(StorageLimits limits, int64_t bytes)
{
    invariant(bytes >= 0);
    return bytes == 0 ? 1 : divide_up(bytes, limits.request_bytes);
}

int64_t storage_latency_ns(StorageLimits limits, int64_t request_latency_ns, int64_t bytes)
{
    int64_t rounds = divide_up(storage_requests(limits, bytes), limits.requests_in_flight);
    return bounded_times(rounds, request_latency_ns);
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
