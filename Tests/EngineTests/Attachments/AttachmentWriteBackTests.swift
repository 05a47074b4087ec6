#if os(Linux)
import Foundation
import SetteeProgramSupport
import SetteeTestSupport
import Settee
import Testing

/// A long content is on its way to the disk while it is written. A failure of that may be told only once, so that the
/// sync at the end need not know of it.
@Suite struct AttachmentWriteBackTests {
    private static let strace = ["/usr/bin/strace", "/usr/local/bin/strace"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test(.enabled(if: strace != nil), arguments: ["ENOSPC", "EIO", "ENOSYS"])
    func aFailureIsTold(_ failure: String) throws {
        try withDatabase(.sqlite) { (bed) throws in
            let path = try #require(bed.database.path)
            let folder = try TemporaryFolder()
            let file = folder.url.appending(path: "content")
            try Data(repeating: 7, count: 20 << 20).write(to: file)
            let call = "?sync_file_range,?sync_file_range2"
            let outcome = try Child(
                program: URL(filePath: try #require(Self.strace)),
                [
                    "-f", "-o", folder.url.appending(path: "calls").path, "-e", "trace=" + call,
                    "-e", "inject=\(call):error=\(failure)", Program.required().path,
                    "attach", path, "doc", "x", file.path,
                ],
                input: [],
                environment: [:]
            ).wait()
            let calls = try String(contentsOf: folder.url.appending(path: "calls"), encoding: .utf8)
            #expect(calls.contains("(INJECTED)"))
            // A system without the call has the sync at the end.
            let isRefused = failure != "ENOSYS"
            #expect(outcome.status == (isRefused ? 1 : 0), "\(outcome.errors)")
            #expect(try bed.database["doc"].exists != isRefused)
            let left = try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.contains("staging") }
            #expect(left.isEmpty)
        }
    }
}
#endif
