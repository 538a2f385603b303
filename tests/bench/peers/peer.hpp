// What the peers of the hold model share: exponential delays, a clock, the line that is printed. Each
// peer is run as `PEER PENDING EVENTS` and measures its own loop as its users would write it.
#ifndef TESTS_BENCH_PEERS_PEER_HPP
#define TESTS_BENCH_PEERS_PEER_HPP

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Peer {
    int64_t pending;
    int64_t events;
    std::vector<double> delays_s = std::vector<double>(1 << 16);
    uint32_t draw = 0;
    std::chrono::steady_clock::time_point begin;

    Peer(int argc, char **argv)
    {
        if (argc != 3) {
            std::fprintf(stderr, "usage: %s PENDING EVENTS\n", argv[0]);
            std::exit(2);
        }
        pending = std::strtoll(argv[1], nullptr, 10);
        events = std::strtoll(argv[2], nullptr, 10);
        uint64_t state = UINT64_C(88172645463325252); // xorshift, as in bench_event_queue.c
        for (double &delay_s : delays_s) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            delay_s = -std::log1p(-static_cast<double>(state >> 11) * 0x1p-53);
        }
    }

    double next_delay_s()
    {
        return delays_s[draw++ % delays_s.size()];
    }

    void start()
    {
        begin = std::chrono::steady_clock::now();
    }

    void report(const char *name) const
    {
        double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        std::printf("exponential %9lld  %-42s %6.1f %8.1f\n", static_cast<long long>(pending), name,
                    static_cast<double>(events) / s * 1e-6, s / static_cast<double>(events) * 1e9);
    }
};

#endif
