internal import Foundation
internal import Settee
internal import SetteeSystemLibrary

/// What is left to do where LMDB ends the process, as it does on pages that contradict themselves: a line about it
/// instead of none, and the mark that makes the next open go over all pages. A fault of this program looks the same, so
/// the line says what may be.
@safe
enum FaultSignals {
    /// Written by the handler; set before there is one, and never freed.
    nonisolated(unsafe) private static var line: UnsafeMutableBufferPointer<UInt8>?
    nonisolated(unsafe) private static var mark: UnsafeMutablePointer<CChar>?

    /// From now on SIGSEGV, SIGBUS and SIGABRT end the program with a message and status 1, where `database` is an LMDB
    /// database.
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

    /// Calls nothing but what a handler may call.
    private static let handler: @convention(c) (Int32) -> Void = { _ in
        if let line = unsafe FaultSignals.line { unsafe _ = write(STDERR_FILENO, line.baseAddress, line.count) }
        if let mark = unsafe FaultSignals.mark {
            let file = unsafe open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
            if file >= 0 { _ = fsync(file) }
        }
        _exit(1)
    }

    /// The folder of the newest `data.mdb` in a database's folder.
    private static func dataDirectory(of database: String) -> String? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: database)) ?? []
        return names.filter { $0.hasPrefix("data-") }.sorted().reversed().lazy
            .map { database + "/" + $0 }
            .first { unsafe access($0 + "/data.mdb", F_OK) == 0 }
    }
}
