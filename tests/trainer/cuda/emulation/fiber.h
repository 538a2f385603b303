/* Fibers: separate stacks, one of which runs at a time on a processor thread. */
#ifndef TESTS_TRAINER_CUDA_EMULATION_FIBER_H
#define TESTS_TRAINER_CUDA_EMULATION_FIBER_H

#include <cstddef>
#include <cstdint>

namespace emulation
{

struct Fiber;

/* Creates a fiber. It begins with `entry` when it is switched to for the first time. `entry` must
 * not return. A fiber cannot be destroyed: the creator keeps it for later use. */
Fiber *fiber_create(void (*entry)());
Fiber *fiber_of_caller(); /* the processor thread's stack, for switching back to it */

/* The running fiber's stack; of a processor thread, only AddressSanitizer knows it. */
struct Stack {
    uintptr_t begin;
    size_t bytes;
};
extern Stack running_stack;

/* Continues in `to`. `from` is the running fiber; returns after a switch back to it. */
void fiber_switch(Fiber *from, Fiber *to);

} // namespace emulation

#endif
