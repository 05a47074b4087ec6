internal import Foundation
internal import StorageProtocol
internal import Testing

@testable internal import SetteeKV

/// Children of fork, other processes, and LMDB's own programs.
@Suite struct ProcessTests {
    /// In a process of its own, since a child of fork must not continue with its parent's tests.
    @Test func aChildOfForkTouchesNothing() async {
        await #expect(processExitsWith: .success) {
            let folder = try TestFolder()
            let store = try folder.open()
            try store.write { (now) throws(StorageError) in try now.put("a", [1]) }
            let snapshot = try store.beginRead()
            let cursor = try snapshot.cursor(.documents)
            guard try cursor.seek(.first) else { exit(2) }
            let writing = try store.beginWrite()
            try writing.put("b", [2])

            let status = inChild {
                let calls: [StorageError.Code?] = [
                    code { _ = try store.beginRead() }, code { _ = try store.beginWrite() },
                    code { try store.checkpoint() }, code { _ = try store.statistics() },
                    code { try store.verify { _ in } }, code { _ = try snapshot.value("a") },
                    code { _ = try snapshot.cursor(.documents) }, code { _ = try cursor.next() },
                    code { _ = try cursor.seek(.last) }, code { try writing.put("c", [3]) },
                    code { try cursor.remove() }, code { try writing.commit() },
                ]
                guard calls.allSatisfy({ $0 == .notOpen }) else { return 10 }
                // Ending them does nothing.
                cursor.close()
                snapshot.end()
                writing.end()
                store.close()
                // The parent writes meanwhile, so the child reads; what is not committed is not there.
                let own = try folder.open(StorageOptions())
                guard own.environment !== store.environment else { return 11 }
                guard try own.read({ (now) throws(StorageError) in try now.keys() }) == ["a"] else { return 12 }
                guard try own.statistics()["readers"] == "1" else { return 13 }
                own.close()
                return 0
            }
            guard status == 0 else { exit(status) }

            // All is as it was: the snapshot is still in the table, the transaction commits.
            guard try store.statistics()["readers"] == "1" else { exit(3) }
            guard try cursor.next() == false, try snapshot.value("a") == [1] else { exit(4) }
            try writing.commit()
            guard try snapshot.keys() == ["a"] else { exit(5) }
            cursor.close()
            snapshot.end()

            // A child that opens the store again can write too, and its parent sees it.
            let second = inChild {
                let own = try folder.open(StorageOptions())
                try own.write { (now) throws(StorageError) in try now.put("child", [4]) }
                own.close()
                return 0
            }
            guard second == 0 else { exit(second) }
            guard try store.read({ (now) throws(StorageError) in try now.keys() }) == ["a", "b", "child"] else {
                exit(6)
            }
            store.close()
        }
    }

    /// The locks of the first store survive those that are opened and closed: another process that opens the file finds
    /// the table of readers as it is, and pages that a snapshot needs are not reused.
    @Test func laterStoresLeaveTheLocksAlone() async throws {
        let folder = try TestFolder()
        let links = try TestFolder()
        try FileManager.default.createSymbolicLink(
            atPath: links.path + "/link",
            withDestinationPath: folder.path
        )
        let store = try folder.open()
        try store.write { (now) throws(StorageError) in try now.put("a", [1]) }
        let snapshot = try store.beginRead()
        for path in [folder.path, links.path + "/link"] {
            let other = try LMDBStore(directory: path, options: StorageOptions())
            _ = try other.statistics()
            other.close()
        }
        #expect(
            code { _ = try LMDBStore(directory: folder.path, options: StorageOptions(readOnly: true)).close() } == nil
        )
        let path = folder.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let store = try LMDBStore(directory: path, options: StorageOptions())
            guard try store.statistics()["readers"] == "1" else { exit(2) }
            for round in 0..<20 {
                try store.write { (now) throws(StorageError) in
                    for number in 0..<100 { try now.put("\(number)", [UInt8](repeating: UInt8(round), count: 500)) }
                    try now.put("a", [UInt8(round)])
                }
            }
            store.close()
        }
        #expect(try snapshot.keys() == ["a"])
        #expect(try snapshot.value("a") == [1])
        snapshot.end()
        #expect(try store.read { (now) throws(StorageError) in try now.keys().count } == 101)
        store.close()
    }

    @Test func twoProcessesWrite() async throws {
        let folder = try TestFolder()
        let store = try folder.open()
        let path = folder.path
        async let other = #expect(processExitsWith: .success) { [path = path as String] in
            let store = try LMDBStore(directory: path, options: StorageOptions(durability: .normal))
            for _ in 0..<200 { try add(to: store) }
            store.close()
        }
        for _ in 0..<200 { try add(to: store) }
        _ = await other
        let sum = try store.read { (now) throws(StorageError) in try now.value("sum") } ?? []
        let number: Int = sum.reversed().reduce(0) { $0 << 8 | Int($1) }
        #expect(number == 400)
        store.close()
    }

    // MARK: LMDB's programs

    @Test(.enabled(if: access("/usr/bin/mdb_stat", X_OK) == 0))
    func theProgramsOfLMDBReadTheFile() throws {
        let folder = try TestFolder()
        let store = try folder.open()
        try store.write { (now) throws(StorageError) in
            for number in 0..<500 { try now.put("\(number)", Array("value \(number)".utf8), in: .rows) }
        }
        // Beside an open store, and after.
        for isOpen in [true, false] {
            if !isOpen { store.close() }
            let stat = try output("/usr/bin/mdb_stat", "-ea", folder.path)
            for table in Table.allCases { #expect(stat.contains("Status of \(table.name)\n")) }
            #expect(stat.contains("Entries: 500\n"))
            let dump = try output("/usr/bin/mdb_dump", "-ap", folder.path)
            #expect(dump.contains("database=rows\n"))
            #expect(dump.contains(" 499\n value 499\n"))
        }
        // What they write can be read.
        let copy = try TestFolder()
        _ = try output(
            "/bin/sh",
            "-c",
            "/usr/bin/mdb_dump -a '\(folder.path)' | /usr/bin/mdb_load '\(copy.path)' 2> /dev/null"
        )
        let loaded = try copy.open(StorageOptions())
        #expect(try loaded.read { (now) throws(StorageError) in try now.keys(.rows).count } == 500)
        loaded.close()
    }

    private func output(_ program: String, _ arguments: String...) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: data, as: UTF8.self)
    }
}

/// Adds 1 to a number in the store.
private func add(to store: LMDBStore) throws {
    try store.write { (now) throws(StorageError) in
        let bytes = try now.value("sum") ?? []
        let next = bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } + 1
        try now.put("sum", (0..<8).map { UInt8(truncatingIfNeeded: next >> (8 * $0)) })
    }
}

/// The exit status of a child of fork that runs `body`; 200 for an error, 201 for a signal. Swift hides `fork`.
private func inChild(_ body: () throws -> Int32) -> Int32 {
    typealias Fork = @convention(c) () -> pid_t
    guard let symbol = dlsym(nil, "fork") else { return 202 }
    let child = unsafeBitCast(symbol, to: Fork.self)()
    if child == 0 {
        // A child that waits for its parent's lock for ever is ended too.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGALRM)
        // The threads of tests block all signals.
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        alarm(20)
        _exit((try? body()) ?? 200)
    }
    var status: Int32 = 0
    guard child > 0, waitpid(child, &status, 0) == child else { return 203 }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 201
}
