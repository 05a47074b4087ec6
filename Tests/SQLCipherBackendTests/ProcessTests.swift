internal import Foundation
internal import SetteeSQLCipher
internal import SetteeSQLite
internal import StorageProtocol
internal import Testing

/// Other processes: ones that are killed, load another library or none, or are traced.
@Suite(.disabled(if: isSanitized, "a sanitizer lets no second SQLite in"))
struct ProcessTests {
    static let strace = ["/usr/bin/strace", "/usr/local/bin/strace"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Early, and after the log has been moved into the file several times.
    @Test(arguments: [3, 40, 150, 300])
    func whatWasAcknowledgedOutlivesAKill(commits: Int) throws {
        let store = try CipherStore()
        let (process, output) = try startProbe(["write", store.directory])
        var said = Data()
        while said.split(separator: UInt8(ascii: "\n")).count < commits {
            let more = output.availableData
            if more.isEmpty { break }
            said += more
        }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        said += try output.readToEnd() ?? Data()
        let numbers = String(decoding: said, as: UTF8.self).split(separator: "\n").compactMap { Int($0) }
        let acknowledged = numbers.max() ?? 0
        #expect(acknowledged >= commits * 10)
        let engine = try store.open()
        let count = try engine.read { (now) throws(StorageError) in try now.counters().liveDocuments }
        #expect(count >= UInt64(acknowledged) && count % 10 == 0)
        #expect(try engine.problems() == [])
        _ = try engine.everything()
        engine.close()
    }

    /// A library that cannot be loaded is named with its package, and the other engines continue to work.
    @Test(arguments: ["broken", "plain"])
    func anotherLibraryIsRefused(kind: String) throws {
        let store = try CipherStore()
        let folder = try CipherStore()
        for name in ["libsqlcipher.so.0", "libsqlcipher.so.1", "libsqlcipher.so"] {
            let path = folder.directory + "/" + name
            if kind == "broken" {
                try Data("no library".utf8).write(to: URL(fileURLWithPath: path))
            } else {
                let linked = try #require(try pathOfLinkedLibrary())
                try FileManager.default.copyItem(atPath: linked, toPath: path)
            }
        }
        let (process, output) = try startProbe(
            ["open", store.directory],
            environment: ["LD_LIBRARY_PATH": folder.directory]
        )
        let said = String(decoding: try output.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n")
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(said.first?.hasPrefix("501 ") == true && said.first?.contains("libsqlcipher0") == true, "\(said)")
        #expect(said.last == "plain")
        #expect(try store.files.isEmpty)
    }

    /// The system has none: every search for it finds nothing.
    @Test(.enabled(if: strace != nil, "needs strace"))
    func aMissingLibraryIsNamed() throws {
        let store = try CipherStore()
        let folders = ["/lib", "/usr/lib"].flatMap { base in
            ["", "/x86_64-linux-gnu", "/aarch64-linux-gnu", "64"].map { base + $0 }
        }
        let paths = folders.flatMap { folder in
            ["libsqlcipher.so.0", "libsqlcipher.so.1", "libsqlcipher.so"].flatMap { ["-P", "\(folder)/\($0)"] }
        }
        let (process, output) = try startProbe(
            ["open", store.directory],
            prefix: [
                try #require(Self.strace), "-f", "-o", "/dev/null", "-e", "trace=openat", "-e",
                "inject=openat:error=ENOENT",
            ] + paths
        )
        let said = String(decoding: try output.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n")
        process.waitUntilExit()
        #expect(said.first?.hasPrefix("501 ") == true && said.first?.contains("libsqlcipher0") == true, "\(said)")
        #expect(said.last == "plain")
        #expect(try store.files.isEmpty)
    }

    private func pathOfLinkedLibrary() throws -> String? {
        // Files in /proc report no length.
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
        let maps = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        let line = maps.split(separator: "\n").first { $0.contains("/libsqlite3.so") }
        return line?.split(separator: " ").last.map(String.init)
    }

    /// What a transaction cannot keep in memory goes to the log, which is encrypted, and nowhere else.
    @Test(.enabled(if: strace != nil, "needs strace"))
    func nothingIsPutIntoOtherFiles() throws {
        let store = try CipherStore()
        let log = NSTemporaryDirectory() + "settee-spill-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: log) }
        let (process, output) = try startProbe(
            ["spill", store.directory],
            prefix: [
                try #require(Self.strace), "-f", "-y", "-o", log, "-e", "trace=?open,openat,?creat,?memfd_create",
            ]
        )
        let said = String(decoding: try output.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(said == "open\n")
        let made = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").filter {
            $0.contains("O_CREAT") || $0.contains("creat(") || $0.contains("O_TMPFILE")
        }
        #expect(!made.isEmpty)
        #expect(made.filter { !$0.contains(store.directory) } == [])
        for folder in [store.directory, store.directory + "-copy"] {
            for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let content = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + file))
                #expect(content.range(of: Data("MarkerOfThisTest".utf8)) == nil, "\(file)")
                #expect(content.range(of: Data("document-".utf8)) == nil, "\(file)")
            }
        }
    }

