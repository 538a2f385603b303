/* Which memory the nodes of a graph access, and which nodes could do so at the same time.
 *
 * Before a node runs, all device memory is made inaccessible. The signal of each first access to a
 * page makes the page readable, that of a first write makes it writable; both are recorded. Each
 * allocation has its own pages (device.cc). */
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "tests/trainer/cuda/emulation/runtime.h"

namespace emulation
{

bool watches = false;

namespace
{

enum PageState : uint8_t { UNTOUCHED, READ, WRITTEN };

struct Watched {
    uintptr_t begin;
    std::vector<PageState> pages;
};

struct Access {
    size_t node;
    bool writes;
};

std::vector<Watched> watched;                     // while a node runs
std::map<uintptr_t, std::vector<Access>> touched; // by page, in the graph that runs
int64_t conflicts = 0;
CudaEmulationConflict first_conflict;
struct sigaction action_before;
stack_t stack_before;

void protect(uintptr_t begin, size_t bytes, int protection)
{
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the page of an address
    if (mprotect((void *)begin, bytes, protection) != 0)
        abort();
}

/* Any other fault happens again, with the former action. */
void note_fault(int, siginfo_t *info, void *)
{
    const uintptr_t at = (uintptr_t)info->si_addr;
    for (Watched &each : watched) {
        const size_t page = (at - each.begin) / page_bytes();
        if (at < each.begin || page >= each.pages.size() || each.pages[page] == WRITTEN)
            continue;
        const bool is_second = each.pages[page] == READ;
        each.pages[page] = is_second ? WRITTEN : READ;
        protect(each.begin + page * page_bytes(), page_bytes(),
                is_second ? PROT_READ | PROT_WRITE : PROT_READ);
        return;
    }
    sigaction(SIGSEGV, &action_before, nullptr);
}

/* The handler runs on its own stack, because those of fibers are small. */
void catch_faults()
{
    static char stack[64 << 10];
    const stack_t own = {stack, 0, sizeof stack};
    struct sigaction action = {};
    action.sa_sigaction = note_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    if (sigaltstack(&own, &stack_before) != 0 || sigaction(SIGSEGV, &action, &action_before) != 0)
        abort();
}

void stop_catching()
{
    sigaction(SIGSEGV, &action_before, nullptr);
    sigaltstack(&stack_before, nullptr);
}

void keep_accesses(size_t node)
{
    for (const Watched &each : watched)
        for (size_t i = 0; i < each.pages.size(); i++)
            if (each.pages[i] != UNTOUCHED)
                touched[each.begin + i * page_bytes()].push_back({node, each.pages[i] == WRITTEN});
}

} // namespace

size_t page_bytes()
{
    static const auto bytes = (size_t)sysconf(_SC_PAGESIZE);
    return bytes;
}

void watch_node(size_t node, const std::function<void()> &work)
{
    watched.clear();
    for_each_device_block([](uintptr_t begin, size_t bytes) {
        watched.push_back({begin, std::vector<PageState>(bytes / page_bytes(), UNTOUCHED)});
        protect(begin, bytes, PROT_NONE);
    });
    catch_faults();
    work();
    stop_catching();
    for (const Watched &each : watched)
        protect(each.begin, each.pages.size() * page_bytes(), PROT_READ | PROT_WRITE);
    keep_accesses(node);
}

void judge_accesses(const std::function<bool(size_t, size_t)> &are_ordered,
                    const std::function<const char *(size_t)> &name_of)
{
    for (const auto &[page, accesses] : touched)
        for (size_t i = 0; i < accesses.size(); i++)
            for (size_t j = 0; j < i; j++) {
                const Access &a = accesses[i], &b = accesses[j];
                if ((!a.writes && !b.writes) || are_ordered(a.node, b.node))
                    continue;
                if (conflicts++ == 0)
                    // NOLINTNEXTLINE(performance-no-int-to-ptr): only printed
                    first_conflict = {name_of(std::min(a.node, b.node)),
                                      name_of(std::max(a.node, b.node)), (const void *)page};
            }
    touched.clear();
}

} // namespace emulation

using namespace emulation;

int64_t cuda_emulation_conflicts(CudaEmulationConflict *first)
{
    const int64_t found = conflicts;
    *first = first_conflict;
    conflicts = 0;
    return found;
}
