internal import StorageProtocol

extension Conformance {
    static let indexEntries: [ConformanceTest] = [
        ConformanceTest("IndexEntries", "entries come in batches, and the last of a key counts") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x")
                var entries = IndexEntries()
                for number in (0..<500).reversed() {
                    let key = bytes("\(1_000 + number)")
                    unsafe entries.append(key: key.span.bytes, value: bytes("old").span.bytes)
                    unsafe entries.append(key: key.span.bytes, value: bytes("\(number)").span.bytes)
                }
                try tx.putIndexEntries("x", entries)
                try tx.putIndexEntries("x", IndexEntries())
                var long = IndexEntries()
                unsafe long.append(key: bytes("k").span.bytes, value: bytes("").span.bytes)
                let tooLong = [UInt8](repeating: 1, count: IndexEntries.maximumKeyLength + 1)
                unsafe long.append(key: tooLong.span.bytes, value: bytes("v").span.bytes)
                context.fails(.tooLarge, "a key above 1 MiB") { () throws(StorageError) in
                    try tx.putIndexEntries("x", long)
                }
                context.fails(.notFound, "an index that is not there") { () throws(StorageError) in
                    try tx.putIndexEntries("none", entries)
                }
                context.equal(try tx.indexEntry("x", key: bytes("k")), nil, "a refusal wrote nothing")
                try tx.putIndexEntry("x", key: Array(tooLong.dropLast()), value: bytes("longest"))
                context.equal(
                    try tx.indexEntry("x", key: Array(tooLong.dropLast())),
                    bytes("longest"),
                    "1 MiB is allowed"
                )
                try tx.removeIndexEntries("x", in: ByteRange(upper: .excluding(bytes("1"))))
            }
            try engine.read { (tx) throws(StorageError) in
                for descending in [false, true] {
                    let expected = descending ? Array((0..<500).reversed()) : Array(0..<500)
                    var found: [Int] = []
                    try tx.indexEntries("x", in: .all, descending: descending) { (_, value) throws(StorageError) in
                        found.append(Int(text(value)) ?? -1)
                        return true
                    }
                    context.equal(found, expected, "all, each once")
                }
            }
        }
    ]
}
