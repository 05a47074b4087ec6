import Foundation
import Testing

/// The probe's file system calls, one after another, as strace sees them: so that each can be made the last one, or
/// made to fail.
struct SystemCall: CustomStringConvertible {
    var name: String
    /// The number of the call among those of this name since the start of the process: strace counts each name
    /// separately.
    var ordinal: Int
    var description: String { "\(name) #\(ordinal)" }

    private static let names =
        "?mkdir,?mkdirat,?rename,?renameat,?renameat2,?unlink,?unlinkat,?rmdir,?link,?linkat,write,pwrite64,fsync,"
        + "?fdatasync,?ftruncate,flock,openat"
    private static let marker = "/settee-probe-begins"

    /// The calls of an untouched run, after the process has started and before it reports.
    static func record(_ arguments: [String]) throws -> [SystemCall] {
        let log = FileManager.default.temporaryDirectory.appendingPathComponent("settee-trace-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: log) }
        let strace = try #require(ProbeProcess.strace)
        let traced = names + ",?access,?faccessat,?faccessat2"
        let outcome = try ProbeProcess.run(arguments, prefix: [strace, "-f", "-o", log.path, "-e", "trace=" + traced])
        try #require(outcome.status == 0, "\(arguments): \(outcome.output)")
        var counts: [String: Int] = [:]
        var calls: [SystemCall] = []
        var hasBegun = false
        for line in try text(of: log.path).split(separator: "\n") {
            let call = line.drop { $0.isNumber || $0 == " " }
            guard let end = call.firstIndex(of: "(") else { continue }
            let name = String(call[..<end])
            if call.contains(marker) { hasBegun = true }
            counts[name, default: 0] += 1
            let isTraced = !name.hasSuffix("access") && !name.hasPrefix("faccessat")
            // What it prints for the tests is not file access.
            if hasBegun, isTraced, !call.hasPrefix("write(1,") {
                calls.append(SystemCall(name: name, ordinal: counts[name] ?? 0))
            }
        }
        return calls
    }

    /// Runs the probe and ends it by SIGKILL as it enters this call.
    func kill(_ arguments: [String]) throws -> ProbeProcess.Outcome {
        try run(arguments, "signal=SIGKILL")
    }

    /// Runs the probe with this call failing because the disk is full.
    func fail(_ arguments: [String]) throws -> ProbeProcess.Outcome {
        try run(arguments, "error=" + (name == "flock" ? "ENOLCK" : "ENOSPC"))
    }

    private func run(_ arguments: [String], _ effect: String) throws -> ProbeProcess.Outcome {
        let strace = try #require(ProbeProcess.strace)
        return try ProbeProcess.run(
            arguments,
            prefix: [
                strace, "-f", "-o", "/dev/null", "-e", "trace=" + name, "-e",
                "inject=\(name):\(effect):when=\(ordinal)",
            ]
        )
    }

    /// All of them in the long form; otherwise a few at even distances, from a start that differs between runs of a
    /// case.
    static func sample(_ calls: [SystemCall], _ count: Int) -> [SystemCall] {
        guard !isStress, calls.count > count else { return calls }
        return (0..<count).map { calls[$0 * (calls.count - 1) / (count - 1)] }
    }
}
