internal import StorageProtocol

/// Why the reader of pages stopped.
enum PageFault: Error {
    /// The file is damaged: what is wrong, and where.
    case damage(String)
    /// The file could not be read.
    case failure(StorageError)

    /// The error that an opener gets.
    var storageError: StorageError {
        switch self {
        case .damage(let what): .corrupt("The data file is damaged: \(what)")
        case .failure(let error): error
        }
    }
}
