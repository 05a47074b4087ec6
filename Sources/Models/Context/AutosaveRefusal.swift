internal import StorageProtocol

/// An autosave that was refused. It is reported once, and not tried again before something has changed.
struct AutosaveRefusal: Sendable {
    private enum Kind: Equatable {
        case storage(StorageError.Code)
        case other(ObjectIdentifier)
    }

    private let kind: Kind
    /// The version of the properties that was refused.
    private let version: Int
    /// Whether the reason may go away by itself: a write of another process, a full disk.
    let mayPass: Bool

    init(_ error: any Error, _ version: Int) {
        self.version = version
        if let error = error as? StorageError {
            kind = .storage(error.code)
            mayPass = error.code.isStorageFailure || [.inUse, .busy].contains(error.code)
        } else {
            kind = .other(ObjectIdentifier(type(of: error)))
            mayPass = false
        }
    }

    /// Returns whether another try would end the same way.
    func stands(for version: Int) -> Bool { !mayPass && self.version == version }

    func isSame(as other: AutosaveRefusal?) -> Bool { kind == other?.kind }
}

extension ModelState {
    /// Whether the model waits for an autosave.
    var waitsForAutosave: Bool { autosaves && needsSave && refusal?.stands(for: version) != true }

    /// Notes that an autosave was refused. Edits made since that try were not part of it.
    ///
    /// - Returns: whether the error is a new one, and whether another try makes sense.
    mutating func noteRefusal(_ error: any Error) -> (isNews: Bool, mayPass: Bool) {
        let fresh = AutosaveRefusal(error, attempt)
        defer { refusal = fresh }
        return (!fresh.isSame(as: refusal), fresh.mayPass)
    }
}
