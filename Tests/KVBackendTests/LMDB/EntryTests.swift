internal import StorageProtocol
internal import Testing

@testable internal import SetteeKV

/// What is put is there, in order, once its transaction commits.
@Suite struct EntryTests {
    @Test func whatIsPutIsThere() throws {
        let folder = try TestFolder()
        let store = try folder.open()
        try store.write { (now) throws(StorageError) in
            #expect(try now.put("b", [2]))
            #expect(try now.put("a", [1], mode: .insert))
            #expect(try !now.put("a", [9], mode: .insert))
            #expect(try now.put("empty", []))
            #expect(try now.put("b", [3, 3]))
            #expect(try now.put("a", [7], in: .sequences))
            #expect(try now.value("a") == [1])
        }
        try store.read { (now) throws(StorageError) in
            #expect(try now.value("a") == [1])
            #expect(try now.value("b") == [3, 3])
            #expect(try now.value("empty") == [])
            #expect(try now.value("c") == nil)
            #expect(try now.value("") == nil)
            #expect(try now.value("a", in: .sequences) == [7])
            #expect(try now.keys() == ["a", "b", "empty"])
        }
        try store.write { (now) throws(StorageError) in
            #expect(try now.remove("a"))
            #expect(try !now.remove("a"))
            #expect(try !now.remove(""))
        }
        store.close()
        let again = try folder.open(StorageOptions())
        #expect(try again.read { (now) throws(StorageError) in try now.keys() } == ["b", "empty"])
        again.close()
    }

    @Test func everyTableIsItsOwn() throws {
        let folder = try TestFolder()
        let store = try folder.open()
        try store.write { (now) throws(StorageError) in
            for table in Table.allCases { try now.put("k", [UInt8(table.rawValue)], in: table) }
        }
        try store.read { (now) throws(StorageError) in
            for table in Table.allCases { #expect(try now.value("k", in: table) == [UInt8(table.rawValue)]) }
        }
        store.close()
    }

    @Test func appendingTakesOnlyHigherKeys() throws {
        let folder = try TestFolder()
        let store = try folder.open()
        try store.write { (now) throws(StorageError) in
            #expect(try now.put("b", [1], mode: .append))
            #expect(try now.put("c", [2], mode: .append))
        }
        for key in ["c", "a"] {
            let transaction = try store.beginWrite()
            #expect(code { try transaction.put(key, [3], mode: .append) } == .corrupt)
            #expect(code { try transaction.commit() } == .corrupt)
        }
        #expect(try store.read { (now) throws(StorageError) in try now.value("c") } == [2])
        #expect(try store.read { (now) throws(StorageError) in try now.keys() } == ["b", "c"])
        store.close()
    }

    @Test func keysAsLongAsPromisedFit() throws {
        let folder = try TestFolder()
        let store = try folder.open()
        let longest = String(repeating: "x", count: NodePage.maximumKeyLength)
        try store.write { (now) throws(StorageError) in
            try now.put(longest, [1])
            #expect(code { try now.put("", [1]) } == .tooLarge)
            #expect(code { try now.put(longest + "x", [1]) } == .tooLarge)
            #expect(try now.value(longest + "x") == nil)
            #expect(try !now.remove(longest + "x"))
        }
        #expect(try store.read { (now) throws(StorageError) in try now.keys() } == [longest])
        store.close()
    }

    @Test func largeValuesComeBack() throws {
        let folder = try TestFolder()
        let store = try folder.open()
        let value = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try store.write { (now) throws(StorageError) in try now.put("large", value) }
        #expect(try store.read { (now) throws(StorageError) in try now.value("large") } == value)
        store.close()
    }

    // MARK: Transactions

    @Test func aSnapshotStaysAsItIs() throws {
        let folder = try TestFolder()
        let store = try folder.open()
        try store.write { (now) throws(StorageError) in try now.put("a", [1]) }
        let before = try store.beginRead()
        try store.write { (now) throws(StorageError) in
            try now.put("a", [2])
            try now.put("b", [2])
        }
        #expect(try before.value("a") == [1])
        #expect(try before.keys() == ["a"])
        before.end()
        #expect(try store.read { (now) throws(StorageError) in try now.value("a") } == [2])
        store.close()
    }

    @Test func whatIsNotCommittedIsUndone() throws {
        let folder = try TestFolder()
        let store = try folder.open()
        let transaction = try store.beginWrite()
        try transaction.put("a", [1])
        transaction.end()
        transaction.end()
        #expect(code { try transaction.put("a", [1]) } == .notOpen)
        #expect(code { _ = try transaction.value("a") } == .notOpen)
        #expect(code { try transaction.commit() } == .notOpen)
        // One whose last reference is gone has ended too.
        do {
            let lost = try store.beginWrite()
            try lost.put("a", [2])
        }
        #expect(try store.read { (now) throws(StorageError) in try now.keys() } == [])
        store.close()
    }

    @Test func aSnapshotRefusesWrites() throws {
        let folder = try TestFolder()
        let store = try folder.open()
        try store.write { (now) throws(StorageError) in try now.put("a", [1]) }
        try store.read { (now) throws(StorageError) in
            #expect(code { try now.put("a", [2]) } == .readOnly)
            #expect(code { try now.remove("a") } == .readOnly)
            let cursor = try now.cursor(.documents)
            #expect(try cursor.seek(.first))
            #expect(code { try cursor.remove() } == .readOnly)
            #expect(try now.value("a") == [1])
        }
        store.close()
    }

    /// Also through two stores of one file, where waiting would never end.
    @Test func oneThreadWritesOnce() throws {
        let folder = try TestFolder()
        let store = try folder.open()
        let other = try folder.open()
        let transaction = try store.beginWrite()
        #expect(code { _ = try store.beginWrite() } == .callback)
        #expect(code { _ = try other.beginWrite() } == .callback)
        transaction.end()
        try other.write { (now) throws(StorageError) in try now.put("a", [1]) }
        store.close()
        other.close()
    }
}
