import Benchmark
import SetteeDocumentValues
import StorageProtocol

func addCollationKeyBenchmarks() {
    let cities = ["Aalborg", "Bad Homburg", "Fort Augustus", "Haugesund"]
    let accented = ["\u{c5}lborg", "K\u{f8}benhavn", "\u{c9}vora", "Stra\u{df}burg"]
    let cases: [(name: String, keys: [String])] = [
        ("number", ["1982", "-0.5", "9007199254740993", "1e-7"]),
        ("ASCII string", cities.map { "\"\($0)\"" }),
        ("accented string", accented.map { "\"\($0)\"" }),
        ("array of string and number", cities.map { "[\"\($0)\",1982]" }),
    ]
    for (name, keys) in cases {
        Benchmark("CollationKey: \(name)") { benchmark in
            let texts = keys.map { Array($0.utf8) }
            var key: [UInt8] = []
            benchmark.startMeasurement()
            for index in benchmark.scaledIterations {
                key.removeAll(keepingCapacity: true)
                let text = texts[index % texts.count]
                try unsafe Collator.unicode.encode(text.span.bytes, into: &key)
                blackHole(key)
            }
        }
    }
}
