import Benchmark
import Crypto
import SetteeBenchmarking
import SetteeDocumentValues
import StorageProtocol

/// JSON text to what is stored, beside one MD5 of the same bytes.
func addJSONBenchmarks() {
    let data = People(seed: 42)
    let people = (0..<1000).map(data.json)
    let canonical = people.map(canonicalText)

    Benchmark("JSON: MD5 of the same bytes") { benchmark in
        for index in benchmark.scaledIterations {
            var hash = Insecure.MD5()
            unsafe people[index].withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
            blackHole(hash.finalize())
        }
    }
    Benchmark("JSON: parse") { benchmark in
        var parser = JSONParser()
        for index in benchmark.scaledIterations {
            let text = people[index]
            try unsafe parser.parse(text.span.bytes)
            blackHole(parser.root)
        }
    }
    Benchmark("JSON: text to canonical form") { benchmark in
        try canonicalise(people, benchmark)
    }
    Benchmark("JSON: canonical text to canonical form") { benchmark in
        try canonicalise(canonical, benchmark)
    }
    Benchmark("JSON: Swift value to canonical form") { benchmark in
        let values = try people.map { try JSONValue(parsing: $0) }
        var writer = JSONValueWriter()
        var body: [UInt8] = []
        benchmark.startMeasurement()
        for index in benchmark.scaledIterations {
            body.removeAll(keepingCapacity: true)
            try writer.write(values[index], into: &body)
            blackHole(body)
        }
    }
    Benchmark("JSON: text to Swift value") { benchmark in
        for index in benchmark.scaledIterations { blackHole(try JSONValue(parsing: people[index])) }
    }
    Benchmark("JSON: one member out of stored text") { benchmark in
        let pointer = try JSONPointer("/score")
        benchmark.startMeasurement()
        for index in benchmark.scaledIterations {
            let text = canonical[index]
            blackHole(unsafe JSONScanner.range(of: pointer, in: text.span.bytes))
        }
    }
}

private func canonicalise(_ texts: [[UInt8]], _ benchmark: Benchmark) throws {
    var parser = JSONParser()
    var body: [UInt8] = []
    benchmark.startMeasurement()
    for index in benchmark.scaledIterations {
        body.removeAll(keepingCapacity: true)
        let text = texts[index]
        try unsafe parser.parse(text.span.bytes)
        try parser.writeDocumentBody(into: &body)
        blackHole(body)
    }
}

/// What would be stored of a text that the generator made.
func canonicalText(_ text: [UInt8]) -> [UInt8] {
    var parser = JSONParser()
    var body: [UInt8] = []
    do {
        try unsafe parser.parse(text.span.bytes)
        try parser.writeDocumentBody(into: &body)
    } catch {
        preconditionFailure("the people data is JSON: \(error)")
    }
    return body
}
