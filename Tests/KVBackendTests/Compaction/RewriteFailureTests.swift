import Foundation
import StorageProtocol
import Testing

@testable import SetteeKV

/// A rewrite with failures. Each test runs in a process of its own, whose files may not grow for a while.
@Suite struct RewriteFailureTests {
    @Test func aFailedCommitEndsIt() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            var writer = RandomWriter(seed: 15)
            let bed = try RewriteFixture { store in try writer.fill(store, entries: 500) }
            _ = try bed.rewrite.step(limit: .zero)
            limitFiles(to: try bed.folder.dataSize())
            let refusal = code {
                try bed.store.write { (now) throws(StorageError) in
                    _ = try now.put("large", [UInt8](repeating: 1, count: 4 << 20))
                }
            }
            guard refusal == .full else { exit(2) }
            limitFiles(to: nil)
            guard code({ _ = try bed.rewrite.step(limit: .zero) }) == .conflict else { exit(3) }
            guard code({ try bed.rewrite.finish() }) == .conflict else { exit(4) }
            try bed.store.write { (now) throws(StorageError) in _ = try now.put("small", [1]) }
        }
    }

    /// Changes that were taken from the log and not copied would be missing.
    @Test func afterAFailureNoStepIsDone() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            var writer = RandomWriter(seed: 16)
            let bed = try RewriteFixture { store in try writer.fill(store, entries: 2000) }
            _ = try bed.rewrite.step(limit: .zero)
            try bed.store.write { (now) throws(StorageError) in _ = try now.put("0---", [1]) }
            limitFiles(to: try bed.copyFolder.dataSize())
            guard code({ try bed.complete() }) == .full else { exit(2) }
            limitFiles(to: nil)
            guard code({ _ = try bed.rewrite.step(limit: .zero) }) == .full else { exit(3) }
            guard code({ try bed.rewrite.finish() }) == .full else { exit(4) }
        }
    }
}
