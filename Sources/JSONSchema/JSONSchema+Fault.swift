public import Foundation

extension JSONSchema {
    /// An error in a schema.
    public struct Fault: Error, Sendable, CustomStringConvertible {
        /// The location: the URI of the document (empty for a schema without one), `#`, and a JSON pointer.
        public let location: String
        /// What is wrong and how to fix it.
        public let message: String

        public var description: String { "The JSON Schema cannot be used. At \(location): \(message)" }
    }
}

extension JSONSchema.Fault: LocalizedError {
    /// The location, what is wrong there, and how to fix it.
    public var errorDescription: String? { description }
    /// What is wrong and how to fix it.
    public var failureReason: String? { message }
}
