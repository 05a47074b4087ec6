internal import SetteeEngine
internal import StorageProtocol

extension LocalPeer {
    /// So many contents are fetched at a time.
    private static let fetchesAtOnce = 4
    /// A fetch that breaks goes on where it was, so often without getting any further.
    private static let mostBreaks = 3

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

    private func fetch(_ wish: AttachmentWish, from source: any Peer) async throws -> StagedAttachment {
        let writer = try await write { database in
            // Who names contents by MD5 asks for it later.
            if wish.digest.hasPrefix("md5-") { return try database.makeAttachmentWriterKeepingMD5() }
            return try database.makeAttachmentWriter()
        }
        var state = ContentProgress()
        var breaks = 0
        while true {
            let before = state.written
            do {
                try await read(wish, from: source, into: writer, &state)
                break
            } catch let error as PeerError where error.kind == .transient {
                breaks = state.written > before ? 0 : breaks + 1
                guard breaks < LocalPeer.mostBreaks else { throw error }
            }
        }
        let staged = try await write { _ in try writer.finish() }
        // What the peer has decoded has another digest; its length is compared when it is stored.
        let isSame = [staged.digest, staged.md5Digest].contains(wish.digest)
        guard isSame || (!state.isEncoded && wish.encoding != nil) else {
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
        var position = pieces.offset
        do {
            while let piece = try await pieces.next() {
                let start = position
                position += UInt64(piece.count)
                guard position > state.written else { continue }
                let rest = Array(piece.dropFirst(Int(state.written - start)))
                try await write { _ in try writer.append(rest) }
                state.written = position
            }
        } catch {
            await pieces.close()
            throw error
        }
        await pieces.close()
        guard !state.isEncoded || state.written >= wish.length else {
            throw PeerError(.transient, "The content of an attachment ended early.")
        }
    }
}

/// How far a fetch is.
private struct ContentProgress {
    var written: UInt64 = 0
    var isEncoded = true
}
