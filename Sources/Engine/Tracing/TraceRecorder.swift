internal import Crypto
internal import Dispatch
internal import Foundation
internal import SetteeStorageFiles
internal import SetteeSystemLibrary
internal import StorageProtocol

/// Writes the trace of a manager: a line for each operation of its databases (docs/reference/traces.md).
///
/// Nothing that it meets makes an operation of a database fail: when the file cannot be written any more, this is
/// logged once, and the trace ends there.
package final class TraceRecorder: Sendable {
    /// The number of the format, in the first line.
    static let format = 1
    /// How many bytes are gathered before they are written.
    private static let bufferSize = 1 << 16

    private struct State {
        /// Nil once the trace has ended.
        var descriptor: Int32?
        var buffer: [UInt8] = []
        var lastNumber = 0
        /// The numbers of databases in folders, by their UUIDs.
        var numbers: [String: Int] = [:]
    }

    private let state: Locked<State>
    /// Made for this trace and written nowhere, so that guessed IDs cannot be checked against it.
    private let key = SymmetricKey(size: .bits256)
    /// When the trace began, in nanoseconds of the monotonic clock.
    let beginning = TraceRecorder.now
    /// The same in milliseconds since 1970.
    let beginningDate = ExpiryTime.now

    /// Creates the file.
    ///
    /// - Throws: `badParameter` (495) if it is not a file URL, `exists` (412) if something is there already, a link
    ///   too, `fileSystem` (498), `full` (507).
    convenience init(creating url: URL) throws(StorageError) {
        guard url.isFileURL else { throw StorageError(.badParameter, "The file of a trace must be a file URL.") }
        let path = url.path
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let number = errno
            guard number != EEXIST else {
                throw StorageError(.exists, "There is something at '\(path)' already. Give a trace a new file.")
            }
            let reason = unsafe String(cString: strerror(number))
            throw StorageError(
                number == ENOSPC || number == EDQUOT ? .full : .fileSystem,
                "The trace '\(path)' could not be created: \(reason)."
            )
        }
        // Whatever the umask is.
        fchmod(descriptor, 0o600)
        self.init(descriptor: descriptor)
    }

    /// Writes to an open file, which it closes.
    package init(descriptor: Int32) {
        state = Locked(State(descriptor: descriptor))
        var line = TraceLine()
        line.number("format", TraceRecorder.format)
        line.text("began", Date(timeIntervalSince1970: Double(beginningDate / 1000)).ISO8601Format())
        // Hashes of traces with different salts cannot be compared.
        line.text("salt", String(UInt64.random(in: .min ... .max), radix: 16))
        write(line)
    }

    deinit { close() }

    /// In nanoseconds, from a beginning of its own.
    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// Returns the number of a database.
    ///
    /// - Parameter uuid: nil for one in memory, which is another one each time.
    func number(of uuid: String?) -> Int {
        state.withLock { state in
            if let uuid, let known = state.numbers[uuid] { return known }
            state.lastNumber += 1
            if let uuid { state.numbers[uuid] = state.lastNumber }
            return state.lastNumber
        }
    }

    /// Adds a line.
    func write(_ line: TraceLine) {
        let failure = state.withLock { state -> Int32? in
            guard state.descriptor != nil else { return nil }
            state.buffer += line.bytes
            state.buffer += [0x7D, 0x0A]
            return state.buffer.count < TraceRecorder.bufferSize ? nil : TraceRecorder.flush(&state)
        }
        if let failure { TraceRecorder.tell(failure) }
    }

    /// Writes what was gathered.
    package func flush() {
        if let failure = state.withLock({ TraceRecorder.flush(&$0) }) { TraceRecorder.tell(failure) }
    }

    /// Ends the trace.
    func close() {
        let failure = state.withLock { state -> Int32? in
            let failure = TraceRecorder.flush(&state)
            if let descriptor = state.descriptor.take() { _ = systemClose(descriptor) }
            return failure
        }
        if let failure { TraceRecorder.tell(failure) }
    }

    /// - Returns: why the trace had to end; nil if it need not.
    private static func flush(_ state: inout State) -> Int32? {
        guard let descriptor = state.descriptor, !state.buffer.isEmpty else { return nil }
        var written = 0
        while written < state.buffer.count {
            let place = written
            let count = unsafe state.buffer.withUnsafeBytes { buffer in
                unsafe systemWrite(descriptor, buffer.baseAddress.map { unsafe $0 + place }, buffer.count - place)
            }
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                let number = errno
                state.descriptor = nil
                state.buffer = []
                _ = systemClose(descriptor)
                return number
            }
        }
        state.buffer.removeAll(keepingCapacity: true)
        return nil
    }

    private static func tell(_ number: Int32) {
        let reason = unsafe String(cString: strerror(number))
        Log.log(.error, .storage, "the trace could not be written and ends: \(reason)")
    }

    // MARK: - Hashes

    /// What is hashed: the same text as an ID and as the name of a view gives two hashes.
    enum Subject: UInt8 {
        case document = 0x64
        case revision = 0x72
        case view = 0x76
        case content = 0x63
    }

    /// 16 hexadecimal digits.
    func hash(_ subject: Subject, _ bytes: some Sequence<UInt8>) -> [UInt8] {
        var text = [subject.rawValue]
        text += bytes
        return Hexadecimal.text(HMAC<SHA256>.authenticationCode(for: text, using: key).prefix(8))
    }

    func hash(_ id: DocumentID) -> [UInt8] { hash(.document, id.string.utf8) }

    /// Revisions of two documents never have the same hash: their IDs are made of their contents.
    func hash(_ revision: RevisionID, of id: DocumentID) -> [UInt8] {
        hash(.revision, Array(id.string.utf8) + [0] + Array(revision.description.utf8))
    }
}

/// `write` and `close`, under names that the recorder does not shadow.
@unsafe
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, bytes, count)
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
