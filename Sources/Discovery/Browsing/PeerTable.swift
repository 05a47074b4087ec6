/// The peers that are there, and what of them was told.
///
/// What is not yet told is a difference of two states. However often peers come and go while nobody asks, it holds no
/// more than these two.
struct PeerTable {
    private var identities: [Appearance.ID: PeerIdentity] = [:]
    /// The appearances of each peer, the latest last.
    private var services: [PeerIdentity: [(id: Appearance.ID, service: CheckedService)]] = [:]
    private var told: [PeerIdentity: DiscoveredPeer] = [:]
    /// Those of which there may be something to tell, in the order in which that came.
    private(set) var pending: [PeerIdentity] = []

    /// Takes an appearance that is new or has changed. One that breaks a rule counts as gone.
    mutating func found(_ appearance: Appearance) {
        gone(appearance.id)
        guard let service = CheckedService(appearance) else { return }
        identities[appearance.id] = service.identity
        services[service.identity, default: []].append((appearance.id, service))
        touch(service.identity)
    }

    mutating func gone(_ id: Appearance.ID) {
        guard let identity = identities.removeValue(forKey: id) else { return }
        services[identity]?.removeAll { $0.id == id }
        if services[identity]?.isEmpty == true { services[identity] = nil }
        touch(identity)
    }

    /// Nothing is there any more.
    mutating func clear() {
        let before = services.keys
        services = [:]
        identities = [:]
        for identity in before { touch(identity) }
    }

    /// What is to be told next; it then is told.
    mutating func next() -> BrowserEvent? {
        while !pending.isEmpty {
            let identity = pending.removeFirst()
            let before = told[identity]
            let now = services[identity].map { DiscoveredPeer($0.map(\.service)) }
            told[identity] = now
            switch (before, now) {
            case (nil, let now?): return .found(now)
            case (let before?, nil): return .lost(before)
            case (let before?, let now?) where before != now: return .changed(now)
            default: continue
            }
        }
        return nil
    }

    private mutating func touch(_ identity: PeerIdentity) {
        if services[identity] == nil, told[identity] == nil {
            // Come and gone untold: nothing is to be told of it, and it takes no room.
            pending.removeAll { $0 == identity }
        } else if !pending.contains(identity) {
            pending.append(identity)
        }
    }
}
