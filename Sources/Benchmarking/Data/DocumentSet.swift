internal import Foundation
internal import Settee

/// The documents of one run: their IDs and bodies, and the file from which the plain C programs take the same.
final class DocumentSet: Sendable {
    let source: DocumentSource
    let count: Int
    let randomIDs: Bool
    private let lines: [[UInt8]]

    init(_ source: DocumentSource, count: Int, randomIDs: Bool, seed: UInt64) {
        self.source = source
        self.count = count
        self.randomIDs = randomIDs
        lines = source.lines(count, seed: seed)
    }

    /// The bytes of a document on average.
    var averageLength: Double { Double(lines.reduce(0) { $0 + $1.count }) / Double(lines.count) }

    func id(_ index: Int) -> String { People.documentID(index, random: randomIDs) }

    /// Returns the body of document `index` as JSON text. Bodies repeat where there are fewer of them than documents.
    func body(_ index: Int) -> [UInt8] { lines[index % lines.count] }

    /// The member that views have as their key: a number, a text, and one with few different values. Nil: the
    /// documents have none.
    var places: IndexedPlaces {
        switch source {
        case .people: IndexedPlaces(number: "/score", text: "/name/last", group: "/contact/address/state")
        case .sized: IndexedPlaces(number: "/score", group: "/group")
        case .own(_, let lines): IndexedPlaces(of: lines)
        }
    }

    /// Writes the bodies to a file as lines.
    func write(to file: URL) throws {
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        var piece = Data()
        for line in lines {
            piece.append(contentsOf: line)
            piece.append(UInt8(ascii: "\n"))
            if piece.count >= 1 << 20 {
                try handle.write(contentsOf: piece)
                piece.removeAll(keepingCapacity: true)
            }
        }
        try handle.write(contentsOf: piece)
    }
}
