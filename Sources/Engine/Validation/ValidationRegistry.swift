internal import StorageProtocol
internal import Synchronization

/// The validation functions of a database, by name. They belong to the object and are not stored.
final class ValidationRegistry: Sendable {
    typealias Entry = (name: String, function: Validation)

    private let entries = Locked<[Entry]>([])
    /// Whether there are any functions. Most saves read only this.
    private let any = Atomic<Bool>(false)

    var isEmpty: Bool { !any.load(ordering: .relaxed) }

    /// All functions, in the order of their names' bytes.
    var all: [Entry] { entries.withLock { $0 } }

    subscript(name: String) -> Validation? {
        entries.withLock { entries in entries.first { $0.name.utf8.elementsEqual(name.utf8) }?.function }
    }

    func set(_ name: String, _ function: Validation?) {
        entries.withLock { entries in
            entries.removeAll { $0.name.utf8.elementsEqual(name.utf8) }
            if let function {
                let place = entries.firstIndex { name.utf8.lexicographicallyPrecedes($0.name.utf8) }
                entries.insert((name, function), at: place ?? entries.endIndex)
            }
            any.store(!entries.isEmpty, ordering: .relaxed)
        }
    }
}
