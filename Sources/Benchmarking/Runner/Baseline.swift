internal import Foundation
internal import Settee

/// The programs in plain C that do the same work on the same documents, as bytes (`make baseline` builds them).
struct Baseline {
    /// The folder that they are in.
    let folder: URL

    /// What one of them measured.
    struct Result: Decodable {
        var workload: String
        var documents: Int
        var opsPerSecond: Double
        var cpuSeconds: Double

        var cpuMicroseconds: Double { max(cpuSeconds, 1e-6) * 1e6 / Double(max(documents, 1)) }
    }

    /// How a program is started.
    struct Call {
        var program: String
        var workload: String
        /// What the result file calls it.
        var name: String
        var options: [String] = []
    }

    /// Returns the program that a workload on an engine is compared with; nil if there is none.
    func call(for workload: Workload, on type: StorageType, _ places: IndexedPlaces) -> Call? {
        let call: Call
        switch workload.baseline {
        case .library(let name, _):
            // Engines without a program of their own are compared with SQLite.
            call =
                switch type {
                case .lmdb: Call(program: "baseline-lmdb", workload: name, name: "plain C on LMDB")
                case .rocksdb where name.hasPrefix("insert-"):
                    Call(program: "baseline-rocksdb", workload: name, name: "plain C on RocksDB")
                // SQLCipher's own library has no json_extract.
                case .sqlcipher where name.hasPrefix("view-"):
                    Call(program: "baseline-sqlite", workload: name, name: "plain C on SQLite")
                case .sqlcipher: Call(program: "baseline-sqlcipher", workload: name, name: "plain C on SQLCipher")
                default: Call(program: "baseline-sqlite", workload: name, name: "plain C on SQLite")
                }
        case .sqlite(let name, _):
            // The index of the program is on `/score`.
            guard places.number == "/score", places.text != nil || !name.hasSuffix("string") else { return nil }
            call = Call(program: "baseline-sqlite", workload: name, name: "an index of SQLite on json_extract")
        case .files(let name, let bytes):
            call = Call(
                program: "baseline-files",
                workload: name,
                name: "plain files",
                options: ["--attachment-size", "\(bytes)"]
            )
        case .workload, nil:
            return nil
        }
        return FileManager.default.isExecutableFile(atPath: folder.appending(path: call.program).path) ? call : nil
    }

    /// Runs a program and returns what it measured; nil if it does not know the workload.
    func run(_ call: Call, _ arguments: [String], in place: URL) throws -> Result? {
        let process = Process()
        process.executableURL = folder.appending(path: call.program)
        let name = call.options.isEmpty ? "baseline.db" : "baseline-files"
        process.arguments =
            ["--db", place.appending(path: name).path, "--workload", call.workload] + arguments + call.options
        let (output, messages) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = messages
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        let complaint = String(decoding: messages.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        if process.terminationStatus == 2, complaint.hasPrefix("no workload") { return nil }
        guard process.terminationStatus == 0 else {
            throw StorageError(
                .unexpected,
                "\(call.program) ended with status \(process.terminationStatus) at \(call.workload): \(complaint)"
            )
        }
        // Of several workloads the last one is what is asked for.
        guard let line = bytes.split(separator: UInt8(ascii: "\n")).last else { return nil }
        return try JSONDecoder().decode(Result.self, from: line)
    }
}
