internal import AsyncHTTPClient
internal import NIOCore
internal import SetteeCouchProtocol
internal import StorageProtocol

/// The body of an answer, piece by piece. Releasing it gives up the rest.
final class RemoteBody: Sendable {
    /// @unchecked: used by one task at a time, which `next` demands.
    private struct Source: @unchecked Sendable {
        var pieces: HTTPClientResponse.Body.AsyncIterator?
        let inflater: GzipInflater?
    }

    private let source: Locked<Source>
    private let number: Int?
    private let brokenAnswers: BrokenAnswers

    init(_ response: HTTPClientResponse, _ inflater: GzipInflater?, _ brokenAnswers: BrokenAnswers) {
        source = Locked(Source(pieces: response.body.makeAsyncIterator(), inflater: inflater))
        number = BrokenAnswers.number(in: response.headers)
        self.brokenAnswers = brokenAnswers
    }

    deinit {
        if let number { brokenAnswers.remove(number) }
    }

    /// The next bytes, at least one; nil at the end. One call at a time.
    ///
    /// - Throws: `transient` if the connection breaks; `badAnswer` for damaged compression.
    func next() async throws -> [UInt8]? {
        var bytes: [UInt8] = []
        return try await next(to: &bytes) ? bytes : nil
    }

    /// Appends the next bytes, at least one, to `bytes`. False at the end. One call at a time.
    ///
    /// - Throws: as the other.
    func next(to bytes: inout [UInt8]) async throws -> Bool {
        let before = bytes.count
        while bytes.count == before {
            guard let piece = try await received() else {
                try finish()
                return false
            }
            try add(piece, to: &bytes)
        }
        return true
    }

    /// The whole body.
    ///
    /// - Throws: `badAnswer` if it is longer than the limit; as `next`.
    func collect(upTo limit: Int) async throws -> [UInt8] {
        var all: [UInt8] = []
        while let bytes = try await next() {
            guard bytes.count <= limit - all.count else { throw PeerError.badAnswer("longer than \(limit) bytes") }
            all += bytes
        }
        return all
    }

    /// As much of the body as fits; the rest is given up if there is more.
    func beginning(of limit: Int) async throws -> [UInt8] {
        var all: [UInt8] = []
        while all.count < limit, let bytes = try await next() { all += bytes.prefix(limit - all.count) }
        return all
    }

    /// Gives up the rest.
    func close() { source.withLock { $0.pieces = nil } }

    private func received() async throws -> ByteBuffer? {
        var state = source.withLock { $0 }
        do {
            if let piece = try await state.pieces?.next() { return piece }
            guard let number, brokenAnswers.contains(number) else { return nil }
        } catch {
            if Task.isCancelled { throw CancellationError() }
        }
        throw PeerError(.transient, "The connection broke in the middle of an answer.")
    }

    private func add(_ piece: ByteBuffer, to all: inout [UInt8]) throws(PeerError) {
        guard let inflater = source.withLock({ $0 }).inflater else {
            unsafe piece.withUnsafeReadableBytes { unsafe all.append(contentsOf: $0) }
            return
        }
        let bytes = Array(piece.readableBytesView)
        do throws(CouchError) {
            try unsafe inflater.push(bytes.span.bytes) { (some) throws(CouchError) in
                unsafe some.withUnsafeBytes { unsafe all.append(contentsOf: $0) }
            }
        } catch {
            throw .badAnswer("not compressed as it says")
        }
    }

    private func finish() throws(PeerError) {
        guard let inflater = source.withLock({ $0 }).inflater, inflater.inflatedBytes > 0 else { return }
        do throws(CouchError) {
            try inflater.finish()
        } catch {
            throw .badAnswer("cut short")
        }
    }
}
