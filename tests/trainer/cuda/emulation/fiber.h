/* Stacks to run on, one at a time, on one processor thread. */
#ifndef TESTS_TRAINER_CUDA_EMULATION_FIBER_H
#define TESTS_TRAINER_CUDA_EMULATION_FIBER_H

#include <stddef.h>

namespace emulation
{

struct Fiber;

/* A new one, which begins with `entry` when it is switched to for the first time. `entry` must not
 * return. There is no end: who made it keeps it for later use. */
Fiber *fiber_create(void (*entry)());
Fiber *fiber_of_caller(); /* the processor thread's own stack, for switching back to it */
/* Goes on in `to`; returns when something switches back to `from`, the running one. */
void fiber_switch(Fiber *from, Fiber *to);

} // namespace emulation

#endif
