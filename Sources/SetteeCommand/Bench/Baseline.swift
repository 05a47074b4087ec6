internal import Foundation
internal import Settee

/// A plain-C program that does the same work on the same documents, as bytes, with the library of one engine
/// (`make bench` builds these programs).
struct Baseline {
    private let program: URL
    /// The workloads that it cannot do.
    private let missing: Set<Workload>

    /// Finds the program for an engine in the folder named by SETTEE_BASELINE; nil if there is none. Engines without a
    /// program of their own are compared with SQLite.
    init?(for type: StorageType, environment: [String: String]) {
        guard let folder = environment["SETTEE_BASELINE"], !folder.isEmpty else { return nil }
        let name =
            switch type {
            case .lmdb: "baseline-lmdb"
            case .sqlcipher: "baseline-sqlcipher"
            default: "baseline-sqlite"
            }
        program = URL(filePath: folder).appending(path: name)
        missing = type == .lmdb ? [.compact] : [.rewrite]
        guard FileManager.default.isExecutableFile(atPath: program.path) else { return nil }
    }

    /// Returns whether the program can do `workload`.
    func does(_ workload: Workload) -> Bool { workload.hasBaseline && !missing.contains(workload.baseline) }

    private struct Result: Decodable {
        var workload: String
        var documents: Int
        var opsPerSecond: Double
        var cpuSeconds: Double
    }

    /// Runs `workload` and returns its measurement.
    func run(
        _ workload: Workload,
        data: URL,
        documents: Int,
        durability: Durability,
        randomIDs: Bool,
        in folder: URL
    ) throws -> Measurement {
        let process = Process()
        process.executableURL = program
        process.arguments = [
            "--db", folder.appending(path: "baseline.db").path, "--data", data.path, "--workload",
            workload.baseline.rawValue,
            "--docs", "\(documents)", "--durability", durability == .full ? "FULL" : "NORMAL",
            "--ids", randomIDs ? "random" : "ordered",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw StorageError(.unexpected, "The plain-C program ended with status \(process.terminationStatus).")
        }
        let result = try JSONDecoder().decode(Result.self, from: bytes)
        return Measurement(
            opsPerSecond: result.opsPerSecond,
            opsPerCPUSecond: Double(result.documents) / max(result.cpuSeconds, 1e-6)
        )
    }
}
