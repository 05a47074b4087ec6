/// The words of a `holders/` file: 4096 bytes, little-endian, including the program's name.
enum HolderPage {
    /// The bytes `SETTEEH1`.
    static let magic: UInt64 = 0x3148_4545_5454_4553
    static let magicWord = 0
    static let processWord = 1
    static let snapshotWord = 2
    static let flagsWord = 3
    static let nameLengthWord = 4
    static let nameOffset = 40
    static let longestName = 255
    /// After the longest name. 0 if the page was written by a program older than this word.
    static let snapshotTimeWord = 37

    static let noSnapshot = UInt64.max
    static let holdsWriter: UInt64 = 1
    static let wantsWriter: UInt64 = 2

    static func make(process: Int32, program: String) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: SharedPage.size)
        let name = Array(program.utf8.prefix(longestName))
        func put(_ value: UInt64, _ word: Int) {
            for index in 0..<8 { bytes[word * 8 + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(index))) }
        }
        put(magic, magicWord)
        put(UInt64(UInt32(bitPattern: process)), processWord)
        put(noSnapshot, snapshotWord)
        put(UInt64(name.count), nameLengthWord)
        bytes.replaceSubrange(nameOffset..<(nameOffset + name.count), with: name)
        return bytes
    }

    /// Decodes any bytes. Nil: the page is not finished yet, or this is not a page.
    static func decode(_ bytes: [UInt8]) -> Holder? {
        guard bytes.count >= nameOffset else { return nil }
        func word(_ word: Int) -> UInt64 {
            (0..<8).reduce(0) { $0 | UInt64(bytes[word * 8 + $1]) << (8 * UInt64($1)) }
        }
        guard word(magicWord) == magic else { return nil }
        let length = Int(min(word(nameLengthWord), UInt64(longestName), UInt64(bytes.count - nameOffset)))
        // The name is displayed, so everything but plain text is left out.
        let name = bytes[nameOffset..<(nameOffset + length)].filter { (0x20..<0x7F).contains($0) }
        let flags = word(flagsWord)
        return Holder(
            process: UInt32(truncatingIfNeeded: word(processWord)),
            program: String(decoding: name, as: UTF8.self),
            oldestSnapshot: word(snapshotWord) == noSnapshot ? nil : word(snapshotWord),
            oldestSnapshotTime: bytes.count >= (snapshotTimeWord + 1) * 8 ? word(snapshotTimeWord) : 0,
            holdsWriter: flags & holdsWriter != 0,
            wantsWriter: flags & wantsWriter != 0,
            isOwn: false
        )
    }
}

/// A process that has the database open.
package struct Holder: Sendable, Equatable, CustomStringConvertible {
    package let process: UInt32
    package let program: String
    /// The change counter of its oldest snapshot, nil if it has none.
    package let oldestSnapshot: UInt64?
    /// When that snapshot began, in nanoseconds of the monotonic clock; 0 if this is not recorded.
    let oldestSnapshotTime: UInt64
    package let holdsWriter: Bool
    package let wantsWriter: Bool
    /// Whether it is this same `DatabaseFolder`.
    package internal(set) var isOwn: Bool

    /// How long it has had its oldest snapshot; nil if it has none or this is not recorded.
    package var oldestSnapshotAge: Duration? {
        let now = Host.now()
        guard oldestSnapshot != nil, oldestSnapshotTime > 0, oldestSnapshotTime <= now else { return nil }
        return .nanoseconds(Int64(clamping: now - oldestSnapshotTime))
    }

    package var description: String { program.isEmpty ? "process \(process)" : "\(program) (process \(process))" }
}
