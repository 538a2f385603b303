#include "sim/model/exchange.h"

#include "sim/base/invariant.h"
#include "sim/model/bounded.h"

int64_t exchange_negotiation_ns(const Exchange *exchange, Gang gang, int64_t requests)
{
    int64_t depth = 0;
    while ((INT64_C(1) << depth) < gang.ranks)
        depth++;
    return bounded_add(
        bounded_times(4 * depth, exchange->message_ns),
        bounded_times(bounded_times(gang.ranks, requests + 1), exchange->request_ns));
}

/* A step under way. */
typedef struct {
    const Exchange *exchange;
    Gang gang;
    const Gradient *gradients;
    int32_t count;
    int32_t next;         /* the first gradient that no cycle has taken yet */
    int64_t announced_ns; /* when `next` is announced */
    int64_t thread_ns;    /* the thread is busy or asleep until then */
    int64_t queue_ns;     /* the device's queue of reductions is empty from then on */
    int64_t copied_ns;    /* the last sum has been copied back to the device */
} Run;

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t copy_ns(const Exchange *exchange, int64_t bytes)
{
    return bounded_at_rate_ns(bytes, exchange->copy_bytes_per_s);
}

/* Computes when gradient `next` will be announced. Copies off the device follow one another. */
static void announce(Run *run)
{
    if (run->next == run->count)
        return;
    const Exchange *exchange = run->exchange;
    const Gradient *gradient = &run->gradients[run->next];
    if (exchange->via_host) {
        int64_t off_ns = bounded_at_rate_ns(gradient->bytes, exchange->host_link_bytes_per_s);
        run->announced_ns = bounded_add(later(run->announced_ns, gradient->ready_ns), off_ns);
    } else {
        // The whole forward pass is queued before the first backward operation.
        int64_t halves = (int64_t)run->count + 2 * ((int64_t)run->next + 1);
        run->announced_ns = bounded_part(exchange->launch_ns, halves, 2);
    }
}

/* Adds up one buffer of gradients, all of which are ready. */
static void reduce(Run *run, int64_t bytes, int32_t tensors)
{
    const Exchange *exchange = run->exchange;
    int64_t reduce_ns = allreduce_ns(bytes, run->gang, exchange->ring);
    if (!exchange->via_host) {
        run->queue_ns = bounded_add(later(run->queue_ns, run->thread_ns), reduce_ns);
        return;
    }
    // A single tensor is not copied into the buffer.
    int64_t copies_ns = bounded_times(tensors > 1 ? 2 : 1, copy_ns(exchange, bytes));
    run->thread_ns = bounded_add(run->thread_ns, bounded_add(copies_ns, reduce_ns));
    int64_t back_ns = bounded_at_rate_ns(bytes, exchange->host_link_bytes_per_s);
    run->copied_ns = bounded_add(later(run->copied_ns, run->thread_ns), back_ns);
}

/* One cycle: adds up all gradients that have been announced when the thread wakes, then sleeps. */
static void cycle(Run *run)
{
    const Exchange *exchange = run->exchange;
    int64_t woke_ns = run->thread_ns;
    int32_t first = run->next;
    while (run->next < run->count && run->announced_ns <= woke_ns) {
        run->next++;
        announce(run);
    }
    run->thread_ns =
        bounded_add(woke_ns, exchange_negotiation_ns(exchange, run->gang, run->next - first));
    while (first < run->next) {
        int64_t bytes = 0;
        int32_t tensors = 0;
        do {
            if (!exchange->via_host)
                run->thread_ns = later(run->thread_ns, run->gradients[first].ready_ns);
            bytes = bounded_add(bytes, run->gradients[first].bytes);
            first++, tensors++;
        } while (first < run->next &&
                 bounded_add(bytes, run->gradients[first].bytes) <= exchange->fusion_bytes);
        reduce(run, bytes, tensors);
    }
    if (exchange->sleeps_whole_cycle)
        run->thread_ns = bounded_add(run->thread_ns, exchange->cycle_ns);
    else
        run->thread_ns = later(run->thread_ns, bounded_add(woke_ns, exchange->cycle_ns));
}

/* The length of a cycle in which no gradient is announced. */
static int64_t idle_period_ns(const Exchange *exchange, Gang gang)
{
    int64_t negotiation_ns = exchange_negotiation_ns(exchange, gang, 0);
    if (exchange->sleeps_whole_cycle)
        return bounded_add(exchange->cycle_ns, negotiation_ns);
    return later(exchange->cycle_ns, negotiation_ns);
}

/* Skips the cycles before the next gradient is announced. */
static void sleep_until_announced(Run *run, int64_t period_ns)
{
    int64_t early_ns = run->announced_ns - run->thread_ns;
    if (early_ns <= 0)
        return;
    if (period_ns > 0)
        early_ns = bounded_times(divide_up(early_ns, period_ns), period_ns);
    run->thread_ns = bounded_add(run->thread_ns, early_ns);
}

static int64_t all_back_ns(Run run, int64_t phase_ns, int64_t period_ns)
{
    announce(&run);
    run.thread_ns = bounded_add(run.announced_ns, phase_ns);
    while (run.next < run.count) {
        sleep_until_announced(&run, period_ns);
        cycle(&run);
    }
    return later(run.queue_ns, run.copied_ns);
}

int64_t exchange_ns(const Exchange *exchange, Gang gang, const Gradient *gradients, int32_t count,
                    int64_t backward_end_ns)
{
    if (count == 0)
        return 0;
    invariant(gradients[count - 1].ready_ns <= backward_end_ns);
    Run run = {.exchange = exchange, .gang = gang, .gradients = gradients, .count = count};
    int64_t period_ns = idle_period_ns(exchange, gang);
    int64_t mean_ns = 0, rest = 0;
    for (int64_t i = 0; i < EXCHANGE_PHASES; i++) {
        int64_t phase_ns = bounded_part(period_ns, 2 * i + 1, INT64_C(2) * EXCHANGE_PHASES);
        int64_t left_ns = all_back_ns(run, phase_ns, period_ns) - backward_end_ns;
        left_ns = later(left_ns, 0);
        mean_ns = bounded_add(mean_ns, left_ns / EXCHANGE_PHASES);
        rest += left_ns % EXCHANGE_PHASES;
    }
    mean_ns = bounded_add(mean_ns, divide_up(rest, EXCHANGE_PHASES));
    int64_t hand_over_ns =
        bounded_add(exchange->hand_over_ns, bounded_times(count, exchange->tensor_ns));
    return bounded_add(mean_ns, hand_over_ns);
}
