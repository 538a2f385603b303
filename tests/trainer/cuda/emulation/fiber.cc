#include "tests/trainer/cuda/emulation/fiber.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <ucontext.h>

#include <cuda_emulated_sanitizer.h>
#if CUDA_EMULATED_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

/* On x86-64 a switch is a few pushes and pops. ucontext's switch calls the kernel for the signal
 * mask, which makes a tiled product several times slower. */
#if defined(__x86_64__) && defined(__linux__) && !defined(__CET__)
#define HAS_OWN_SWITCH 1
#endif

namespace emulation
{

namespace
{

// Stacks contain a thread's variables; frames of unoptimised and sanitized code are large.
enum { STACK_BYTES = 256 << 10, GUARD_BYTES = 4096, CACHE_LINE_BYTES = 64 };

} // namespace

Stack running_stack;

struct Fiber {
    char *stack;         // its lowest byte; only ASan knows that of a processor thread
    size_t stack_bytes;  // likewise
    void *stack_pointer; // while it does not run
    ucontext_t context;
    void *fake_stack; // ASan's
    void (*entry)();
};

namespace
{

// The fiber before the last switch, which ASan needs after a switch.
Fiber *previous, *running;

#ifdef HAS_OWN_SWITCH
// The System V ABI's callee-saved registers; floating-point modes are not changed.
asm(".text\n"
    ".p2align 4\n"
    ".type trainyard_fiber_switch, @function\n"
    "trainyard_fiber_switch:\n"
    "    pushq %rbp\n"
    "    pushq %rbx\n"
    "    pushq %r12\n"
    "    pushq %r13\n"
    "    pushq %r14\n"
    "    pushq %r15\n"
    "    movq %rsp, (%rdi)\n"
    "    movq %rsi, %rsp\n"
    "    popq %r15\n"
    "    popq %r14\n"
    "    popq %r13\n"
    "    popq %r12\n"
    "    popq %rbx\n"
    "    popq %rbp\n"
    "    ret\n"
    ".size trainyard_fiber_switch, . - trainyard_fiber_switch\n");
extern "C" void trainyard_fiber_switch(void **save, void *restore);
#endif

void switched()
{
#if CUDA_EMULATED_ASAN
    const void *stack = nullptr;
    size_t bytes = 0;
    __sanitizer_finish_switch_fiber(running->fake_stack, &stack, &bytes);
    if (previous->stack == nullptr) { // a processor thread, whose stack ASan knows
        previous->stack = (char *)const_cast<void *>(stack);
        previous->stack_bytes = bytes;
    }
#endif
}

void begin()
{
    switched();
    running->entry();
    abort(); // an entry does not return
}

} // namespace

Fiber *fiber_create(void (*entry)())
{
    auto *fiber = new Fiber();
    void *memory = mmap(nullptr, STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, GUARD_BYTES, PROT_NONE) != 0) {
        fprintf(stderr, "cuda emulation: no memory for a thread's stack\n");
        abort();
    }
    fiber->stack = (char *)memory + GUARD_BYTES;
    // Stacks begin at different places within their pages. Otherwise the tops of all stacks would
    // compete for the same few cache lines.
    static size_t created;
    fiber->stack_bytes = STACK_BYTES - GUARD_BYTES - created++ % 64 * (5 * CACHE_LINE_BYTES);
    fiber->entry = entry;
#ifdef HAS_OWN_SWITCH
    // A switch pops six registers and the return address; above them is the alignment of a call.
    auto *top = (uintptr_t *)(fiber->stack + fiber->stack_bytes) - 8;
    top[6] = (uintptr_t)begin;
    fiber->stack_pointer = top;
#else
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack;
    fiber->context.uc_stack.ss_size = fiber->stack_bytes;
    fiber->context.uc_link = nullptr;
    makecontext(&fiber->context, begin, 0);
#endif
    return fiber;
}

Fiber *fiber_of_caller()
{
    static thread_local Fiber own;
    return &own;
}

void fiber_switch(Fiber *from, Fiber *to)
{
    previous = from;
    running = to;
    running_stack = {(uintptr_t)to->stack, to->stack_bytes};
#if CUDA_EMULATED_ASAN
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->stack_bytes);
#endif
#ifdef HAS_OWN_SWITCH
    trainyard_fiber_switch(&from->stack_pointer, to->stack_pointer);
#else
    swapcontext(&from->context, &to->context);
#endif
    switched();
}

} // namespace emulation
