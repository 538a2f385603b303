// The hold model on SimGrid: as many actors as events are pending, each sleeping again and again.
#include <simgrid/s4u.hpp>

#include "peer.hpp"

int main(int argc, char **argv)
{
    Peer peer(argc, argv);
    int engine_argc = 1;
    simgrid::s4u::Engine engine(&engine_argc, argv);
    // Guard pages are mappings, of which a process may have 65,536: too few for 100,000 actors.
    simgrid::s4u::Engine::set_config("contexts/guard-size:0");
    simgrid::s4u::Engine::set_config("contexts/stack-size:32"); // KiB
    auto *zone = simgrid::s4u::create_full_zone("zone");
    auto *host = zone->create_host("host", 1e9);
    zone->seal();
    int64_t left = peer.events;
    for (int64_t i = 0; i < peer.pending; i++)
        simgrid::s4u::Actor::create("sleeper", host, [&peer, &left] {
            while (left-- > 0)
                simgrid::s4u::this_actor::sleep_for(peer.next_delay_s());
        });
    peer.start();
    engine.run();
    peer.report("SimGrid, sleeping actors");
}
