/* Private to trainer/sanitizers: suppresses AddressSanitizer's reports about libraries. It is
 * compiled into the trainer's programs, because `run --real` starts them with a different
 * environment. */
#include <sanitizer/asan_interface.h>
#include <sanitizer/lsan_interface.h>

/* Open MPI 4.1 and its libraries do not free this memory before the process ends. */
const char *__lsan_default_suppressions(void)
{
    return "leak:libmpi.so\n"
           "leak:libopen-pal.so\n"
           "leak:libopen-rte.so\n"
           "leak:libpmix.so\n"
           "leak:libhwloc.so\n"
           "leak:libevent\n";
}

const char *__lsan_default_options(void)
{
    return "print_suppressions=0";
}

/* Components of Open MPI are unloaded when leaks are reported. Only complete call stacks show which
 * library allocated the memory. */
const char *__asan_default_options(void)
{
    return "fast_unwind_on_malloc=0";
}
