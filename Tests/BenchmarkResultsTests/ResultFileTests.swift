import Foundation
import SetteeBenchmarkResults
import StorageConformance
import Testing

@Suite("The file of results")
struct ResultFileTests {
    static let full: BenchmarkFile = {
        var generator = SeededGenerator(seed: 1)
        let results = ["sqlite", "lmdb"].map {
            Sample.full($0, "insert-batch", group: "write", rate: 12_345, using: &generator)
        }
        return Sample.file(
            results + [Sample.entry("memory", rates: [0.001])],
            leftOut: [BenchmarkFile.LeftOut(engine: "sqlcipher", reason: "libsqlcipher is not installed")]
        )
    }()

    @Test("What was written is read again, on one line or many")
    func roundTrip() throws {
        for onOneLine in [false, true] {
            let json = try Self.full.json(onOneLine: onOneLine)
            #expect(try BenchmarkFile(json: json) == Self.full)
            #expect(json.contains(UInt8(ascii: "\n")) == !onOneLine)
            #expect(try BenchmarkFile(json: json).json(onOneLine: onOneLine) == json)
        }
        let empty = Sample.file([])
        #expect(try BenchmarkFile(json: empty.json()) == empty)
    }

    @Test("Members come in the order of their names, and slashes as they are")
    func form() throws {
        var file = Sample.file([Sample.entry("memory")])
        file.environment.system = "GNU/Linux"
        let text = String(decoding: try file.json(onOneLine: true), as: UTF8.self)
        #expect(text.contains("\"system\":\"GNU/Linux\""))
        #expect(text.hasPrefix("{\"environment\":{"))
        // Of the counterpart, null and not absent.
        #expect(text.contains("\"ratio\":null") && text.contains("\"baselineOpsPerSecond\":null"))
        #expect(!text.contains("bytesOnDisk"))
    }

    @Test("The medians of an entry are those of the rounds in the file")
    func medians() throws {
        let object = try #require(
            try JSONSerialization.jsonObject(with: Self.full.json()) as? [String: Any]
        )
        let results = try #require(object["results"] as? [[String: Any]])
        for result in results {
            let rounds = try #require(result["rounds"] as? [[String: Any]])
            for name in [
                "opsPerSecond", "cpuMicroseconds", "baselineOpsPerSecond", "bytesWritten", "writeAmplification",
                "peakMemory", "bytesOnDisk",
            ] {
                let values = rounds.compactMap { $0[name] as? Double }.sorted()
                #expect(
                    values.isEmpty
                        ? result[name] as? Double == nil : result[name] as? Double == values[values.count / 2]
                )
            }
            let rates = rounds.compactMap { $0["opsPerSecond"] as? Double }
            #expect(result["opsPerSecondMinimum"] as? Double == rates.min())
            #expect(result["opsPerSecondMaximum"] as? Double == rates.max())
            let ratios = rounds.compactMap { (round) -> Double? in
                guard let own = round["opsPerSecond"] as? Double, let other = round["baselineOpsPerSecond"] as? Double
                else { return nil }
                return own / other
            }.sorted()
            let ratio = result["ratio"] as? Double
            #expect((ratio == nil) == ratios.isEmpty)
            // The figures of the file are rounded to 17 digits, so a quotient of two of them may differ in the last.
            if let ratio { #expect(abs(ratio / ratios[ratios.count / 2] - 1) < 1e-12) }
        }
    }

    @Test("Members that are not known are ignored")
    func unknownMembers() throws {
        let text = String(decoding: try Self.full.json(onOneLine: true), as: UTF8.self)
            .replacing("{\"environment\":{", with: "{\"later\":[1],\"environment\":{\"weather\":{\"rain\":true},")
        #expect(try BenchmarkFile(json: Data(text.utf8)) == Self.full)
    }

    @Test("A later format is named, whatever else the file holds")
    func laterFormat() {
        let error = #expect(throws: BenchmarkFileError.self) {
            try BenchmarkFile(json: Data(#"{"format": 7, "results": "elsewhere"}"#.utf8))
        }
        #expect(error == .laterFormat(7))
        #expect(error?.description.contains("format 7") == true && error?.description.contains("up to 1") == true)
    }

    @Test("Without a counterpart's rate above 0 there is no ratio")
    func noRatio() throws {
        var round = BenchmarkRound(opsPerSecond: 5)
        #expect(round.ratio == nil)
        round.baselineOpsPerSecond = 0
        #expect(round.ratio == nil)
        round.baselineOpsPerSecond = 10
        #expect(round.ratio == 0.5)
    }
}
