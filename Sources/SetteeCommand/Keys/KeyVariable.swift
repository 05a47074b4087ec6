internal import Settee
internal import SetteeSystemLibrary
internal import StorageProtocol

/// An environment variable that may contain a key.
enum KeyVariable: String, CaseIterable {
    case key = "SETTEE_KEY"
    case newKey = "SETTEE_NEW_KEY"

    private static let taken = Locked<[KeyVariable: SecretBytes]>([:])

    /// Removes the variables from the environment, which child processes inherit and other processes can read while
    /// this one runs. Called before there are other threads that read the environment.
    ///
    /// - Throws: `storage` (590) if there is no memory.
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

    /// Whether the program was started with it, even if it is empty.
    var isSet: Bool { KeyVariable.taken.withLock { $0[self] != nil } }

    /// Returns the key in it; nil if the program was started without it.
    func key() throws(StorageError) -> StorageKey? {
        guard let secret = KeyVariable.taken.withLock({ $0[self] }) else { return nil }
        return try secret.withBytes { (bytes) throws(StorageError) in
            try unsafe bytes.withUnsafeBytes { (bytes) throws(StorageError) in
                try unsafe KeyText.key(bytes.bindMemory(to: UInt8.self).span, in: "The variable \(rawValue)")
            }
        }
    }
}
