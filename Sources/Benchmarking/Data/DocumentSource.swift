internal import Foundation
internal import Settee

/// What the documents of a benchmark are.
public enum DocumentSource: Equatable, Sendable {
    /// The people data: 413 bytes on average.
    case people
    /// The people data, filled up or cut down to documents of so many bytes.
    case sized(Int)
    /// Documents of the user's own, as JSON objects without members that begin with `_`.
    case own(name: String, lines: [[UInt8]])

    /// What the result file says of it.
    var name: String {
        switch self {
        case .people: "people"
        case .sized(let bytes): "people, \(bytes) bytes each"
        case .own(let name, _): name
        }
    }

    /// Returns at most `count` different documents. As many bytes as the people data of 100,000 documents has are kept
    /// in memory, at least; with more, documents repeat.
    func lines(_ count: Int, seed: UInt64) -> [[UInt8]] {
        switch self {
        case .people:
            let people = People(seed: seed)
            return (0..<min(count, DocumentSource.most)).map { people.json($0) }
        case .sized(let bytes):
            let people = People(seed: seed)
            let most = max(16, min(DocumentSource.most, (64 << 20) / bytes))
            return (0..<min(count, most)).map { SizedDocument.json(people, $0, bytes: bytes) }
        case .own(_, let lines):
            return Array(lines.prefix(count))
        }
    }

    private static let most = 100_000
}
