internal import Foundation
internal import SetteeSQLCipher
internal import StorageProtocol
internal import Testing

/// Whether the library can be loaded: sanitizers do not allow a second library with SQLite's symbols.
let isSanitized = ProcessInfo.processInfo.environment["SETTEE_SANITIZED"] != nil

func rawKey(_ byte: UInt8) throws(StorageError) -> StorageKey {
    try unsafe StorageKey(bytes: [UInt8](repeating: byte, count: StorageKey.rawLength).span.bytes)
}

/// An encrypted store in a directory of its own, removed when the test ends.
final class CipherStore {
    static let keyByte: UInt8 = 0x5E

    let directory: String
    let key: StorageKey
    var path: String { directory + "/db.sqlite3" }

    init(key: UInt8 = CipherStore.keyByte) throws {
        self.key = try rawKey(key)
        directory = NSTemporaryDirectory() + "settee-sqlcipher-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    deinit {
        for suffix in ["", "-copy", "-plain"] { try? FileManager.default.removeItem(atPath: directory + suffix) }
    }

    func open(
        readOnly: Bool = false,
        immutable: Bool = false,
        durability: Durability = .normal
    ) throws(StorageError)
        -> any StorageEngine
    {
        var options = StorageOptions(create: !readOnly, readOnly: readOnly, durability: durability, key: key)
        options.immutable = immutable
        return try SQLCipherEngineFactory().open(directory: directory, options: options)
    }

    var files: [String: Data] {
        get throws {
            var files: [String: Data] = [:]
            for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
                files[name] = try Data(contentsOf: URL(fileURLWithPath: directory + "/" + name))
            }
            return files
        }
    }

    var fileBytes: [UInt8] {
        get throws { try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) }
    }

    /// Overwrites bytes of the file in place, as damage would.
    func overwrite(_ bytes: [UInt8], at offset: Int) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: Data(bytes))
    }
}

func name(_ number: Int) -> String { "doc-" + String(repeating: "0", count: 6 - "\(number)".count) + "\(number)" }

func body(_ number: Int, length: Int) -> [UInt8] {
    Array("{\"number\":\(number),\"text\":\"\(String(repeating: "a", count: length))\"}".utf8)
}

extension WriteTransaction {
    func insert(_ id: String, _ body: [UInt8]) throws(StorageError) {
        try insert(
            RecordDraft(
                documentID: DocumentID(id),
                flags: [],
                sequence: try counters().lastSequence + 1,
                winner: RevisionID("1-cd809becc169215072fd567eebd8b8de"),
                tree: [UInt8](repeating: 7, count: 25),
                body: .replace(body)
            )
        )
    }

    func update(_ id: String, _ body: [UInt8], keeping old: UInt64) throws(StorageError) {
        try update(
            RecordDraft(
                documentID: DocumentID(id),
                flags: [],
                sequence: try counters().lastSequence + 1,
                winner: RevisionID("2-cd809becc169215072fd567eebd8b8de"),
                tree: [UInt8](repeating: 7, count: 25),
                body: .replaceKeepingOld(body, oldSequence: old)
            )
        )
    }
}

/// What a store holds, as text; each way of reading gives its own lines.
extension ReadTransaction {
    func everything() throws(StorageError) -> [String] {
        var lines: [String] = []
        let counters = try counters()
        lines.append("\(counters.liveDocuments) \(counters.lastSequence)")
        var ids: [DocumentID] = []
        try records(in: .all, descending: false, fields: .all) { (record) throws(StorageError) in
            let id = try record.documentID()
            ids.append(id)
            lines.append("\(id.string) \(record.sequence) \(record.bodyCopy().hashValue)")
            return true
        }
        for id in ids {
            _ = try record(id, fields: .all) { (record) throws(StorageError) in
                lines.append("\(id.string) \(record.bodyCopy().hashValue)")
            }
            if let time = try expiration(of: id) { lines.append("\(id.string) \(time)") }
        }
        try records(ids: ids, fields: .body) { (place, record) throws(StorageError) in
            lines.append("\(place) \(record.bodyCopy().hashValue)")
            return true
        }
        try records(sequences: 0...UInt64.max, descending: true, fields: .all) { (record) throws(StorageError) in
            lines.append("\(record.sequence) \(record.bodyCopy().hashValue)")
            return true
        }
        try revisionBodies { (sequence, owner, json) throws(StorageError) in
            lines.append("\(sequence) \(owner.string) \(unsafe json.withUnsafeBytes { Array($0) }.hashValue)")
            return true
        }
        try hiddenEntries(sequences: 0...UInt64.max) { (sequence, id) throws(StorageError) in
            lines.append("\(sequence) \(id.string)")
            return true
        }
        try localDocuments { (id, _, json) throws(StorageError) in
            lines.append("\(id.string) \(unsafe json.withUnsafeBytes { Array($0) }.hashValue)")
            return true
        }
        try expirations(through: .max) { (time, id) throws(StorageError) in
            lines.append("\(time) \(id.string)")
            return true
        }
        for (key, value) in try allInfo() { lines.append("\(key) \(value.hashValue)") }
        for index in try indexNames() {
            try indexRows(index, in: .all, descending: false) { (row) throws(StorageError) in
                let parts =
                    row.withKey { unsafe $0.withUnsafeBytes { Array($0) } }
                    + row.withID { unsafe $0.withUnsafeBytes { Array($0) } }
                    + row.withKeyJSON { unsafe $0.withUnsafeBytes { Array($0) } }
                    + (row.withValueJSON { unsafe $0.withUnsafeBytes { Array($0) } } ?? [])
                lines.append("\(index) \(parts.hashValue) \(row.emit)")
                return true
            }
            try indexEntries(index, in: .all, descending: false) { (key, value) throws(StorageError) in
                let bytes = unsafe (key.withUnsafeBytes { Array($0) }, value.withUnsafeBytes { Array($0) })
                lines.append("\(bytes.0.hashValue) \(bytes.1.hashValue)")
                return true
            }
        }
        return lines
    }
}

extension StorageEngine {
    func problems() throws(StorageError) -> [String] {
        var problems: [String] = []
        try verify { problems.append($0.description) }
        return problems
    }

    func everything() throws(StorageError) -> [String] {
        try read { (now) throws(StorageError) in try now.everything() }
    }
}

/// The code of the error that `body` throws; nil: it throws none.
func code(_ body: () throws -> Void) -> StorageError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? StorageError)?.code
    }
}

/// Starts the probe, which is next to the tests' own program.
///
/// - Parameter prefix: a program that starts it, and that program's arguments.
func startProbe(
    _ arguments: [String],
    prefix: [String] = [],
    environment: [String: String] = [:]
) throws -> (Process, FileHandle) {
    let probe = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appendingPathComponent("SetteeSQLCipherBackendProbe").path
    let command = prefix + [probe] + arguments
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    return (process, output.fileHandleForReading)
}
