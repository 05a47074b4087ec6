internal import StorageProtocol
internal import Synchronization

/// Values of a database by name, such as its validation functions. They belong to the object and are not stored. Names
/// are told apart and ordered by their bytes.
final class NameRegistry<Value: Sendable>: Sendable {
    typealias Entry = (name: String, value: Value)

    private let entries = Locked<[Entry]>([])
    /// Whether there are any values. Most saves read only this.
    private let any = Atomic<Bool>(false)

    var isEmpty: Bool { !any.load(ordering: .relaxed) }

    /// All values, in the order of their names' bytes.
    var all: [Entry] { entries.withLock { $0 } }

    subscript(name: String) -> Value? {
        entries.withLock { entries in entries.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }
    }

    func set(_ name: String, _ value: Value?) {
        entries.withLock { entries in
            entries.removeAll { $0.name.utf8.elementsEqual(name.utf8) }
            if let value {
                let place = entries.firstIndex { name.utf8.lexicographicallyPrecedes($0.name.utf8) }
                entries.insert((name, value), at: place ?? entries.endIndex)
            }
            any.store(!entries.isEmpty, ordering: .relaxed)
        }
    }
}
