/// What a browser tells of peers.
public enum BrowserEvent: Hashable, Sendable {
    /// A peer that was not there.
    case found(DiscoveredPeer)
    /// A peer, known by its name and host, that has other addresses, another port, or other properties now.
    case changed(DiscoveredPeer)
    /// A peer that has gone, as it was last told. One that ends without a word is noticed after minutes.
    case lost(DiscoveredPeer)
}
