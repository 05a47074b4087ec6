internal import StorageProtocol

@testable internal import SetteeReplicator

/// A server that stays the same, while its database is put back to an older state.
final class RestoredPeer: ForwardingPeer {
    private struct State {
        var base: any Peer
        var breaks = 0
    }

    private let state: Locked<State>

    init(_ base: any Peer) { state = Locked(State(base: base)) }

    var base: any Peer { state.withLock { $0.base } }
    var breaks: Int { state.withLock { $0.breaks } }

    func information() async throws -> PeerInformation {
        var information = try await base.information()
        information.uuid = nil
        information.startTime = "0"
        return information
    }

    /// - Parameter isNoticed: whether a request is broken off by it.
    func restore(_ peer: any Peer, isNoticed: Bool) {
        state.withLock { state in
            state.base = peer
            if isNoticed { state.breaks += 1 }
        }
    }
}
