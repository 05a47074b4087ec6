#if Sync
internal import Settee
internal import SetteeDiscovery

/// What `settee peers` prints.
struct PeerPrinting {
    let asJSON: Bool

    /// Prints each event, until the task is cancelled.
    func follow() async throws {
        let printer = Printer(asJSON: asJSON)
        for try await event in Browser() {
            let (word, peer) = PeerPrinting.parts(event)
            try printer.line(
                "\(word)  \(Columns.printable(peer.name))  \(peer.url)",
                json: JSONLine().string("event", word).peer(peer)
            )
            try printer.flush()
        }
    }

    /// Prints the peers that are there after a time; or, if the task is cancelled, those that were found by then.
    func list(for time: Duration) async throws {
        let peers = try await withThrowingTaskGroup(of: [DiscoveredPeer]?.self) { group in
            group.addTask { try await PeerPrinting.collect() }
            group.addTask {
                try? await Task.sleep(for: time)
                return nil
            }
            var found: [DiscoveredPeer] = []
            while let peers = try await group.next() {
                if let peers { found = peers }
                group.cancelAll()
            }
            return found
        }
        let printer = Printer(asJSON: asJSON)
        var columns = Columns(printer.output)
        for peer in peers.sorted(by: { ($0.name, $0.host) < ($1.name, $1.host) }) {
            if asJSON {
                try printer.output.append(JSONLine().peer(peer).bytes)
            } else {
                try columns.row([peer.name, peer.url, peer.host])
            }
        }
        try columns.finish()
        try printer.flush()
    }

    /// The peers that are there when the task is cancelled.
    private static func collect() async throws -> [DiscoveredPeer] {
        var peers: [[String]: DiscoveredPeer] = [:]
        for try await event in Browser() {
            let (_, peer) = parts(event)
            if case .lost = event {
                peers[[peer.name, peer.host]] = nil
            } else {
                peers[[peer.name, peer.host]] = peer
            }
        }
        return Array(peers.values)
    }

    private static func parts(_ event: BrowserEvent) -> (word: String, peer: DiscoveredPeer) {
        switch event {
        case .found(let peer): ("found", peer)
        case .changed(let peer): ("changed", peer)
        case .lost(let peer): ("lost", peer)
        }
    }
}

extension JSONLine {
    fileprivate consuming func peer(_ peer: DiscoveredPeer) -> JSONLine {
        let line = string("name", peer.name).string("url", peer.url).string("host", peer.host)
            .strings("addresses", peer.addresses).number("port", peer.port).string("path", peer.path)
            .bool("tls", peer.usesTLS)
        guard let uuid = peer.uuid else { return line }
        return line.string("uuid", uuid)
    }
}
#endif
