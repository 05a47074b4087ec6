internal import SetteeSystemLibrary
internal import StorageProtocol

/// The lines of an export, one after the other, in a reused buffer.
struct ExportLines {
    private static let pieceLength = 1 << 18

    private let file: ExportFile
    private var buffer: [UInt8] = []
    /// The position of `buffer` in the file.
    private var base: UInt64 = 0
    /// The current line, within `buffer`.
    private var line = 0..<0
    /// The position of the bytes after the line, within `buffer`.
    private var next = 0
    /// The number of the line, from 1; 0 before the first. Unknown after `seek`.
    private(set) var number = 0
    /// Where reading ends.
    private var end: UInt64

    init(_ file: ExportFile) {
        self.file = file
        end = file.length
    }

    /// The position of the line in the file.
    var offset: UInt64 { base + UInt64(line.lowerBound) }
    /// The position of the next line in the file.
    var nextOffset: UInt64 { base + UInt64(next) }

    /// Passes the line without its line feed to `body`; valid only inside it.
    func withLine<R>(_ body: (RawSpan) throws(StorageError) -> R) throws(StorageError) -> R {
        try unsafe body(buffer.span.bytes.extracting(line))
    }

    /// Passes the line with its line feed to `body`; valid only inside it.
    func withWholeLine<R>(_ body: (RawSpan) throws(StorageError) -> R) throws(StorageError) -> R {
        try unsafe body(buffer.span.bytes.extracting(line.lowerBound..<next))
    }

    func begins(with bytes: [UInt8]) -> Bool { buffer[line].starts(with: bytes) }

    /// Continues at `offset`, and ends at `end`.
    mutating func seek(to offset: UInt64, end: UInt64) {
        buffer.removeAll(keepingCapacity: buffer.capacity <= 8 * ExportLines.pieceLength)
        base = offset
        line = 0..<0
        next = 0
        number = 0
        self.end = end
    }

    /// Advances to the next line. False at the end.
    ///
    /// - Throws: `corrupt` (591) if the line is too long, or has no line feed.
    mutating func advance() throws(StorageError) -> Bool {
        var searched = next
        while true {
            if let feed = lineFeed(from: searched) {
                line = next..<feed
                next = feed + 1
                number += 1
                return true
            }
            guard buffer.count - next <= NeutralFormat.lineLimit else {
                throw damaged("The line is longer than \(NeutralFormat.lineLimit) bytes", at: number + 1)
            }
            searched = buffer.count - next
            buffer.removeSubrange(..<next)
            base += UInt64(next)
            line = 0..<0
            next = 0
            let place = base + UInt64(buffer.count)
            let wanted = min(end - min(end, place), UInt64(max(ExportLines.pieceLength, buffer.count)))
            let before = buffer.count
            try file.read(at: place, count: Int(wanted), into: &buffer)
            if buffer.count == before {
                if before == 0 { return false }
                throw damaged("The text was cut off in the middle of a line", at: number + 1)
            }
        }
    }

    private func lineFeed(from start: Int) -> Int? {
        unsafe buffer.withUnsafeBytes { bytes in
            guard start < bytes.count, let address = bytes.baseAddress,
                let found = unsafe memchr(address + start, 0x0A, bytes.count - start)
            else { return nil }
            return unsafe address.distance(to: UnsafeRawPointer(found))
        }
    }

    /// Returns an error about damage at the current line, or at another line.
    func damaged(_ what: String, cause: (any Error)? = nil, at other: Int? = nil) -> StorageError {
        let place = other ?? number
        return StorageError(
            .corrupt,
            "The export is damaged on line \(place): \(what). Export again, or use another copy of the file.",
            cause: cause
        )
    }
}
