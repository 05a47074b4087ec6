internal import Settee
internal import SetteeSystemLibrary
internal import StorageProtocol

/// A variable of the environment that may have a key.
enum KeyVariable: String, CaseIterable {
    case key = "SETTEE_KEY"
    case newKey = "SETTEE_NEW_KEY"

    private static let taken = Locked<[KeyVariable: SecretBytes]>([:])

    /// Takes the variables out of the environment, which programs that are started inherit, and which others can look
    /// into while this one runs. Called before there are other threads that read it.
    ///
    /// - Throws: `storage` (590) where there is no memory.
    static func takeAll() throws(StorageError) {
        for variable in allCases {
            guard let text = unsafe getenv(variable.rawValue) else { continue }
            let bytes = unsafe UnsafeMutableRawBufferPointer(start: text, count: strlen(text))
            let secret = try unsafe SecretBytes(UnsafeRawBufferPointer(bytes).bytes)
            unsafe SecretBytes.wipe(bytes)
            _ = unsafe unsetenv(variable.rawValue)
            taken.withLock { $0[variable] = secret }
        }
    }

    /// Whether the program was started with it, be it empty.
    var isSet: Bool { KeyVariable.taken.withLock { $0[self] != nil } }

    /// The key in it, nil where the program was started without it.
    func key() throws(StorageError) -> StorageKey? {
        guard let secret = KeyVariable.taken.withLock({ $0[self] }) else { return nil }
        return try secret.withBytes { (bytes) throws(StorageError) in
            try unsafe bytes.withUnsafeBytes { (bytes) throws(StorageError) in
                try unsafe KeyText.key(bytes.bindMemory(to: UInt8.self).span, in: "The variable \(rawValue)")
            }
        }
    }
}
