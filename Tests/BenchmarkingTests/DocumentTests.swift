import Foundation
import Settee
import SetteeBenchmarkResults
import StorageProtocol
import Testing

@testable import SetteeBenchmarking

@Suite("Documents of benchmarks")
struct DocumentTests {
    @Test("Sized documents are objects of exactly that size", arguments: [64, 65, 150, 1024, 65_536])
    func sizes(_ bytes: Int) throws {
        for index in [0, 1, 999] {
            let text = SizedDocument.json(People(seed: 42), index, bytes: bytes)
            #expect(text.count == bytes)
            guard case .object = try JSONValue(parsing: text) else {
                Issue.record("\(index) is not an object")
                return
            }
        }
    }

    @Test("A seed gives the same documents, another one others")
    func seeds() {
        for source in [DocumentSource.people, .sized(200)] {
            let one = DocumentSet(source, count: 50, randomIDs: false, seed: 1)
            let same = DocumentSet(source, count: 50, randomIDs: false, seed: 1)
            let other = DocumentSet(source, count: 50, randomIDs: false, seed: 2)
            #expect((0..<50).allSatisfy { one.body($0) == same.body($0) })
            #expect((0..<50).contains { one.body($0) != other.body($0) })
        }
    }

    @Test("Zipfian choices are those of the plain C programs, and prefer few documents")
    func zipfian() {
        let choice = ZipfianChoice(documents: 100_000)
        #expect((0..<8).map(choice.document) == [73010, 23716, 13772, 67103, 2477, 15667, 84200, 65981])
        var counts = [Int](repeating: 0, count: 1000)
        let few = ZipfianChoice(documents: 1000)
        for turn in 0..<100_000 { counts[few.document(turn)] += 1 }
        let sorted = counts.sorted(by: >)
        #expect((3500...4200).contains(sorted[0]))
        #expect(sorted[0] > 5 * sorted[20])
        #expect(sorted[999] > 0)
    }

    @Test("One document is enough for a Zipfian choice")
    func zipfianOfOne() {
        let choice = ZipfianChoice(documents: 1)
        #expect((0..<100).allSatisfy { choice.document($0) == 0 })
    }

    private func file(_ text: String) throws -> String {
        let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data(text.utf8).write(to: url)
        return url.path
    }

    @Test("Own documents lose the members that begin with _, and blank lines do not count")
    func own() throws {
        let path = try file("{\"_id\":\"a\",\"_rev\":\"1-a\",\"n\":1}\n\n \r\n{\"n\":2,\"t\":\"x\"}")
        defer { try? FileManager.default.removeItem(atPath: path) }
        guard case .own(let name, let lines) = try DocumentSource.own(file: path, count: 10) else {
            Issue.record("not the user's own")
            return
        }
        #expect(lines.map { String(decoding: $0, as: UTF8.self) } == ["{\"n\":1}", "{\"n\":2,\"t\":\"x\"}"])
        guard case .own(let other, let first) = try DocumentSource.own(file: path, count: 1) else { return }
        #expect(first.count == 1)
        #expect(name.hasSuffix("(documents: 2, bytes: 22)") && other.hasSuffix("(documents: 1, bytes: 7)"))
    }

    @Test(
        "What is no document is refused with its line",
        arguments: [
            ("{\"n\":1}\n[1]\n", "Line 2"), ("{\"n\":1}\n{\"n\":", "Line 2"), ("\u{0}", "Line 1"), ("", "no documents"),
        ]
    )
    func refused(_ text: String, _ reason: String) throws {
        let path = try file(text)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let error = #expect(throws: StorageError.self) { try DocumentSource.own(file: path, count: 10) }
        #expect(error?.code == .badJSON)
        #expect(error?.message.contains(reason) == true)
    }

    @Test("A file that is not there is a clear error")
    func missing() {
        let error = #expect(throws: StorageError.self) { try DocumentSource.own(file: "/nonexistent", count: 1) }
        #expect(error?.code == .fileSystem)
    }

    @Test("Views find their members in own documents, and are left out where there are none")
    func places() throws {
        let lines = (0..<20).map { Array("{\"a/b\":\($0),\"kind\":\"k\($0 % 3)\",\"name\":\"n\($0)\"}".utf8) }
        let places = IndexedPlaces(of: lines)
        #expect(places.number == "/a~1b")
        #expect(places.numberMember == "a/b")
        #expect(places.text == "/kind")
        #expect(places.group == "/kind")
        var settings = BenchmarkSettings(storageTypes: [.sqlite])
        settings.documents = [20]
        settings.rounds = 1
        settings.source = .own(name: "own", lines: [Array("{\"list\":[1]}".utf8)])
        settings.workloads = ["view-range", "insert-batch"].compactMap(Workload.named)
        let results = try BenchmarkRunner(settings).run()
        #expect(results.results.map(\.workload) == ["insert-batch"])
        #expect(results.leftOut.map(\.workload) == ["view-range"])
        settings.source = .own(name: "own", lines: lines)
        settings.workloads = Workload.all.filter { $0.group == .query && $0.name != "view-put" }
        #expect(try BenchmarkRunner(settings).run().leftOut.isEmpty)
    }
}
