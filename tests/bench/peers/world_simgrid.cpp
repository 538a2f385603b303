// The workload of bench_world on SimGrid, as its users would write it: 1,000 hosts on a switch that
// fail and are repaired, 100,000 jobs that come one after another, and a scheduler that starts
// gangs in the order of submission. As in SimGrid's own examples, every rank of a job is an actor
// on its host and actors talk through mailboxes: the submitter, the ranks that are done and the
// hosts that fail notify the scheduler. A job's ranks start their container, wait for each other
// and run the program; when a host fails, the job's other ranks are killed and it goes back to the
// front of the queue.
//
//     world_simgrid      prints "SECONDS SIMULATED-DAYS RESTARTS", seconds of the processor
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

namespace sg4 = simgrid::s4u;

static constexpr int HOSTS = 1000, JOBS = 100000;
static constexpr double SPEED = 1e9, PROGRAM_S = 1800, CONTAINER_S = 1, DAY_S = 86400;
static constexpr double MESSAGE_BYTES = 1000;

struct Job {
    int nodes = 0;
    double program_s = 0;
    int ranks_left = 0;
    std::vector<sg4::Host *> hosts;
    std::vector<sg4::ActorPtr> ranks;
};

enum class Event { SUBMITTED, RANK_DONE, HOST_FAILED, HOST_UP };

struct Message {
    Event event;
    Job *job;
    sg4::Host *host;
};

static std::mt19937_64 randoms{1};

static double exponential(double mean)
{
    return std::exponential_distribution<double>(1 / mean)(randoms);
}

static void tell_scheduler(Message message)
{
    sg4::Mailbox::by_name("scheduler")->put(new Message(message), MESSAGE_BYTES);
}

static void run_rank(Job *job, sg4::BarrierPtr ready)
{
    sg4::this_actor::execute(CONTAINER_S * SPEED);
    ready->wait();
    sg4::this_actor::execute(job->program_s * SPEED);
    tell_scheduler({Event::RANK_DONE, job, sg4::this_actor::get_host()});
}

class Scheduler {
    std::vector<sg4::Host *> idle;
    std::vector<Job *> job_of = std::vector<Job *>(HOSTS, nullptr);
    std::deque<Job *> queue;
    int completed = 0;

    static std::size_t index_of(const sg4::Host *host)
    {
        return static_cast<std::size_t>(std::atoi(host->get_cname() + 4)); // "node17"
    }

    void start(Job *job)
    {
        job->hosts.assign(idle.end() - job->nodes, idle.end());
        idle.resize(idle.size() - static_cast<std::size_t>(job->nodes));
        job->ranks.clear();
        job->ranks_left = job->nodes;
        auto ready = sg4::Barrier::create(static_cast<unsigned>(job->nodes));
        for (auto *host : job->hosts) {
            job_of[index_of(host)] = job;
            job->ranks.push_back(sg4::Actor::create("rank", host, run_rank, job, ready));
        }
    }

    void release(Job *job)
    {
        for (auto *host : job->hosts) {
            job_of[index_of(host)] = nullptr;
            if (host->is_on()) // one that failed comes back after its repair
                idle.push_back(host);
        }
    }

    void handle(const Message &message)
    {
        Job *job = message.job;
        switch (message.event) {
        case Event::SUBMITTED:
            queue.push_back(job);
            return;
        case Event::RANK_DONE:
            if (--job->ranks_left == 0) {
                release(job);
                delete job;
                completed++;
            }
            return;
        case Event::HOST_FAILED:
            idle.erase(std::remove(idle.begin(), idle.end(), message.host), idle.end());
            job = job_of[index_of(message.host)];
            if (job == nullptr)
                return;
            for (const auto &rank : job->ranks)
                rank->kill();
            release(job);
            queue.push_front(job);
            restarts++;
            return;
        case Event::HOST_UP:
            idle.push_back(message.host);
            return;
        }
    }

  public:
    static int restarts;

    explicit Scheduler(std::vector<sg4::Host *> hosts) : idle(std::move(hosts))
    {
    }

    void operator()()
    {
        auto *mailbox = sg4::Mailbox::by_name("scheduler");
        while (completed < JOBS) {
            auto message = mailbox->get_unique<Message>();
            handle(*message);
            while (!queue.empty() && queue.front()->nodes <= static_cast<int>(idle.size())) {
                Job *job = queue.front();
                queue.pop_front();
                start(job);
            }
        }
    }
};

int Scheduler::restarts = 0;

static void submit()
{
    static const int sizes[] = {1, 2, 4, 8};
    std::discrete_distribution<int> size{0.5, 0.25, 0.15, 0.1};
    const double mean_nodes = 2.4;
    for (int i = 0; i < JOBS; i++) {
        sg4::this_actor::sleep_for(exponential(PROGRAM_S * mean_nodes / (0.8 * HOSTS)));
        auto *job = new Job;
        job->nodes = sizes[size(randoms)];
        job->program_s = exponential(PROGRAM_S);
        tell_scheduler({Event::SUBMITTED, job, nullptr});
    }
}

static void fail(sg4::Host *host)
{
    for (;;) {
        sg4::this_actor::sleep_for(exponential(30 * DAY_S));
        host->turn_off();
        tell_scheduler({Event::HOST_FAILED, nullptr, host});
        sg4::this_actor::sleep_for(exponential(7200));
        host->turn_on();
        tell_scheduler({Event::HOST_UP, nullptr, host});
    }
}

int main()
{
    char name[] = "world_simgrid", quiet[] = "--log=root.thresh:critical";
    char *arguments[] = {name, quiet, nullptr};
    int argument_count = 2;
    sg4::Engine engine(&argument_count, arguments);
    sg4::Engine::set_config("contexts/guard-size:0");
    sg4::Engine::set_config("contexts/stack-size:64"); // KiB
    auto *zone = sg4::create_star_zone("zone");
    auto add_host = [zone](const std::string &called) {
        auto *host = zone->create_host(called, SPEED);
        auto *link = zone->create_split_duplex_link(called, 1.25e9)->set_latency(50e-6);
        zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr,
                        {{link, sg4::LinkInRoute::Direction::UP}}, true);
        return host;
    };
    auto *frontend = add_host("frontend");
    std::vector<sg4::Host *> hosts;
    for (int i = 0; i < HOSTS; i++)
        hosts.push_back(add_host("node" + std::to_string(i)));
    zone->seal();
    std::clock_t begin = std::clock();
    for (auto *host : hosts)
        sg4::Actor::create("failure", frontend, fail, host)->daemonize();
    sg4::Actor::create("submitter", frontend, submit);
    sg4::Actor::create("scheduler", frontend, Scheduler(hosts));
    engine.run();
    double s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::printf("%.6f %.3f %d\n", s, sg4::Engine::get_clock() / DAY_S, Scheduler::restarts);
}
