/* Streams, events and graphs. Queued work becomes a function. It runs at once, or when a call waits
 * for it (cuda_emulation_set_lag), or whenever a captured graph is launched. */
#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "tests/trainer/cuda/emulation/runtime.h"

using Function = std::function<void()>;
using Nodes = std::vector<size_t>; // indices of nodes of one graph

struct CUgraphNode_st {
    enum cudaGraphNodeType type;
    Function work;
    Nodes after;                // nodes that run before it
    CudaEmulationKernel launch; // if it is a kernel
};
using Node = CUgraphNode_st;

struct CUgraph_st {
    std::vector<Node> nodes;
};

struct CUgraphExec_st {
    std::shared_ptr<const std::vector<Node>> nodes;
};

/* A capture, shared by the stream that began it and all streams that wait for its events. */
struct Capture {
    std::unique_ptr<CUgraph_st> graph = std::make_unique<CUgraph_st>();
    cudaStream_t origin = nullptr;
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    std::thread::id thread = std::this_thread::get_id();
    bool is_spoilt = false;
};

struct CUstream_st {
    unsigned int flags = 0;
    std::deque<Function> queue;
    std::shared_ptr<Capture> capture; // null: none
    Nodes last;                       // nodes before the next node of the capture
};

/* One cudaEventRecord. */
struct Record {
    cudaStream_t stream = nullptr; // null once it is done
    bool is_done = true;
    std::chrono::steady_clock::time_point time;
    std::shared_ptr<Capture> capture; // null: recorded outside a capture
    Nodes nodes;
};

struct CUevent_st {
    unsigned int flags = 0;
    std::shared_ptr<Record> record; // null: never
};

