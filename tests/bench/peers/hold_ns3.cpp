// The hold model on ns-3, with its default scheduler (a map): every event schedules the next.
#include <ns3/core-module.h>

#include "peer.hpp"

static void fire(Peer *peer, int64_t *left)
{
    if (--*left <= 0) {
        ns3::Simulator::Stop();
        return;
    }
    ns3::Simulator::Schedule(ns3::NanoSeconds(peer->next_delay_s() * 1e9), &fire, peer, left);
}

int main(int argc, char **argv)
{
    Peer peer(argc, argv);
    int64_t left = peer.events;
    for (int64_t i = 0; i < peer.pending; i++)
        ns3::Simulator::Schedule(ns3::NanoSeconds(peer.next_delay_s() * 1e9), &fire, &peer, &left);
    peer.start();
    ns3::Simulator::Run();
    peer.report("ns-3, map scheduler");
    ns3::Simulator::Destroy();
}
