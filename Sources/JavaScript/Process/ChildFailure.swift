/// Why a child was ended before it had answered.
enum ChildFailure: Error {
    case timeLimit
    case memoryLimit
    /// It is gone, or what it sent is no frame.
    case crashed
}
