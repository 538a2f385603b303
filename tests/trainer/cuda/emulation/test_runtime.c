/* The emulated runtime follows the rules of the real one: memory, streams, events, graphs,
 * failures. The test is in C, like the runtime's users. */
#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>

#include "tests/support/suite.h"
#include "tests/trainer/cuda/emulation/emulation.h"
#include "trainer/cuda/toolkit/toolkit.h"

static void must(cudaError_t error)
{
    ck_assert_msg(error == cudaSuccess, "%s", cudaGetErrorName(error));
}

/* Checks the error of a call, which cudaGetLastError then returns once. */
static void says(cudaError_t error, cudaError_t wanted)
{
    ck_assert_str_eq(cudaGetErrorName(error), cudaGetErrorName(wanted));
    ck_assert_int_eq(cudaPeekAtLastError(), wanted);
    ck_assert_int_eq(cudaGetLastError(), wanted);
    ck_assert_int_eq(cudaGetLastError(), cudaSuccess);
}

static cudaStream_t new_stream(void)
{
    cudaStream_t stream;
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

static cudaEvent_t new_event(void)
{
    cudaEvent_t event;
    must(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    return event;
}

/* --- Memory and devices --- */

START_TEST(memory_ends_where_the_device_does)
{
    void *first, *second, *third;
    size_t free_bytes, total_bytes;
    cuda_emulation_set_memory(1000);
    must(cudaMalloc(&first, 600));
    says(cudaMalloc(&second, 401), cudaErrorMemoryAllocation);
    must(cudaMalloc(&second, 400));
    must(cudaMemGetInfo(&free_bytes, &total_bytes));
    ck_assert_uint_eq(free_bytes, 0);
    ck_assert_uint_eq(total_bytes, 1000);
    must(cudaFree(first));
    must(cudaMalloc(&third, 600));
    must(cudaFree(second));
    must(cudaFree(third));
    must(cudaFree(NULL));
    ck_assert_int_eq(cuda_emulation_counts().allocated_bytes, 1600);
    ck_assert_int_eq(cuda_emulation_counts().live_bytes, 0);
}
END_TEST

START_TEST(live_allocations_are_counted)
{
    void *memory, *pinned;
    cudaStream_t stream = new_stream();
    cudaEvent_t event = new_event();
    must(cudaMalloc(&memory, 10));
    must(cudaMallocHost(&pinned, 20));
    const CudaEmulationCounts counts = cuda_emulation_counts();
    ck_assert_int_eq(counts.live_allocations, 1);
    ck_assert_int_eq(counts.live_bytes, 10);
    ck_assert_int_eq(counts.live_pinned_bytes, 20);
    ck_assert_int_eq(counts.live_streams, 1);
    ck_assert_int_eq(counts.live_events, 1);
    says(cudaFree(pinned), cudaErrorInvalidValue);
    says(cudaFreeHost(memory), cudaErrorInvalidValue);
    must(cudaFree(memory));
    says(cudaFree(memory), cudaErrorInvalidValue);
    must(cudaFreeHost(pinned));
    must(cudaStreamDestroy(stream));
    must(cudaEventDestroy(event));
    says(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
    says(cudaEventDestroy(event), cudaErrorInvalidResourceHandle);
    const CudaEmulationCounts after = cuda_emulation_counts();
    ck_assert_int_eq(after.live_allocations + after.live_bytes + after.live_pinned_bytes +
                         after.live_streams + after.live_events,
                     0);
}
END_TEST

START_TEST(copies_know_their_direction_and_their_end)
{
    char host[20] = "nineteen characters", back[20];
    void *a, *b;
    must(cudaMalloc(&a, 20));
    must(cudaMalloc(&b, 20));
    must(cudaMemcpy(a, host, 20, cudaMemcpyHostToDevice));
    must(cudaMemcpy(b, a, 20, cudaMemcpyDeviceToDevice));
    must(cudaMemset(a, 0, 20));
    must(cudaMemcpy(back, b, 20, cudaMemcpyDeviceToHost));
    ck_assert_str_eq(host, back);
    must(cudaMemcpy(back, a, 20, cudaMemcpyDefault));
    ck_assert_str_eq(back, "");
    says(cudaMemcpy(a, host, 20, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    says(cudaMemcpy(host, a, 20, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    says(cudaMemcpy(a, b, 21, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
    says(cudaMemset((char *)a + 1, 0, 20), cudaErrorInvalidValue);
    says(cudaMemset(host, 0, 20), cudaErrorInvalidValue);
    must(cudaFree(a));
    must(cudaFree(b));
}
END_TEST

START_TEST(there_are_as_many_devices_as_set)
{
    int count, device, major;
    struct cudaDeviceProp properties;
    cuda_emulation_set_devices(2, 3, 7);
    must(cudaGetDeviceCount(&count));
    ck_assert_int_eq(count, 2);
    must(cudaSetDevice(1));
    must(cudaGetDevice(&device));
    ck_assert_int_eq(device, 1);
    says(cudaSetDevice(2), cudaErrorInvalidDevice);
    must(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 1));
    ck_assert_int_eq(major, 3);
    must(cudaGetDeviceProperties(&properties, 0));
    ck_assert_int_eq(properties.minor, 7);
    cuda_emulation_set_devices(0, 0, 0);
    says(cudaGetDeviceCount(&count), cudaErrorNoDevice);
    ck_assert_int_eq(count, 0);
}
END_TEST

/* --- Failures --- */

START_TEST(a_chosen_call_fails)
{
    void *memory = NULL;
    cuda_emulation_fail_call(2, cudaErrorMemoryAllocation, false);
    must(cudaDeviceSynchronize());
    says(cudaMalloc(&memory, 4), cudaErrorMemoryAllocation);
    ck_assert_ptr_null(memory);
    must(cudaMalloc(&memory, 4));
    must(cudaFree(memory));
}
END_TEST

START_TEST(a_lost_device_fails_every_call)
{
    void *memory = NULL;
    cuda_emulation_fail_call(1, cudaErrorECCUncorrectable, true);
    for (int32_t i = 0; i < 3; i++)
        ck_assert_int_eq(cudaMalloc(&memory, 4), cudaErrorECCUncorrectable);
    ck_assert_int_eq(cudaGetLastError(), cudaErrorECCUncorrectable);
    ck_assert_int_eq(cudaGetLastError(), cudaErrorECCUncorrectable);
    ck_assert_int_eq(cuda_emulation_counts().live_allocations, 0);
}
END_TEST

/* --- Streams and events --- */

typedef struct {
    char text[32];
} Notes;

typedef struct {
    Notes *notes;
    char letter;
} Letter;

static void note(void *data)
{
    const Letter *letter = data;
    size_t length = strlen(letter->notes->text);
    ck_assert_uint_lt(length, sizeof letter->notes->text - 1);
    letter->notes->text[length] = letter->letter;
}

START_TEST(a_stream_that_lags_does_nothing_before_it_is_waited_for)
{
    Notes notes = {""};
    Letter a = {&notes, 'a'}, b = {&notes, 'b'}, c = {&notes, 'c'};
    cudaStream_t stream = new_stream(), other = new_stream();
    cudaEvent_t event = new_event();
    cuda_emulation_set_lag(true);
    must(cudaLaunchHostFunc(stream, note, &a));
    must(cudaEventRecord(event, stream));
    must(cudaLaunchHostFunc(stream, note, &b));
    ck_assert_str_eq(notes.text, "");
    // The other stream waits only for the work before the event.
    must(cudaStreamWaitEvent(other, event, 0));
    must(cudaLaunchHostFunc(other, note, &c));
    ck_assert_str_eq(notes.text, "");
    must(cudaStreamSynchronize(other));
    ck_assert_str_eq(notes.text, "ac");
    must(cudaEventSynchronize(event));
    ck_assert_str_eq(notes.text, "ac");
    must(cudaDeviceSynchronize());
    ck_assert_str_eq(notes.text, "acb");
    must(cudaEventDestroy(event));
    must(cudaStreamDestroy(stream));
    must(cudaStreamDestroy(other));
}
END_TEST

START_TEST(querying_a_lagging_stream_advances_it)
{
    Notes notes = {""};
    Letter a = {&notes, 'a'};
    cudaStream_t stream = new_stream();
    cudaEvent_t event = new_event();
    cuda_emulation_set_lag(true);
    must(cudaEventQuery(event)); // never recorded
    must(cudaLaunchHostFunc(stream, note, &a));
    must(cudaEventRecord(event, stream));
    ck_assert_int_eq(cudaEventQuery(event), cudaErrorNotReady);
    ck_assert_int_eq(cudaGetLastError(), cudaSuccess); // "not ready" is not an error
    ck_assert_str_eq(notes.text, "a");
    ck_assert_int_eq(cudaStreamQuery(stream), cudaErrorNotReady);
    must(cudaStreamQuery(stream));
    must(cudaEventQuery(event));
    must(cudaEventDestroy(event));
    must(cudaStreamDestroy(stream));
}
END_TEST

START_TEST(memory_that_is_not_pinned_is_copied_before_the_call_returns)
{
    char pageable[4] = "old", result[4] = "";
    char *pinned;
    void *memory;
    cudaStream_t stream = new_stream();
    must(cudaMalloc(&memory, 4));
    must(cudaMallocHost((void **)&pinned, 4));
    cuda_emulation_set_lag(true);
    must(cudaMemcpyAsync(memory, pageable, 4, cudaMemcpyHostToDevice, stream));
    memcpy(pageable, "new", 4);
    must(cudaMemcpyAsync(result, memory, 4, cudaMemcpyDeviceToHost, stream));
    ck_assert_str_eq(result, "old");
    // Pinned memory is read when the stream reaches the copy.
    memcpy(pinned, "old", 4);
    must(cudaMemcpyAsync(memory, pinned, 4, cudaMemcpyHostToDevice, stream));
    memcpy(pinned, "new", 4);
    must(cudaMemcpyAsync(result, memory, 4, cudaMemcpyDeviceToHost, stream));
    ck_assert_str_eq(result, "new");
    must(cudaFreeHost(pinned));
    must(cudaFree(memory));
    must(cudaStreamDestroy(stream));
}
END_TEST

START_TEST(the_default_stream_waits_for_those_that_are_not_non_blocking)
{
    Notes notes = {""};
    Letter a = {&notes, 'a'}, b = {&notes, 'b'}, c = {&notes, 'c'};
    cudaStream_t blocking, other = new_stream();
    must(cudaStreamCreate(&blocking));
    cuda_emulation_set_lag(true);
    must(cudaLaunchHostFunc(other, note, &a));
    must(cudaLaunchHostFunc(blocking, note, &b));
    must(cudaLaunchHostFunc(NULL, note, &c));
    ck_assert_str_eq(notes.text, "bc");
    must(cudaStreamDestroy(blocking));
    must(cudaStreamDestroy(other));
    ck_assert_str_eq(notes.text, "bca");
}
END_TEST

static void synchronize(void *data)
{
    *(cudaError_t *)data = cudaDeviceSynchronize();
}

START_TEST(a_host_function_may_not_call_the_runtime)
{
    cudaError_t error = cudaSuccess;
    must(cudaLaunchHostFunc(NULL, synchronize, &error));
    ck_assert_int_eq(error, cudaErrorNotPermitted);
}
END_TEST

START_TEST(events_measure_the_time_between_them)
{
    cudaEvent_t start, end, none = new_event();
    float ms = -1.0f;
    must(cudaEventCreate(&start));
    must(cudaEventCreate(&end));
    says(cudaEventElapsedTime(&ms, start, end), cudaErrorInvalidResourceHandle);
    must(cudaEventRecord(start, NULL));
    must(cudaEventRecord(end, NULL));
    must(cudaEventRecord(none, NULL));
    must(cudaEventElapsedTime(&ms, start, end));
    ck_assert(ms >= 0.0f && ms < 240e3f);
    says(cudaEventElapsedTime(&ms, start, none), cudaErrorInvalidResourceHandle);
    must(cudaEventDestroy(start));
    must(cudaEventDestroy(end));
    must(cudaEventDestroy(none));
}
END_TEST

/* --- Graphs --- */

static void launch_once(cudaGraph_t graph)
{
    cudaGraphExec_t executable;
    must(cuda_graph_instantiate(&executable, graph));
    must(cudaGraphLaunch(executable, NULL));
    must(cudaDeviceSynchronize());
    must(cudaGraphExecDestroy(executable));
}

START_TEST(captured_work_runs_with_its_graph)
{
    Notes notes = {""};
    Letter a = {&notes, 'a'}, b = {&notes, 'b'};
    cudaStream_t stream = new_stream();
    cudaGraph_t graph;
    enum cudaStreamCaptureStatus status;
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    must(cudaStreamIsCapturing(stream, &status));
    ck_assert_int_eq(status, cudaStreamCaptureStatusActive);
    must(cudaLaunchHostFunc(stream, note, &a));
    must(cudaLaunchHostFunc(stream, note, &b));
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaStreamIsCapturing(stream, &status));
    ck_assert_int_eq(status, cudaStreamCaptureStatusNone);
    ck_assert_str_eq(notes.text, "");
    launch_once(graph);
    launch_once(graph);
    ck_assert_str_eq(notes.text, "abab");
    ck_assert_int_eq(cuda_emulation_counts().live_graphs, 1);
    must(cudaGraphDestroy(graph));
    ck_assert_int_eq(cuda_emulation_counts().live_graphs, 0);
    ck_assert_int_eq(cuda_emulation_counts().live_executables, 0);
    must(cudaStreamDestroy(stream));
}
END_TEST

START_TEST(an_event_may_be_recorded_by_each_launch_of_a_graph)
{
    cudaStream_t stream = new_stream();
    cudaEvent_t before, inside;
    cudaGraph_t graph;
    float ms = -1.0f;
    must(cudaEventCreate(&before));
    must(cudaEventCreate(&inside));
    says(cudaEventRecordWithFlags(inside, stream, cudaEventRecordExternal), cudaErrorIllegalState);
    says(cudaEventRecordWithFlags(inside, stream, 2), cudaErrorInvalidValue);
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    must(cudaEventRecordWithFlags(inside, stream, cudaEventRecordExternal));
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaEventRecordWithFlags(before, stream, cudaEventRecordDefault));
    says(cudaEventElapsedTime(&ms, before, inside), cudaErrorInvalidResourceHandle); // not yet
    for (int32_t i = 0; i < 2; i++) {
        float earlier_ms = ms;
        launch_once(graph);
        must(cudaEventElapsedTime(&ms, before, inside));
        ck_assert(ms > earlier_ms);
    }
    must(cudaGraphDestroy(graph));
    must(cudaEventDestroy(before));
    must(cudaEventDestroy(inside));
    must(cudaStreamDestroy(stream));
}
END_TEST

/* a, then b on the stream and c, d on another, then e after all of them; without `join` not after
 * d. */
static cudaError_t capture_fork(Notes *notes, bool join, cudaGraph_t *graph)
{
    static Letter letters[5];
    cudaStream_t stream = new_stream(), other = new_stream();
    cudaEvent_t fork = new_event(), joined = new_event();
    for (int32_t i = 0; i < 5; i++)
        letters[i] = (Letter){notes, (char)('a' + i)};
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    must(cudaLaunchHostFunc(stream, note, &letters[0]));
    must(cudaEventRecord(fork, stream));
    must(cudaStreamWaitEvent(other, fork, 0));
    must(cudaLaunchHostFunc(stream, note, &letters[1]));
    must(cudaLaunchHostFunc(other, note, &letters[2]));
    if (!join)
        must(cudaEventRecord(joined, other));
    must(cudaLaunchHostFunc(other, note, &letters[3]));
    if (join)
        must(cudaEventRecord(joined, other));
    must(cudaStreamWaitEvent(stream, joined, 0));
    must(cudaLaunchHostFunc(stream, note, &letters[4]));
    cudaError_t error = cudaStreamEndCapture(stream, graph);
    must(cudaEventDestroy(fork));
    must(cudaEventDestroy(joined));
    must(cudaStreamDestroy(stream));
    must(cudaStreamDestroy(other));
    return error;
}

START_TEST(branches_of_a_graph_run_in_the_chosen_order)
{
    Notes notes = {""};
    cudaGraph_t graph;
    must(capture_fork(&notes, true, &graph));
    launch_once(graph);
    ck_assert_str_eq(notes.text, "abcde");
    cuda_emulation_set_order(CUDA_ORDER_DESCENDING, 0);
    notes = (Notes){""};
    launch_once(graph);
    ck_assert_str_eq(notes.text, "acdbe");
    must(cudaGraphDestroy(graph));
}
END_TEST

START_TEST(a_branch_that_is_not_joined_is_an_error)
{
    Notes notes = {""};
    cudaGraph_t graph;
    says(capture_fork(&notes, false, &graph), cudaErrorStreamCaptureUnjoined);
    ck_assert_ptr_null(graph);
}
END_TEST

static cudaStream_t captured, other_stream;
static cudaEvent_t inside, outside;

static cudaError_t synchronize_stream(void)
{
    return cudaStreamSynchronize(captured);
}
static cudaError_t query_stream(void)
{
    return cudaStreamQuery(captured);
}
static cudaError_t allocate(void)
{
    void *memory;
    return cudaMalloc(&memory, 4);
}
static cudaError_t copy_and_wait(void)
{
    char from[4] = "", to[4];
    return cudaMemcpy(to, from, 4, cudaMemcpyHostToHost);
}
static cudaError_t wait_outside(void)
{
    return cudaStreamWaitEvent(captured, outside, 0);
}
static cudaError_t synchronize_event(void)
{
    return cudaEventSynchronize(inside);
}
static cudaError_t end_elsewhere(void)
{
    cudaGraph_t graph;
    must(cudaStreamWaitEvent(other_stream, inside, 0));
    return cudaStreamEndCapture(other_stream, &graph);
}

static const struct {
    cudaError_t (*call)(void);
    cudaError_t error;
} forbidden[] = {
    {synchronize_stream, cudaErrorStreamCaptureUnsupported},
    {query_stream, cudaErrorStreamCaptureUnsupported},
    {cudaDeviceSynchronize, cudaErrorStreamCaptureUnsupported},
    {allocate, cudaErrorStreamCaptureUnsupported},
    {copy_and_wait, cudaErrorStreamCaptureUnsupported},
    {wait_outside, cudaErrorStreamCaptureIsolation},
    {synchronize_event, cudaErrorCapturedEvent},
    {end_elsewhere, cudaErrorStreamCaptureUnmatched},
};
enum { FORBIDDEN = sizeof forbidden / sizeof forbidden[0] };

START_TEST(a_forbidden_call_spoils_the_capture)
{
    Notes notes = {""};
    Letter a = {&notes, 'a'};
    cudaGraph_t graph;
    captured = new_stream();
    other_stream = new_stream();
    inside = new_event();
    outside = new_event();
    must(cudaEventRecord(outside, other_stream));
    must(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal));
    must(cudaLaunchHostFunc(captured, note, &a));
    must(cudaEventRecord(inside, captured));
    says(forbidden[_i].call(), forbidden[_i].error);
    says(cudaLaunchHostFunc(captured, note, &a), cudaErrorStreamCaptureInvalidated);
    says(cudaStreamEndCapture(captured, &graph), cudaErrorStreamCaptureInvalidated);
    ck_assert_ptr_null(graph);
    // The stream works again.
    must(cudaLaunchHostFunc(captured, note, &a));
    must(cudaStreamSynchronize(captured));
    ck_assert_str_eq(notes.text, "a");
    must(cudaStreamDestroy(captured));
    must(cudaStreamDestroy(other_stream));
    must(cudaEventDestroy(inside));
    must(cudaEventDestroy(outside));
}
END_TEST

START_TEST(work_of_the_default_stream_spoils_the_capture_of_a_blocking_one)
{
    Notes notes = {""};
    Letter a = {&notes, 'a'};
    cudaStream_t stream;
    cudaGraph_t graph;
    must(cudaStreamCreate(&stream));
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    says(cudaLaunchHostFunc(NULL, note, &a), cudaErrorStreamCaptureImplicit);
    says(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    must(cudaStreamDestroy(stream));
}
END_TEST

START_TEST(capture_begins_once_and_ends_once)
{
    cudaStream_t stream = new_stream();
    cudaGraph_t graph;
    says(cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal),
         cudaErrorStreamCaptureUnsupported);
    says(cudaStreamEndCapture(stream, &graph), cudaErrorIllegalState);
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    says(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaGraphDestroy(graph));
    says(cudaStreamEndCapture(stream, &graph), cudaErrorIllegalState);
    must(cudaStreamDestroy(stream));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cuda_emulated_runtime");
    TCase *tests = tcase_create("runtime");
    tcase_add_test(tests, memory_ends_where_the_device_does);
    tcase_add_test(tests, live_allocations_are_counted);
    tcase_add_test(tests, copies_know_their_direction_and_their_end);
    tcase_add_test(tests, there_are_as_many_devices_as_set);
    tcase_add_test(tests, a_chosen_call_fails);
    tcase_add_test(tests, a_lost_device_fails_every_call);
    tcase_add_test(tests, a_stream_that_lags_does_nothing_before_it_is_waited_for);
    tcase_add_test(tests, querying_a_lagging_stream_advances_it);
    tcase_add_test(tests, memory_that_is_not_pinned_is_copied_before_the_call_returns);
    tcase_add_test(tests, the_default_stream_waits_for_those_that_are_not_non_blocking);
    tcase_add_test(tests, a_host_function_may_not_call_the_runtime);
    tcase_add_test(tests, events_measure_the_time_between_them);
    tcase_add_test(tests, captured_work_runs_with_its_graph);
    tcase_add_test(tests, an_event_may_be_recorded_by_each_launch_of_a_graph);
    tcase_add_test(tests, branches_of_a_graph_run_in_the_chosen_order);
    tcase_add_test(tests, a_branch_that_is_not_joined_is_an_error);
    tcase_add_loop_test(tests, a_forbidden_call_spoils_the_capture, 0, FORBIDDEN);
    tcase_add_test(tests, work_of_the_default_stream_spoils_the_capture_of_a_blocking_one);
    tcase_add_test(tests, capture_begins_once_and_ends_once);
    suite_add_tcase(suite, tests);
    return suite;
}