    /// Two libraries that export the same symbols work side by side, each on its own files.
    @Test func bothLibrariesWorkInterleaved() throws {
        let (plain, encrypted) = (try CipherStore(), try CipherStore())
        let engines = [
            try SQLiteEngineFactory().open(
                directory: plain.directory,
                options: StorageOptions(create: true, durability: .normal)
            ),
            try encrypted.open(),
        ]
        let failures = Locked<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 6) { worker in
            do throws(StorageError) {
                for number in 0..<60 {
                    let engine = engines[(worker + number) % 2]
                    try engine.write { (tx) throws(StorageError) in
                        try tx.insert("\(worker)-\(number)", body(number, length: number * 150))
                    }
                    for engine in engines {
                        try engine.read { (now) throws(StorageError) in
                            _ = try now.record(DocumentID("\(worker)-\(number)"), fields: .all) {
                                (_) throws(StorageError) in
                            }
                        }
                    }
                    if number % 20 == 19 { try engine.checkpoint() }
                }
            } catch {
                failures.withLock { $0.append(error.message) }
            }
        }
        #expect(failures.withLock { $0 } == [])
        for engine in engines {
            let count = try engine.read { (now) throws(StorageError) in try now.counters().liveDocuments }
            #expect(count == 180)
            #expect(try engine.problems() == [])
            engine.close()
        }
        #expect(try plain.fileBytes.starts(with: "SQLite format 3\0".utf8))
        #expect(try !encrypted.fileBytes.starts(with: "SQLite format 3\0".utf8))
    }
}

/// A full disk refuses the commit with 507, and loses nothing of what was committed before.
@Suite(.disabled(if: isSanitized, "a sanitizer lets no second SQLite in"))
struct FullDiskTests {
    /// In a process of its own, whose files may not grow beyond a limit: to SQLite that is a full disk.
    @Test func theStoreStaysWholeAndUsable() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            let store = try CipherStore()
            let engine = try store.open()
            limitFiles(to: 1_000_000)
            var stored = 0
            var refusal: StorageError.Code?
            while refusal == nil && stored < 10_000 {
                refusal = code {
                    try engine.write { (tx) throws(StorageError) in
                        for number in stored..<stored + 10 { try tx.insert(name(number), body(number, length: 2_000)) }
                    }
                }
                if refusal == nil { stored += 10 }
            }
            guard refusal == .full, stored > 50 else { exit(2) }
            guard try engine.everything().first == "\(stored) \(stored)" else { exit(3) }
            guard try engine.problems() == [] else { exit(4) }
            limitFiles(to: .max)
            try engine.write { (tx) throws(StorageError) in try tx.insert("more", body(1, length: 10)) }
            engine.close()
            let again = try store.open()
            guard try again.everything().first == "\(stored + 1) \(stored + 1)" else { exit(5) }
            again.close()
        }
    }
}

private func limitFiles(to bytes: Int) {
    var limit = rlimit()
    #if canImport(Glibc)
    let which = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
    let which = RLIMIT_FSIZE
    #endif
    unsafe _ = getrlimit(which, &limit)
    limit.rlim_cur = bytes == .max ? limit.rlim_max : rlim_t(bytes)
    unsafe _ = setrlimit(which, &limit)
}
