import Foundation
import SetteeDocumentValues
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeEngine

@Suite("Generated document IDs")
struct OrderedUUIDTests {
    @Test("have the form of a UUID of version 7 and hold the time")
    func form() throws {
        let uuids = OrderedUUIDs(now: { 0x0190_1234_5678 })
        for _ in 0..<1000 {
            let text = uuids.next()
            #expect(text == text.lowercased())
            let uuid = try #require(UUID(uuidString: text)).uuid
            #expect(uuid.6 >> 4 == 7)
            #expect(uuid.8 >> 6 == 2)
            #expect(text.hasPrefix("01901234-5678-7"))
        }
    }

    @Test("rise, also within a millisecond and when the clock goes back")
    func order() {
        let times = Locked<[UInt64]>([5, 5, 5, 3, 3, 9, 9, 1, 1, 10])
        let uuids = OrderedUUIDs(now: { times.withLock { $0.isEmpty ? 10 : $0.removeFirst() } })
        var last = ""
        for _ in 0..<100_000 {
            let next = uuids.next()
            if next <= last { Issue.record("\(next) follows \(last)") }
            last = next
        }
    }

    @Test("of two threads are all different")
    func threads() async {
        let uuids = OrderedUUIDs()
        let all = await withTaskGroup(of: [String].self) { group in
            for _ in 0..<4 { group.addTask { (0..<5000).map { _ in uuids.next() } } }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(all).count == 20_000)
    }

    @Test("are given to new documents in their order")
    func documents() throws {
        try withDatabase(.memory) { (bed) throws in
            var last = ""
            for number in 0..<100 {
                let document = bed.database.makeDocument()
                try document.put(["n": .int(Int64(number))])
                #expect(document.id.string > last)
                last = document.id.string
            }
        }
    }
}