namespace emulation
{

bool streams_lag = false;

namespace
{

std::shared_ptr<const std::vector<Node>> last_made; // null: no graph

std::vector<cudaStream_t> &streams()
{
    static auto *all = new std::vector<cudaStream_t>;
    return *all;
}

std::vector<cudaEvent_t> &events()
{
    static auto *all = new std::vector<cudaEvent_t>;
    return *all;
}

template <class T> bool is_in(const std::vector<T> &all, T one)
{
    return std::find(all.begin(), all.end(), one) != all.end();
}

template <class T> void remove(std::vector<T> &all, T one)
{
    all.erase(std::find(all.begin(), all.end(), one));
}

bool is_legacy(cudaStream_t stream)
{
    return stream == nullptr || stream == cudaStreamLegacy;
}

bool runs_host_function = false;
int depth = 0; // nesting of running work: a graph's work is within its launch

cudaError_t check(cudaStream_t stream)
{
    if (runs_host_function)
        return cudaErrorNotPermitted;
    return is_legacy(stream) || is_in(streams(), stream) ? cudaSuccess
                                                         : cudaErrorInvalidResourceHandle;
}

cudaError_t check(cudaEvent_t event)
{
    return is_in(events(), event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

void run(const Function &work)
{
    if (is_lost())
        return;
    if (depth++ == 0)
        open_devices();
    work();
    if (--depth == 0)
        close_devices();
}

void step(cudaStream_t stream)
{
    Function work = std::move(stream->queue.front());
    stream->queue.pop_front();
    run(work);
}

void drain(cudaStream_t stream)
{
    while (!stream->queue.empty())
        step(stream);
}

void drain_blocking()
{
    for (cudaStream_t stream : streams())
        if ((stream->flags & cudaStreamNonBlocking) == 0)
            drain(stream);
}

void wait_for(const std::shared_ptr<Record> &record)
{
    while (!record->is_done && record->stream != nullptr && !record->stream->queue.empty())
        step(record->stream);
}

cudaError_t spoil(const std::shared_ptr<Capture> &capture, cudaError_t error)
{
    capture->is_spoilt = true;
    return error;
}

/* Work of the legacy stream waits for blocking streams, and a captured stream cannot be waited
 * for. */
cudaError_t forbid_implicit()
{
    for (cudaStream_t stream : streams())
        if (stream->capture != nullptr && (stream->flags & cudaStreamNonBlocking) == 0)
            return spoil(stream->capture, cudaErrorStreamCaptureImplicit);
    return cudaSuccess;
}

cudaError_t add_node(cudaStream_t stream, enum cudaGraphNodeType type, Function work,
                     const CudaEmulationKernel *launch)
{
    if (stream->capture->is_spoilt)
        return cudaErrorStreamCaptureInvalidated;
    std::vector<Node> &nodes = stream->capture->graph->nodes;
    nodes.push_back(
        {type, std::move(work), stream->last, launch != nullptr ? *launch : CudaEmulationKernel()});
    stream->last = {nodes.size() - 1};
    return cudaSuccess;
}

/* Nodes without successors. */
Nodes ends_of(const CUgraph_st &graph)
{
    std::vector<bool> is_end(graph.nodes.size(), true);
    for (const Node &node : graph.nodes)
        for (size_t before : node.after)
            is_end[before] = false;
    Nodes ends;
    for (size_t i = 0; i < is_end.size(); i++)
        if (is_end[i])
            ends.push_back(i);
    return ends;
}

const char *name_of(const Node &node)
{
    if (node.type == cudaGraphNodeTypeKernel)
        return node.launch.name;
    return node.type == cudaGraphNodeTypeMemcpy ? "a copy" : "other work";
}

/* After the nodes of a graph have run while watched. */
void judge(const std::vector<Node> &nodes)
{
    std::vector<std::vector<bool>> follows(nodes.size(), std::vector<bool>(nodes.size()));
    for (size_t i = 0; i < nodes.size(); i++) // those before it have smaller numbers
        for (size_t before : nodes[i].after) {
            follows[i][before] = true;
            for (size_t j = 0; j < before; j++)
                follows[i][j] = follows[i][j] || follows[before][j];
        }
    judge_accesses([&](size_t a, size_t b) { return follows[a][b] || follows[b][a]; },
                   [&](size_t node) { return name_of(nodes[node]); });
}

/* Runs the nodes of a graph: always the ready node that the chosen order picks. */
void replay(const std::vector<Node> &nodes)
{
    std::vector<bool> is_done(nodes.size(), false);
    for (size_t done = 0; done < nodes.size(); done++) {
        Nodes ready;
        for (size_t i = 0; i < nodes.size(); i++) {
            const Nodes &after = nodes[i].after;
            if (!is_done[i] && std::all_of(after.begin(), after.end(),
                                           [&](size_t before) { return is_done[before]; }))
                ready.push_back(i);
        }
        size_t next = ready[next_permutation(ready.size()).first()];
        is_done[next] = true;
        if (watches)
            watch_node(next, [&] { run(nodes[next].work); });
        else
            run(nodes[next].work);
    }
    if (watches)
        judge(nodes);
}

} // namespace

cudaError_t submit(cudaStream_t stream, enum cudaGraphNodeType type, Function work,
                   const CudaEmulationKernel *launch)
{
    cudaError_t error = check(stream);
    if (error != cudaSuccess)
        return error;
    if (is_legacy(stream)) {
        error = forbid_implicit();
        if (error != cudaSuccess)
            return error;
        drain_blocking();
        run(work);
        return cudaSuccess;
    }
    if (stream->capture != nullptr)
        return add_node(stream, type, std::move(work), launch);
    stream->queue.push_back(std::move(work));
    if (!streams_lag)
        drain(stream);
    return cudaSuccess;
}

void drain_all()
{
    for (cudaStream_t stream : streams())
        drain(stream);
}

cudaError_t forbid_capture()
{
    if (runs_host_function)
        return cudaErrorNotPermitted;
    for (cudaStream_t stream : streams()) {
        if (stream->capture == nullptr || stream->capture->mode == cudaStreamCaptureModeRelaxed)
            continue;
        if (stream->capture->mode == cudaStreamCaptureModeThreadLocal &&
            stream->capture->thread != std::this_thread::get_id())
            continue;
        return spoil(stream->capture, cudaErrorStreamCaptureUnsupported);
    }
    return cudaSuccess;
}

} // namespace emulation

using namespace emulation;

extern "C" {

/* --- Streams --- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    return call([&] {
        if (stream == nullptr || (flags & ~(unsigned)cudaStreamNonBlocking) != 0)
            return cudaErrorInvalidValue;
        *stream = new CUstream_st;
        (*stream)->flags = flags;
        streams().push_back(*stream);
        counts.live_streams++;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return call([&] {
        cudaError_t error = check(stream);
        if (error != cudaSuccess)
            return error;
        if (is_legacy(stream))
            return cudaErrorInvalidResourceHandle;
        drain(stream);
        if (stream->capture != nullptr)
            stream->capture->is_spoilt = true;
        for (cudaEvent_t event : events())
            if (event->record != nullptr && event->record->stream == stream)
                event->record->stream = nullptr;
        remove(streams(), stream);
        delete stream;
        counts.live_streams--;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return call([&] {
        cudaError_t error = check(stream);
        if (error != cudaSuccess)
            return error;
        if (is_legacy(stream)) {
            error = forbid_implicit();
            if (error == cudaSuccess)
                drain_blocking();
            return error;
        }
        if (stream->capture != nullptr)
            return spoil(stream->capture, cudaErrorStreamCaptureUnsupported);
        drain(stream);
        return cudaSuccess;
    });
}

/* A lagging stream does one more piece of work at each query. */
cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return call([&] {
        cudaError_t error = check(stream);
        if (error != cudaSuccess)
            return error;
        if (is_legacy(stream)) {
            error = forbid_implicit();
            if (error == cudaSuccess)
                drain_blocking();
            return error;
        }
        if (stream->capture != nullptr)
            return spoil(stream->capture, cudaErrorStreamCaptureUnsupported);
        if (stream->queue.empty())
            return cudaSuccess;
        step(stream);
        return cudaErrorNotReady;
    });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    return call([&] {
        return submit(stream, cudaGraphNodeTypeHost, [=] {
            runs_host_function = true;
            close_devices();
            function(data);
            open_devices();
            runs_host_function = false;
        });
    });
}

/* --- Events --- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    return call([&] {
        if (event == nullptr ||
            (flags & ~(unsigned)(cudaEventBlockingSync | cudaEventDisableTiming)) != 0)
            return cudaErrorInvalidValue;
        *event = new CUevent_st;
        (*event)->flags = flags;
        events().push_back(*event);
        counts.live_events++;
        return cudaSuccess;
    });
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return call([&] {
        cudaError_t error = check(event);
        if (error != cudaSuccess)
            return error;
        remove(events(), event);
        delete event;
        counts.live_events--;
        return cudaSuccess;
    });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return call([&] {
        cudaError_t error = check(event);
        if (error == cudaSuccess)
            error = check(stream);
        if (error != cudaSuccess)
            return error;
        auto record = std::make_shared<Record>();
        if (!is_legacy(stream) && stream->capture != nullptr) {
            if (stream->capture->is_spoilt)
                return cudaErrorStreamCaptureInvalidated;
            record->capture = stream->capture;
            record->nodes = stream->last;
            event->record = record;
            return cudaSuccess;
        }
        record->is_done = false;
        record->stream = is_legacy(stream) ? nullptr : stream;
        event->record = record;
        return submit(stream, cudaGraphNodeTypeEventRecord, [record] {
            record->is_done = true;
            record->time = now();
        });
    });
}

/* Adds a node to the graph. Every launch of the graph records the event again. */
static cudaError_t record_in_graph(cudaEvent_t event, cudaStream_t stream)
{
    if (is_legacy(stream) || stream->capture == nullptr)
        return cudaErrorIllegalState;
    const auto record = [event] {
        if (!is_in(events(), event))
            return;
        event->record = std::make_shared<Record>();
        event->record->time = std::chrono::steady_clock::now();
    };
    return add_node(stream, cudaGraphNodeTypeEventRecord, record, nullptr);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    if (flags == cudaEventRecordDefault)
        return cudaEventRecord(event, stream);
    return call([&] {
        if (flags != cudaEventRecordExternal)
            return cudaErrorInvalidValue;
        cudaError_t error = check(event);
        if (error == cudaSuccess)
            error = check(stream);
        return error == cudaSuccess ? record_in_graph(event, stream) : error;
    });
}

static cudaError_t wait_in_capture(cudaStream_t stream, const std::shared_ptr<Record> &record)
{
    if (stream->capture != nullptr && stream->capture->is_spoilt)
        return cudaErrorStreamCaptureInvalidated;
    if (record->capture == nullptr)
        return spoil(stream->capture, cudaErrorStreamCaptureIsolation);
    if (stream->capture != nullptr && stream->capture != record->capture) {
        spoil(stream->capture, cudaErrorStreamCaptureMerge);
        return spoil(record->capture, cudaErrorStreamCaptureMerge);
    }
    if (stream->capture == nullptr) { // joins
        if (record->capture->graph == nullptr)
            return cudaErrorCapturedEvent; // that capture has ended
        drain(stream);
        stream->capture = record->capture;
        stream->last.clear();
    }
    for (size_t node : record->nodes)
        if (!is_in(stream->last, node))
            stream->last.push_back(node);
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    return call([&] {
        cudaError_t error = check(event);
        if (error == cudaSuccess)
            error = check(stream);
        if (error != cudaSuccess)
            return error;
        if (flags != 0)
            return cudaErrorInvalidValue;
        std::shared_ptr<Record> record = event->record;
        if (record == nullptr)
            return cudaSuccess;
        if (is_legacy(stream)) {
            if (record->capture != nullptr)
                return spoil(record->capture, cudaErrorStreamCaptureImplicit);
        } else if (stream->capture != nullptr || record->capture != nullptr) {
            return wait_in_capture(stream, record);
        }
        return submit(stream, cudaGraphNodeTypeWaitEvent, [record] { wait_for(record); });
    });
}

/* Gives the record that the host may query. */
static cudaError_t host_record(cudaEvent_t event, std::shared_ptr<Record> *record)
{
    cudaError_t error = check(event);
    if (error != cudaSuccess)
        return error;
    *record = event->record;
    if (*record == nullptr || (*record)->capture == nullptr)
        return cudaSuccess;
    return spoil((*record)->capture, cudaErrorCapturedEvent);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return call([&] {
        std::shared_ptr<Record> record;
        cudaError_t error = host_record(event, &record);
        if (error == cudaSuccess && record != nullptr)
            wait_for(record);
        return error;
    });
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return call([&] {
        std::shared_ptr<Record> record;
        cudaError_t error = host_record(event, &record);
        if (error != cudaSuccess || record == nullptr || record->is_done)
            return error;
        if (record->stream != nullptr && !record->stream->queue.empty())
            step(record->stream);
        return cudaErrorNotReady;
    });
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    return call([&] {
        std::shared_ptr<Record> from, to;
        cudaError_t error = host_record(start, &from);
        if (error == cudaSuccess)
            error = host_record(end, &to);
        if (error != cudaSuccess)
            return error;
        if (from == nullptr || to == nullptr ||
            ((start->flags | end->flags) & cudaEventDisableTiming) != 0)
            return cudaErrorInvalidResourceHandle;
        if (!from->is_done || !to->is_done)
            return cudaErrorNotReady;
        *ms = std::chrono::duration<float, std::milli>(to->time - from->time).count();
        return cudaSuccess;
    });
}

/* --- Graphs --- */

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    return call([&] {
        cudaError_t error = check(stream);
        if (error != cudaSuccess)
            return error;
        if (is_legacy(stream))
            return cudaErrorStreamCaptureUnsupported;
        if (stream->capture != nullptr)
            return cudaErrorIllegalState;
        drain(stream);
        stream->capture = std::make_shared<Capture>();
        stream->capture->origin = stream;
        stream->capture->mode = mode;
        stream->last.clear();
        return cudaSuccess;
    });
}

static cudaError_t judge(const Capture &capture, const Nodes &last)
{
    if (capture.is_spoilt)
        return cudaErrorStreamCaptureInvalidated;
    for (size_t end : ends_of(*capture.graph))
        if (!is_in(last, end))
            return cudaErrorStreamCaptureUnjoined;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    return call([&] {
        cudaError_t error = check(stream);
        if (error != cudaSuccess)
            return error;
        *graph = nullptr;
        if (is_legacy(stream) || stream->capture == nullptr)
            return cudaErrorIllegalState;
        std::shared_ptr<Capture> capture = stream->capture;
        if (capture->origin != stream)
            return spoil(capture, cudaErrorStreamCaptureUnmatched);
        if (capture->mode != cudaStreamCaptureModeRelaxed &&
            capture->thread != std::this_thread::get_id())
            return cudaErrorStreamCaptureWrongThread;
        error = judge(*capture, stream->last);
        for (cudaStream_t each : streams())
            if (each->capture == capture)
                each->capture = nullptr;
        if (error == cudaSuccess) {
            *graph = capture->graph.release();
            counts.live_graphs++;
        }
        capture->graph = nullptr;
        return error;
    });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    return call([&] {
        cudaError_t error = check(stream);
        if (error != cudaSuccess)
            return error;
        if (is_legacy(stream)) {
            *status = cudaStreamCaptureStatusNone;
            return forbid_implicit();
        }
        if (stream->capture == nullptr)
            *status = cudaStreamCaptureStatusNone;
        else
            *status = stream->capture->is_spoilt ? cudaStreamCaptureStatusInvalidated
                                                 : cudaStreamCaptureStatusActive;
        return cudaSuccess;
    });
}

/* If `nodes` is NULL, sets `*count` to the number of nodes; otherwise `*count` is the room in
 * `nodes`. */
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    return call([&] {
        if (graph == nullptr || count == nullptr)
            return cudaErrorInvalidValue;
        const size_t all = graph->nodes.size();
        for (size_t i = 0; nodes != nullptr && i < *count; i++)
            nodes[i] = i < all ? &graph->nodes[i] : nullptr;
        if (nodes == nullptr || all < *count)
            *count = all;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    return call([&] {
        if (node == nullptr)
            return cudaErrorInvalidValue;
        *type = node->type;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long)
{
    return call([&] {
        if (executable == nullptr || graph == nullptr)
            return cudaErrorInvalidValue;
        *executable = new CUgraphExec_st{std::make_shared<const std::vector<Node>>(graph->nodes)};
        last_made = (*executable)->nodes;
        counts.live_executables++;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream)
{
    return call([&] { return executable == nullptr ? cudaErrorInvalidValue : check(stream); });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
    return call([&] {
        if (executable == nullptr)
            return cudaErrorInvalidValue;
        return submit(stream, cudaGraphNodeTypeGraph, [nodes = executable->nodes] {
            counts.graph_launches++;
            replay(*nodes);
        });
    });
}

} // extern "C"

/* Works on a lost device, too: returns its error, but frees the processor's memory.
 */
template <class T> static cudaError_t destroy(T *old, int64_t *live)
{
    cudaError_t error = cudaSuccess;
    if (enter(&error) && old == nullptr)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess || (is_lost() && old != nullptr)) {
        delete old;
        --*live;
    }
    return leave(error);
}

extern "C" {

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    return destroy(graph, &counts.live_graphs);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
    return destroy(executable, &counts.live_executables);
}

} // extern "C"

/* --- The kernels of a graph --- */

/* Adds the kernels that node `i` waits for, also through other nodes. `place`: of the kernels among
 * the kernels; -1 for other nodes. */
static void add_kernels_before(const std::vector<Node> &nodes, const std::vector<int32_t> &place,
                               size_t i, CudaEmulationKernel *kernel)
{
    for (size_t before : nodes[i].after) {
        if (place[before] < 0)
            add_kernels_before(nodes, place, before, kernel);
        else if (kernel->after_count < CUDA_EMULATION_AFTER_MAX)
            kernel->after[kernel->after_count++] = place[before];
    }
}

int32_t cuda_emulation_kernels(CudaEmulationKernel *kernels, int32_t most)
{
    if (last_made == nullptr)
        return 0;
    const std::vector<Node> &nodes = *last_made;
    std::vector<int32_t> place(nodes.size(), -1);
    int32_t count = 0;
    for (size_t i = 0; i < nodes.size(); i++) {
        if (nodes[i].type != cudaGraphNodeTypeKernel)
            continue;
        place[i] = count;
        if (count < most) {
            kernels[count] = nodes[i].launch;
            add_kernels_before(nodes, place, i, &kernels[count]);
        }
        count++;
    }
    return count;
}
