/* Any bytes as a command line that is not run: whether it consists of tools, or of package
 * managers, whose output is then written. A log at one time is a prefix of the log later. */
#include <stdint.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/output/share/package_log.h"
#include "sim/scenario/config/unknown_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count(void *length, const char *bytes, size_t more)
{
    (void)bytes;
    *(size_t *)length += more;
}

typedef void PackageLog(const char *command, int64_t begin_ns, int64_t end_ns, LogWriter *log);

static size_t length_at(PackageLog *put, const char *command, int64_t now_ns)
{
    static LogWriter log;
    size_t length = 0;
    log_begin(&log, (ByteSink){&length, count}, 0, now_ns);
    put(command, NS_PER_S, 9 * NS_PER_S, &log);
    log_end(&log);
    return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_create();
    const char *line = arena_strndup(arena, (const char *)data, size);
    const bool is_of_tools = is_line_of_tools(line);
    const bool is_package = is_package_command(line);
    invariant(!is_of_tools || line[strspn(line, " \t\n;&|")] != '\0');
    if (is_package) {
        const size_t early = length_at(package_out_log, line, 4 * NS_PER_S);
        invariant(early <= length_at(package_out_log, line, NS_PER_HOUR));
        length_at(package_error_log, line, NS_PER_HOUR);
    }
    arena_destroy(arena);
    return 0;
}
