internal import Foundation
internal import Settee

/// The plain-C program that does the same work on the same documents as bytes, where it was built (`make bench`).
struct Baseline {
    let program: URL

    /// The program that SETTEE_BASELINE names, nil where it names none.
    init?(environment: [String: String]) {
        guard let path = environment["SETTEE_BASELINE"], FileManager.default.isExecutableFile(atPath: path) else {
            return nil
        }
        program = URL(filePath: path)
    }

    private struct Result: Decodable {
        var workload: String
        var documents: Int
        var opsPerSecond: Double
        var cpuSeconds: Double
    }

    /// Runs `workload` and says what it took.
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
            "--db", folder.appending(path: "baseline.sqlite3").path, "--data", data.path, "--workload",
            workload.rawValue,
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
