internal import SetteeDocumentValues
internal import StorageProtocol

/// The position of an encoder or decoder in a value: the last key and the path before it.
final class CodingPath {
    let parent: CodingPath?
    let key: any CodingKey
    /// The number of keys, including this one.
    let depth: Int

    init(_ parent: CodingPath?, _ key: any CodingKey) {
        self.parent = parent
        self.key = key
        self.depth = (parent?.depth ?? 0) + 1
    }

    /// JSON nested deeper than this cannot be stored.
    static let maximumDepth = JSONLimits.depth
}

extension CodingPath? {
    var keys: [any CodingKey] {
        var keys: [any CodingKey] = []
        var step = self
        while let here = step {
            keys.append(here.key)
            step = here.parent
        }
        return keys.reversed()
    }

    var depth: Int { self?.depth ?? 0 }
}

/// A key without a type of its own: an array's index, or `super`.
struct PlainKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }

    static let `super` = PlainKey(stringValue: "super")
}
