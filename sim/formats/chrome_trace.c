#include "sim/formats/chrome_trace.h"

#include <inttypes.h>

#include "sim/json/json.h"

enum { PIECE_BYTES = 1 << 16 };

static void write_piece(ChromeTrace *trace)
{
    // A short write sets the error flag of the stream; its owner checks the flag once, at the end.
    (void)fwrite(text_string(&trace->piece), 1, trace->piece.length, trace->stream);
    text_clear(&trace->piece);
}

static void begin_event(ChromeTrace *trace, const char *phase, ChromeTrack track, const char *name)
{
    if (trace->piece.length >= PIECE_BYTES)
        write_piece(trace);
    text_printf(&trace->piece, "%s{\"ph\":\"%s\",\"pid\":%" PRId32 ",\"tid\":%" PRId32 ",\"name\":",
                trace->has_events ? ",\n" : "", phase, track.process, track.thread);
    json_print_string(&trace->piece, name);
    trace->has_events = true;
}

static void add_us(ChromeTrace *trace, const char *key, int64_t ns)
{
    text_printf(&trace->piece, ",\"%s\":%" PRId64 ".%03" PRId64, key, ns / 1000, ns % 1000);
}

static void end_event(ChromeTrace *trace, const char *details)
{
    if (details != NULL)
        text_printf(&trace->piece, ",\"args\":{%s}", details);
    text_add(&trace->piece, "}");
}

/* Without a sort index viewers sort by name: "rank 10" would precede "rank 2". */
static void write_place(ChromeTrace *trace, const char *what, ChromeTrack track, int32_t place)
{
    begin_event(trace, "M", track, what);
    text_printf(&trace->piece, ",\"args\":{\"sort_index\":%" PRId32 "}}", place);
}

static void write_name(ChromeTrace *trace, const char *what, ChromeTrack track, const char *name)
{
    begin_event(trace, "M", track, what);
    text_add(&trace->piece, ",\"args\":{\"name\":");
    json_print_string(&trace->piece, name);
    text_add(&trace->piece, "}}");
}

ChromeTrace chrome_trace_begin(FILE *stream)
{
    ChromeTrace trace = {.stream = stream};
    text_add(&trace.piece, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
    return trace;
}

int32_t chrome_trace_process(ChromeTrace *trace, const char *name)
{
    const ChromeTrack track = {.process = ++trace->process_count};
    write_name(trace, "process_name", track, name);
    write_place(trace, "process_sort_index", track, track.process);
    return track.process;
}

ChromeTrack chrome_trace_thread(ChromeTrace *trace, int32_t process, const char *name)
{
    const ChromeTrack track = {.process = process, .thread = ++trace->thread_count};
    write_name(trace, "thread_name", track, name);
    write_place(trace, "thread_sort_index", track, track.thread);
    return track;
}

void chrome_trace_slice(ChromeTrace *trace, ChromeTrack track, const char *name, int64_t begin_ns,
                        int64_t end_ns, const char *details)
{
    begin_event(trace, "X", track, name);
    add_us(trace, "ts", begin_ns);
    add_us(trace, "dur", end_ns - begin_ns);
    end_event(trace, details);
}

void chrome_trace_mark(ChromeTrace *trace, ChromeTrack track, const char *name, int64_t at_ns,
                       const char *details)
{
    begin_event(trace, "i", track, name);
    add_us(trace, "ts", at_ns);
    text_add(&trace->piece, ",\"s\":\"t\""); // scope: viewers draw the mark on its thread only
    end_event(trace, details);
}

void chrome_trace_counter(ChromeTrace *trace, int32_t process, const char *name, int64_t at_ns,
                          const char *details)
{
    begin_event(trace, "C", (ChromeTrack){.process = process}, name);
    add_us(trace, "ts", at_ns);
    end_event(trace, details);
}

void chrome_trace_end(ChromeTrace *trace)
{
    text_add(&trace->piece, "\n]}\n");
    write_piece(trace);
    text_free(&trace->piece);
}
