internal import Foundation
internal import Settee
internal import SetteeSystemLibrary

/// Handles the case that LMDB ends the process, as it does for inconsistent pages: writes a message, and sets the mark
/// that makes the next open check all pages. A fault of this program looks the same, so the message only says what is
/// likely.
@safe
enum FaultSignals {
    /// The message that the handler writes. Set before the handler is installed, and never freed.
    nonisolated(unsafe) private static var line: UnsafeMutableBufferPointer<UInt8>?
    nonisolated(unsafe) private static var mark: UnsafeMutablePointer<CChar>?

    /// If `database` is an LMDB database, from now on SIGSEGV, SIGBUS and SIGABRT end the program with a message and
    /// status 1.
    static func report(for database: String, asJSON: Bool) {
        guard unsafe line == nil, let data = dataDirectory(of: database) else { return }
        let error = StorageError(
            .corrupt,
            "Reading '\(database)' ended in a fault of the program or of the LMDB library, most likely since the data "
                + "file is "
                + "damaged. Run `settee check` to list the damage, and restore from a copy or an export."
        )
        let bytes = Failure.line(error, asJSON: asJSON)
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        unsafe _ = memory.initialize(from: bytes)
        unsafe line = unsafe memory
        unsafe mark = strdup(data + "/suspect")
        for number in [SIGSEGV, SIGBUS, SIGABRT] { signal(number, handler) }
    }

    /// Calls only functions that a signal handler may call.
    private static let handler: @convention(c) (Int32) -> Void = { _ in
        if let line = unsafe FaultSignals.line { unsafe _ = write(STDERR_FILENO, line.baseAddress, line.count) }
        if let mark = unsafe FaultSignals.mark {
            let file = unsafe open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
            if file >= 0 { _ = fsync(file) }
        }
        _exit(1)
    }

    /// Returns the newest data folder of a database that has a `data.mdb`.
    private static func dataDirectory(of database: String) -> String? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: database)) ?? []
        return names.filter { $0.hasPrefix("data-") }.sorted().reversed().lazy
            .map { database + "/" + $0 }
            .first { unsafe access($0 + "/data.mdb", F_OK) == 0 }
    }
}
