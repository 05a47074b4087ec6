import SetteeStorageFiles
import SetteeSystemLibrary
import StorageProtocol

enum Probe {
    static func run(_ command: String, _ path: String, _ arguments: [String]) throws(StorageError) {
        switch command {
        case "create": try create(path)
        case "open": try DatabaseFolder.open(at: path).close()
        case "switch": try switchGeneration(path, .keep)
        case "switch-blobs": try switchGeneration(path, .link)
        case "replace": try switchGeneration(path, .build)
        case "publish": try publish(path)
        case "destroy": try DatabaseFolder.destroy(at: path)
        case "read-only": try readOnly(path)
        case "hold": try hold(path, readOnly: arguments.first == "read-only")
        case "hold-as": try holdAs(path, arguments)
        case "hold-writer": try holdWriter(path)
        case "hold-snapshot": try holdSnapshot(path, arguments)
        case "hold-staging": try holdStaging(path)
        case "write-loop": try writeLoop(path, arguments)
        case "measure": try measure(path)
        default: throw StorageError(.badRequest, "Unknown command '\(command)'.")
        }
    }

    static func writeFile(_ path: String, _ text: String) throws(StorageError) {
        let fd = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o666)
        let bytes = Array(text.utf8)
        defer { close(fd) }
        let written = unsafe bytes.withUnsafeBytes { unsafe write(fd, $0.baseAddress, $0.count) }
        guard fd >= 0, written == bytes.count, fsync(fd) == 0 else {
            throw StorageError(errno == ENOSPC ? .full : .fileSystem, "Cannot write '\(path)'.")
        }
    }

    private static func create(_ path: String) throws(StorageError) {
        try DatabaseFolder.create(at: path, members: ManifestMembers(storageType: .sqlite)) {
            (data) throws(StorageError) in
            try writeFile(data + "/db", "generation 1")
        }
    }

    private static func switchGeneration(
        _ path: String,
        _ blobs: DatabaseFolder.BlobChange
    ) throws(StorageError) {
        let folder = try DatabaseFolder.open(at: path)
        let build = { (data: String) throws(StorageError) in
            try writeFile(data + "/db", "generation \(folder.manifest.dataGeneration + 1)")
        }
        let retired: RetiredGeneration
        do {
            retired = try folder.switchGeneration(
                blobs: blobs,
                build: build,
                buildBlobs: { (directory) throws(StorageError) in try bringBlobs(to: directory, folder) }
            )
        } catch {
            // A refusal leaves a folder that can be written and switched.
            say("error \(error.status) \(error.code): \(error.message)")
            if error.code != .storage {
                try folder.withWriterLock { () throws(StorageError) in }
            }
            folder.close()
            throw error
        }
        try retired.delete()
        folder.close()
    }

    /// Copies every blob, as a prebuilt database's are.
    private static func bringBlobs(to directory: String, _ folder: DatabaseFolder) throws(StorageError) {
        let store = try folder.makeBlobStore()
        var blobs = BlobImport(from: store, to: directory, mayLink: false)
        try store.names { (name) throws(StorageError) in
            try blobs.bring(name)
            return true
        }
        try blobs.sync()
    }

    private static func publish(_ path: String) throws(StorageError) {
        let folder = try DatabaseFolder.open(at: path)
        defer { folder.close() }
        let writer = try folder.makeBlobStore().makeWriter()
        try unsafe writer.append(Array("a blob from another process".utf8).span.bytes)
        let content = try writer.finish()
        try folder.withWriterLock { () throws(StorageError) in try writer.publish() }
        say("published \(content.storageName)")
    }

    private static func readOnly(_ path: String) throws(StorageError) {
        let folder = try DatabaseFolder.open(
            at: path,
            readOnly: true,
            timeout: .milliseconds(50),
            pendingLog: { (data) throws(StorageError) in
                let hasIndex = unsafe access(data + "/db-shm", F_OK) == 0
                var facts = stat()
                let isEmpty = unsafe stat(data + "/db-wal", &facts) != 0 || facts.st_size == 0
                return hasIndex ? (isEmpty ? .empty : .readable) : (isEmpty ? .none : .unreadable)
            }
        )
        say("\(folder.access)")
        folder.close()
    }

    private static func hold(_ path: String, readOnly: Bool) throws(StorageError) {
        let folder = try DatabaseFolder.open(at: path, readOnly: readOnly, timeout: .milliseconds(50))
        say("open \(folder.access)")
        waitForEnd()
        folder.close()
    }

    /// As a type with the sharing of the first argument; with a second argument, read-only.
    private static func holdAs(_ path: String, _ arguments: [String]) throws(StorageError) {
        let folder = try DatabaseFolder.open(
            at: path,
            readOnly: arguments.count > 1,
            writerPatience: .milliseconds(50),
            authorize: { (_, _) throws(StorageError) in StorageSharing(rawValue: arguments.first ?? "") }
        )
        say("open \(folder.access)")
        waitForEnd()
        folder.close()
    }

    private static func holdWriter(_ path: String) throws(StorageError) {
        let folder = try DatabaseFolder.open(at: path)
        try folder.lockWriter()
        say("locked \(getpid())")
        waitForEnd()
        folder.unlockWriter()
        folder.close()
    }

    private static func holdSnapshot(_ path: String, _ arguments: [String]) throws(StorageError) {
        let folder = try DatabaseFolder.open(at: path)
        let token = folder.beginSnapshot(changeCounter: arguments.first.flatMap { UInt64($0) } ?? 0)
        say("snapshot")
        waitForEnd()
        folder.endSnapshot(token)
        folder.close()
    }

    /// Stops in the middle of creating a database.
    private static func holdStaging(_ path: String) throws(StorageError) {
        try DatabaseFolder.create(at: path, members: ManifestMembers(storageType: .sqlite)) {
            (_) throws(StorageError) in
            say("staging")
            waitForEnd()
        }
    }

    /// Adds to a number in a file, under the writer lock, for a number of milliseconds; prints how many times it did.
    private static func writeLoop(_ path: String, _ arguments: [String]) throws(StorageError) {
        let folder = try DatabaseFolder.open(at: path)
        defer { folder.close() }
        say("open \(folder.access)")
        waitForEnd()
        let end = ContinuousClock.now + .milliseconds(arguments.first.flatMap { Int($0) } ?? 100)
        var turns = 0
        while ContinuousClock.now < end {
            try folder.withWriterLock { () throws(StorageError) in
                try addOne(folder.dataDirectory + "/counter")
            }
            turns += 1
        }
        say("turns \(turns)")
    }

    /// Loses counts unless only one process at a time does this.
    private static func addOne(_ path: String) throws(StorageError) {
        let fd = unsafe open(path, O_RDWR | O_CREAT, 0o666)
        guard fd >= 0 else { throw StorageError(.fileSystem, "Cannot open '\(path)'.") }
        defer { close(fd) }
        var count: UInt64 = 0
        unsafe withUnsafeMutableBytes(of: &count) { bytes in
            _ = unsafe pread(fd, bytes.baseAddress, bytes.count, 0)
        }
        count += 1
        unsafe withUnsafeBytes(of: &count) { bytes in _ = unsafe pwrite(fd, bytes.baseAddress, bytes.count, 0) }
    }

    /// The cost of the calls that every write and read makes.
    private static func measure(_ path: String) throws(StorageError) {
        let folder = try DatabaseFolder.open(at: path)
        defer { folder.close() }
        let rounds = 1_000_000
        // Processor time, since other processes may keep the machine busy. `clock` counts microseconds.
        let start = clock()
        for _ in 0..<rounds {
            try folder.lockWriter()
            folder.unlockWriter()
        }
        let locking = clock() - start
        for counter in 0..<UInt64(rounds) { folder.endSnapshot(folder.beginSnapshot(changeCounter: counter)) }
        let reading = clock() - start - locking
        say("nanoseconds: lockWriter + unlockWriter \(locking / 1_000), beginSnapshot + endSnapshot \(reading / 1_000)")
    }
}
