internal import Foundation
internal import StorageProtocol

extension ConformanceContext {
    /// Returns a key of 32 bytes other than the key of the `EngineCase`.
    fileprivate func otherKey(_ number: UInt8) throws -> StorageKey {
        try unsafe StorageKey(bytes: [UInt8](repeating: number, count: StorageKey.rawLength).span.bytes)
    }

    /// Returns the names and contents of the files in a folder.
    fileprivate func contents(of directory: String) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try names(in: directory) {
            contents[name] = try Data(contentsOf: URL(fileURLWithPath: directory + "/" + name))
        }
        return contents
    }
}

extension Conformance {
    static let keys: [ConformanceTest] = [
        ConformanceTest("Keys", "no key, or another one, is unauthorized (401), and leaves every byte as it is") {
            context in
            let factory = context.row.factory
            guard factory.capabilities.encrypts, context.row.isPersistent else { return }
            let directory = try context.makeDirectory()
            let engine = try context.open(directory, create: true)
            try engine.write { (tx) throws(StorageError) in try tx.writeEverything("a") }
            context.close(engine)
            let before = try context.contents(of: directory)
            for key in [nil, try context.otherKey(0), try context.otherKey(0xFF)] {
                for readOnly in [false, true] {
                    let options = StorageOptions(create: !readOnly, readOnly: readOnly, key: key)
                    context.fails(.unauthorized, "`authorize`") { () throws(StorageError) in
                        try factory.authorize(directory: directory, options: options)
                    }
                    context.fails(.unauthorized, "`open`") { () throws(StorageError) in
                        try factory.open(directory: directory, options: options).close()
                    }
                }
            }
            context.expect(try context.contents(of: directory) == before, "the files are as they were")
            let again = try context.open(directory)
            context.equal(
                try again.read { (tx) throws(StorageError) in try tx.ids() },
                ["a1"],
                "the right key opens it"
            )
            let other = try context.otherKey(1)
            context.fails(.unauthorized, "another key, of a store that is open") { () throws(StorageError) in
                try factory.open(directory: directory, options: StorageOptions(key: other)).close()
            }
        },
        ConformanceTest("Keys", "nothing of what is stored can be read in the files") { context in
            guard context.row.factory.capabilities.encrypts, context.row.isPersistent else { return }
            let directory = try context.makeDirectory()
            let marker = "MarkerOfThisTest"
            let engine = try context.open(directory, create: true)
            for n in 0..<40 {
                try engine.write { (tx) throws(StorageError) in
                    let filling = String(repeating: marker, count: n * 10)
                    try tx.add("\(marker)-\(n)", #"{"\#(marker)":"\#(filling)"}"#, tree: marker)
                    try tx.putLocal("_local/\(marker)\(n)", "0-1", #"{"\#(marker)":1}"#)
                    try tx.setInfo(bytes(marker), for: marker + "\(n)")
                    try tx.makeIndex(marker + "\(n % 3)")
                    try tx.emit(marker + "\(n % 3)", "\(marker)-\(n)", at: UInt64(n + 1), [marker, marker + "\(n)"])
                }
                let files = try context.contents(of: directory)
                let isPlain = files.contains { $0.value.range(of: Data(marker.utf8)) != nil || $0.key.contains(marker) }
                context.expect(!isPlain, "while it is written (\(n))")
                if isPlain { return }
            }
            context.close(engine)
            for (name, content) in try context.contents(of: directory) {
                context.expect(content.range(of: Data(marker.utf8)) == nil, "after it was closed: '\(name)'")
            }
        },
        ConformanceTest("Keys", "a copy has the key that it was given, and no other opens it", needs: .copies) {
            context in
            let factory = context.row.factory
            guard factory.capabilities.encrypts else { return }
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.writeEverything("a") }
            let new = try context.otherKey(7)
            let directory = try context.makeDirectory()
            try engine.copy(toDirectory: directory, options: StorageCopyOptions(key: .other(new))) {
                (_, _) throws(StorageError) in
            }
            context.fails(.unauthorized, "the source's key") { () throws(StorageError) in
                _ = try context.open(directory)
            }
            let copy = try factory.open(directory: directory, options: StorageOptions(key: new))
            defer { copy.close() }
            try context.expectTheSame(copy, as: engine)
        },
    ]
}
