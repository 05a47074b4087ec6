public import StorageProtocol

extension AccessConfiguration {
    /// Reads a session secret from a file that only its owner may use (mode 0600), and makes the file if there is none,
    /// so that sessions survive a restart.
    ///
    /// - Throws: `fileSystem` (590) for a file that others may use, a symbolic link, a file of another length, or what
    ///   cannot be read or written; `full` (507).
    public static func sessionSecret(inFile path: String) throws(StorageError) -> [UInt8] {
        let file = PrivateFile(path: path)
        let length = SessionSigner.shortestSecret
        if let secret = try file.read(atMost: length + 1, isSecret: true) {
            guard secret.count == length else {
                throw StorageError(.fileSystem, "\(path) does not have \(length) bytes. Remove it to get a new secret.")
            }
            return secret
        }
        let secret = (0..<length).map { _ in UInt8.random(in: .min ... .max) }
        try file.replace(with: secret)
        return secret
    }
}
