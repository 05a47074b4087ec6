internal import Foundation
internal import StorageProtocol
internal import Testing

@testable internal import SetteeSQLite

/// A full disk refuses the commit with 507, and loses nothing of what was committed before.
@Suite struct DiskFullTests {
    /// In a process of its own, whose files may not grow beyond a limit: to SQLite that is a full disk.
    @Test func theDatabaseStaysWholeAndUsable() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            let store = try TestStore()
            let engine = try store.open(StorageOptions(create: true))
            try engine.insert(0..<100)
            limitFiles(to: 2_000_000)
            var stored = 100
            var refusal: StorageError?
            while refusal == nil && stored < 100_000 {
                do throws(StorageError) {
                    try engine.insert(stored..<stored + 100)
                    stored += 100
                } catch {
                    refusal = error
                }
            }
            guard refusal?.code == .full, refusal?.status == 507 else { exit(2) }
            guard try engine.read({ (now) throws(StorageError) in try now.ids().count }) == stored else { exit(3) }
            guard try engine.problems().isEmpty else { exit(4) }
            limitFiles(to: .max)
            try engine.insert(stored..<stored + 100)
            guard try engine.statistics().openTransactions == 0 else { exit(5) }
            engine.close()
            let again = try store.open(StorageOptions())
            guard try again.read({ (now) throws(StorageError) in try now.ids().count }) == stored + 100 else { exit(6) }
            guard try again.problems().isEmpty else { exit(7) }
            again.close()
        }
    }

    /// After the refusal the transaction can only be rolled back.
    @Test func aFailedTransactionIsDoomed() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            let store = try TestStore()
            let engine = try store.open()
            try engine.insert(0..<10)
            limitFiles(to: 300_000)
            let transaction = try engine.beginWrite()
            // More than the cache holds, so that pages go to the log before the commit.
            let large = [UInt8](repeating: 0x61, count: 1_000_000)
            var refusal: StorageError.Code?
            for number in 0..<60 where refusal == nil {
                refusal = code { try transaction.insert("large-\(number)", large) }
            }
            guard refusal == .full else { exit(2) }
            guard code({ try transaction.insert("another", [123, 125]) }) == .full else { exit(3) }
            guard code({ _ = try transaction.counters() }) == .full else { exit(4) }
            guard code({ try transaction.commit() }) == .full else { exit(5) }
            transaction.rollback()
            limitFiles(to: .max)
            guard try engine.read({ (now) throws(StorageError) in try now.ids().count }) == 10 else { exit(6) }
            try engine.insert(10..<20)
            guard try engine.problems().isEmpty else { exit(7) }
            engine.close()
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
