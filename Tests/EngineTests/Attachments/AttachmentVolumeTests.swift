import Foundation
import Settee
import SetteeProgramSupport
import SetteeTestSupport
import Testing

/// Many contents: slow, so only where SETTEE_STRESS asks for it.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil))
struct AttachmentVolumeTests {
    @Test func aHundredThousandContentsAreCollectedWithFlatMemory() throws {
        let bed = try TestDatabase(.sqlite)
        let path = try #require(bed.database.path)
        let count = 100_000
        try inBatches(bed.database, of: count) { number in
            let content = Data(noise(1024, seed: UInt64(number) + 1)).base64EncodedString()
            let entry: JSONObject = ["data": .string(content)]
            try bed.database["d\(number)"].put(["_attachments": .object(["x": .object(entry)])])
        }
        try inBatches(bed.database, of: count) { number in try bed.database["d\(number)"].purge() }
        try bed.manager.close()

        let start = ContinuousClock.now
        let child = try Child(["compact", path, "--json"], input: [])
        var megabytes = 0
        while child.isRunning {
            megabytes = max(megabytes, mostMegabytes(of: child.identifier) ?? 0)
            Thread.sleep(forTimeInterval: 0.02)
        }
        let outcome = try child.wait()
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        #expect(try JSONValue(parsing: outcome.text)["blobsRemoved"]?.intValue == Int64(count), "\(outcome.errors)")
        print("\(count) contents collected in \(seconds) s, with at most \(megabytes) MB")
        #expect(megabytes < 60)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/blobs-000001/trash").isEmpty)
    }

    /// The peak memory of a process; nil if it is gone, or the system does not report it. What `getrusage` reports for
    /// children includes the memory that they shared with this process before their program began.
    private func mostMegabytes(of process: Int32) -> Int? {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let kilobytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return kilobytes >> 10
    }

    private func inBatches(_ database: Database, of count: Int, _ body: (Int) throws -> Void) throws {
        for first in stride(from: 0, to: count, by: 1000) {
            try database.inTransaction { for number in first..<first + 1000 { try body(number) } }
        }
    }
}
