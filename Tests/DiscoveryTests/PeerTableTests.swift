internal import Testing

@testable internal import SetteeDiscovery

/// What a browser tells of what comes and goes.
@Suite struct PeerTableTests {
    private func all(_ table: inout PeerTable) -> [BrowserEvent] {
        var events: [BrowserEvent] = []
        while let event = table.next() { events.append(event) }
        return events
    }

    private func peer(_ appearances: Appearance...) -> DiscoveredPeer {
        DiscoveredPeer(appearances.compactMap(CheckedService.init))
    }

    private let ipv6: [UInt8] = [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7]

    @Test("a peer is found, changes, and is lost")
    func life() {
        var table = PeerTable()
        table.found(.sample())
        #expect(all(&table) == [.found(peer(.sample()))])
        table.found(.sample())
        #expect(all(&table) == [])
        table.found(.sample(port: 80))
        #expect(all(&table) == [.changed(peer(.sample(port: 80)))])
        table.gone(Appearance.sample().id)
        #expect(all(&table) == [.lost(peer(.sample(port: 80)))])
        table.gone(Appearance.sample().id)
        #expect(all(&table) == [])
    }

    @Test("appearances of one peer are one, whose URL is by IPv4 where there is one")
    func merged() {
        var table = PeerTable()
        table.found(.sample(address: ipv6))
        #expect(all(&table) == [.found(peer(.sample(address: ipv6)))])
        table.found(.sample())
        let both = peer(.sample(address: ipv6), .sample())
        #expect(both.addresses == ["192.0.2.7", "2001:db8::7"])
        #expect(both.url == "http://192.0.2.7:5984/")
        #expect(all(&table) == [.changed(both)])
        table.gone(Appearance.sample().id)
        let alone = peer(.sample(address: ipv6))
        #expect(all(&table) == [.changed(alone)])
        #expect(alone.url == "http://[2001:db8::7]:5984/")
    }

    @Test("the URL of a peer with link-local addresses of IPv6 alone is by its host's name")
    func linkLocal() {
        let address: [UInt8] = [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [7]
        let local = peer(.sample(address: address, texts: ["tls=1", "path=/couch"]))
        #expect(local.url == "https://studio.local:5984/couch/")
        #expect(local.addresses == ["fe80::7%eth0"])
    }

    @Test("computers that use one name are two peers")
    func hosts() {
        var table = PeerTable()
        table.found(.sample())
        table.found(.sample(interface: 3, host: "other.local"))
        #expect(all(&table).count == 2)
        // The name goes over to another computer.
        table.found(.sample(host: "other.local"))
        #expect(all(&table) == [.lost(peer(.sample()))])
    }

    @Test("one that begins to break a rule is lost")
    func broken() {
        var table = PeerTable()
        table.found(.sample())
        _ = all(&table)
        table.found(.sample(texts: ["path=/../"]))
        #expect(all(&table) == [.lost(peer(.sample()))])
    }

    @Test("what was untold when it went is never told, and what went and came back unchanged neither")
    func untold() {
        var table = PeerTable()
        table.found(.sample())
        table.gone(Appearance.sample().id)
        #expect(all(&table) == [])
        table.found(.sample())
        _ = all(&table)
        table.clear()
        table.found(.sample())
        #expect(all(&table) == [])
        table.clear()
        #expect(all(&table) == [.lost(peer(.sample()))])
    }

    @Test("however often peers change while nobody asks, no more is held than the peers that were there")
    func bounded() {
        var table = PeerTable()
        for round in 0..<100 {
            for number in 0..<50 {
                table.found(.sample("peer \(number)", port: UInt16(round + 1)))
                if round % 2 == 1 { table.gone(Appearance.sample("peer \(number)").id) }
            }
            for number in 0..<10 {
                table.found(.sample("once \(round) \(number)"))
                table.gone(Appearance.sample("once \(round) \(number)").id)
            }
        }
        #expect(table.pending.count <= 50)
        #expect(all(&table) == [])
    }
}
