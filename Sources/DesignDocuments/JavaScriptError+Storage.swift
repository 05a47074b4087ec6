internal import SetteeJavaScript
internal import StorageProtocol

extension StorageError {
    /// An error that ends the update of an index, since a map function is not run for a while.
    init(suspendedBy error: JavaScriptError) {
        self.init(
            .unexpected,
            "A map function of a design document met a limit for too many documents. Correct it. It is not run again "
                + "before a pause is over, or the design document has changed.",
            cause: error
        )
    }

    /// An error that ends the update of an index, since no document, or hardly any, can be mapped.
    init(ending error: JavaScriptError) {
        switch error {
        case .unavailable(let reason): self.init(.notImplemented, reason, cause: error)
        case .compilation: self.init(.badRequest, error.errorDescription ?? "", cause: error)
        case .fatal: self.init(.unexpected, error.errorDescription ?? "", cause: error)
        default:
            self.init(
                .unexpected,
                "A map function of a design document fails for too many documents. Correct it.",
                cause: error
            )
        }
    }
}
