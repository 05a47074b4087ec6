internal import StorageProtocol

/// Why reading pages failed.
enum PageFault: Error {
    /// The file is damaged; the text says how and where.
    case damage(String)
    /// The file could not be read.
    case failure(StorageError)

    /// The error for the caller of `open`.
    var storageError: StorageError {
        switch self {
        case .damage(let what): .corrupt("The data file is damaged: \(what)")
        case .failure(let error): error
        }
    }
}
