internal import SetteeEngine
internal import StorageProtocol

extension LocalPeer {
    /// So many contents are fetched at a time.
    private static let fetchesAtOnce = 4
    /// A fetch that breaks goes on where it was, so often without getting much further.
    private static let mostBreaks = 3
    private static let leastProgress: UInt64 = 64 << 10

    /// Fetches contents.
    ///
    /// - Returns: those of the wishes, in their order. They last as long as they are held.
    func fetch(_ wishes: [AttachmentWish], from source: any Peer) async throws -> [StagedAttachment] {
        try await withThrowingTaskGroup(of: (Int, StagedAttachment).self) { group in
            var contents: [(Int, StagedAttachment)] = []
            for (place, wish) in wishes.enumerated() {
                if place >= LocalPeer.fetchesAtOnce, let done = try await group.next() { contents.append(done) }
                group.addTask { (place, try await fetch(wish, from: source)) }
            }
            for try await done in group { contents.append(done) }
            return contents.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// Fetches a content. What is another content, or is said to be too large, may be a proxy's answer and is fetched
    /// once more.
    private func fetch(_ wish: AttachmentWish, from source: any Peer) async throws -> StagedAttachment {
        do {
            return try await fetchOnce(wish, from: source)
        } catch let error as PeerError where [.badAnswer, .tooLarge].contains(error.kind) {
            return try await fetchOnce(wish, from: source)
        }
    }

    private func fetchOnce(_ wish: AttachmentWish, from source: any Peer) async throws -> StagedAttachment {
        let writer = try await write { database in
            // Who names contents by MD5 asks for it later.
            if wish.digest.hasPrefix("md5-") { return try database.makeAttachmentWriterKeepingMD5() }
            return try database.makeAttachmentWriterWithoutMD5()
        }
        var state = ContentProgress()
        var breaks = 0
        while true {
            let before = state.written
            do {
                try await read(wish, from: source, into: writer, &state)
                break
            } catch let error as PeerError where error.kind == .transient {
                breaks = state.written >= before + LocalPeer.leastProgress ? 0 : breaks + 1
                guard breaks < LocalPeer.mostBreaks else { throw error == .endedEarly ? .otherLength : error }
            }
        }
        let staged = try await write { _ in try writer.finish() }
        let isSame = [staged.digest, staged.md5Digest].contains(wish.digest)
        // The digest is that of the encoded bytes: of what the peer has decoded only the length can be compared.
        let isDecoded =
            !state.isEncoded && wish.encoding != nil && (wish.decodedLength ?? staged.length) == staged.length
        guard isSame || isDecoded else {
            throw PeerError(.badAnswer, status: 412, "The content of an attachment has another digest than its entry.")
        }
        return staged
    }

    /// Reads the content from where it broke off before.
    private func read(
        _ wish: AttachmentWish,
        from source: any Peer,
        into writer: AttachmentWriter,
        _ state: inout ContentProgress
    ) async throws {
        let pieces = try await source.content(wish, from: state.written)
        guard pieces.offset <= state.written, state.written == 0 || pieces.isEncoded == state.isEncoded else {
            throw PeerError(.badAnswer, "The content of an attachment begins at another byte than was asked for.")
        }
        state.isEncoded = pieces.isEncoded
        do {
            try await take(pieces, into: writer, &state, upTo: wish.mostBytes(isEncoded: state.isEncoded))
        } catch {
            await pieces.close()
            throw error
        }
        await pieces.close()
        guard !state.isEncoded || state.written >= wish.length else {
            throw PeerError.endedEarly
        }
    }

    /// Writes what is not written yet. Where the pieces break off, that is all that has come.
    private func take(
        _ pieces: any ContentPieces,
        into writer: AttachmentWriter,
        _ state: inout ContentProgress,
        upTo limit: UInt64
    ) async throws {
        let lumps = ContentLumps(pieces, from: state.written)
        var lump = try await lumps.next()
        while let some = lump {
            // The next one is received while this one is hashed and written.
            async let next = lumps.next()
            guard UInt64(some.count) <= limit - state.written else { throw PeerError.otherLength }
            try await write { _ in try some.withBytes(writer.append) }
            state.written += UInt64(some.count)
            lump = try await next
        }
    }
}

extension PeerError {
    fileprivate static let endedEarly = PeerError(.transient, "The content of an attachment ended early.")
    fileprivate static let otherLength = PeerError(
        .badAnswer,
        status: 412,
        "The content of an attachment has another length than its entry."
    )
}

extension AttachmentWish {
    /// So long a content may be; an entry may lack its length. Deflate makes bytes at most 1,032 times as many.
    fileprivate func mostBytes(isEncoded: Bool) -> UInt64 {
        if length == 0 { return .max }
        if isEncoded || encoding == nil { return length }
        if let decodedLength { return decodedLength }
        let (most, isOver) = length.multipliedReportingOverflow(by: 1_032)
        return isOver ? .max : most
    }
}

/// How far a fetch is.
private struct ContentProgress {
    var written: UInt64 = 0
    var isEncoded = true
}
