internal import CSetteeLMDB
internal import Foundation
internal import StorageProtocol
internal import Testing

@testable internal import SetteeKV

/// A commit whose meta page could not be written is not there, and costs nothing that was acknowledged. An acknowledged
/// commit whose meta page was damaged looks much the same, and is not dropped.
@Suite struct FailedMetaPageTests {
    /// A small store, before and after a commit that took all its pages from the free ones.
    private struct Commit {
        var before: (data: [UInt8], lock: [UInt8])
        var after: (data: [UInt8], lock: [UInt8])
        let number: UInt64

        init(_ folder: TestFolder) throws {
            func files(_ value: UInt8) throws -> (data: [UInt8], lock: [UInt8]) {
                let store = try folder.open()
                try store.write { (now) throws(StorageError) in try now.put("a", [value]) }
                store.close()
                let lock = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/lock.mdb"))
                return ([UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.dataFile))), [UInt8](lock))
            }
            // Free pages, so that the file ends after those that the commits use.
            let store = try folder.open()
            try store.write { (now) throws(StorageError) in try now.put("large", [UInt8](repeating: 1, count: 100_000))
            }
            try store.write { (now) throws(StorageError) in try now.remove("large") }
            store.close()
            for value in 0..<10 as Range<UInt8> { _ = try files(value) }
            before = try files(10)
            after = try files(11)
            number = max(after.data.u64(144), after.data.u64(4096 + 144))
        }

        /// Where the failed commit's meta page begins.
        var page: Int { Int(number & 1) * 4096 }

        /// As LMDB leaves it: new roots, old numbers.
        var failed: [UInt8] {
            var bytes = after.data
            for place in page + 136..<page + 152 { bytes[place] = before.data[place] }
            return bytes
        }

        /// The acknowledged commit, with one bit of its number flipped.
        var flipped: [UInt8] {
            var bytes = after.data
            for place in page + 144..<page + 152 { bytes[place] = before.data[place] }
            return bytes
        }
    }

    private func lay(_ folder: TestFolder, _ data: [UInt8], lock: [UInt8]?, mark: String? = nil) throws {
        for name in folder.names { try FileManager.default.removeItem(atPath: folder.path + "/" + name) }
        try folder.write(data, to: "data.mdb")
        if let lock { try folder.write(lock, to: "lock.mdb") }
        if let mark { try folder.write(Array(mark.utf8), to: "suspect") }
    }

    private func text(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: 20 - digits.count) + digits + "\n"
    }

    private func expectServed(_ folder: TestFolder, value: UInt8, _ note: Comment) throws {
        for options in [StorageOptions(readOnly: true), StorageOptions()] {
            let store = try folder.open(options)
            #expect(try store.read { (now) throws(StorageError) in try now.value("a") } == [value], note)
            store.close()
        }
        let store = try folder.open()
        for value in 0..<4 as Range<UInt8> {
            try store.write { (now) throws(StorageError) in try now.put("b", [value]) }
        }
        var problems: [String] = []
        try store.verify { problems.append($0.message) }
        #expect(problems == [], note)
        store.close()
        #expect(!folder.names.contains("suspect"), note)
    }

    @Test func whatIsBesideTheFileTellsThemApart() throws {
        let folder = try TestFolder()
        let commit = try Commit(folder)
        let last = commit.number - 1
        try #require(commit.flipped.count == commit.before.data.count)
        // LMDB's table of readers shows that the commit failed, or the mark does, or both.
        let harmless: [(lock: [UInt8]?, mark: String?)] = [
            (commit.before.lock, nil), (nil, text(last)), (commit.before.lock, text(last)), (commit.before.lock, ""),
            (commit.before.lock, text(last - 4)), ([1, 2, 3], text(last)),
        ]
        for (index, beside) in harmless.enumerated() {
            try lay(folder, commit.failed, lock: beside.lock, mark: beside.mark)
            try expectServed(folder, value: 10, "case \(index)")
        }
        let doubtful: [(data: [UInt8], lock: [UInt8]?, mark: String?)] = [
            (commit.flipped, commit.after.lock, nil), (commit.flipped, nil, nil), (commit.failed, nil, nil),
            (commit.flipped, commit.after.lock, text(last)), (commit.flipped, nil, text(commit.number)),
            (commit.flipped, nil, ""), (commit.flipped, nil, "18446744073709551616\n"), (commit.flipped, nil, "9"),
            (commit.flipped, nil, String(repeating: "z", count: 20) + "\n"), (commit.flipped, [0xFF], text(last - 1)),
            (commit.flipped, [UInt8](repeating: 0xFF, count: 8192), String(repeating: "1", count: 70_000)),
        ]
        for (index, file) in doubtful.enumerated() {
            try lay(folder, file.data, lock: file.lock, mark: file.mark)
            for options in [StorageOptions(readOnly: true), StorageOptions(), StorageOptions(immutable: true)] {
                #expect(code { try folder.open(options).close() } == .corrupt, "case \(index)")
            }
        }
    }

    /// LMDB also resets the number of the last page. An acknowledged commit's number is never lower than the one
    /// before.
    @Test func aLowerLastPageTellsThemApart() throws {
        let folder = try TestFolder()
        let commit = try Commit(folder)
        var bytes = commit.failed
        let last = bytes.u64(commit.page + 136)
        try #require(bytes.u64(commit.page + 80) < last && bytes.u64(commit.page + 128) < last)
        withUnsafeBytes(of: (last - 1).littleEndian) {
            bytes.replaceSubrange(commit.page + 136..<commit.page + 144, with: $0)
        }
        try lay(folder, bytes, lock: nil)
        try expectServed(folder, value: 10, "")
    }

    @Test func theFailedPageIsSettled() throws {
        let folder = try TestFolder()
        let commit = try Commit(folder)
        try lay(folder, commit.failed, lock: nil)
        for other in [0, commit.number - 1, commit.number + 1, .max] {
            FailedMetaPage.settle(path: folder.dataFile, failed: other)
            #expect(code { try QuickCheck.run(path: folder.dataFile) } == .corrupt, "\(other)")
        }
        FailedMetaPage.settle(path: folder.dataFile, failed: commit.number)
        try QuickCheck.run(path: folder.dataFile)
        try expectServed(folder, value: 10, "")
        // A meta page that was written after all is left alone.
        try lay(folder, commit.after.data, lock: nil)
        FailedMetaPage.settle(path: folder.dataFile, failed: commit.number)
        #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: folder.dataFile))) == commit.after.data)
    }

    #if os(Linux)
    /// By LMDB itself, in a process of its own, while this one keeps the file open and continues.
    @Test(arguments: [EIO, ENOSPC])
    func everybodyElseGoesOn(failure: Int32) async throws {
        let folder = try TestFolder()
        let store = try folder.open(StorageOptions(create: true, durability: .full))
        for value in 0...10 as ClosedRange<UInt8> {
            try store.write { (now) throws(StorageError) in try now.put("a", [value]) }
        }
        let path = folder.path
        await #expect(processExitsWith: .success) { [path = path as String, failure] in
            let store = try LMDBStore(directory: path, options: StorageOptions(durability: .full))
            guard try RefusedCalls.refuseMetaPages(of: store, failure) else { return }
            let transaction = try store.beginWrite()
            try transaction.put("a", [11])
            guard code({ try transaction.commit() }) == (failure == EIO ? .storage : .full) else { exit(2) }
            guard code({ _ = try store.beginRead() }) == .storage, code({ _ = try store.beginWrite() }) == .storage
            else { exit(3) }
            store.close()
            let again = try LMDBStore(directory: path, options: StorageOptions())
            guard try again.read({ (now) throws(StorageError) in try now.value("a") }) == [10] else { exit(4) }
            again.close()
        }
        #expect(try store.read { (now) throws(StorageError) in try now.value("a") } == [10])
        // The data file alone can be used too.
        let copy = try TestFolder()
        try FileManager.default.copyItem(atPath: folder.dataFile, toPath: copy.dataFile)
        try expectServed(copy, value: 10, "a copy of the data file alone")
        try store.write { (now) throws(StorageError) in try now.put("a", [12]) }
        store.close()
        try expectServed(folder, value: 12, "")
    }
    #endif
}
