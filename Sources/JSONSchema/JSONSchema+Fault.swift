public import Foundation

extension JSONSchema {
    /// What is wrong with a schema.
    public struct Fault: Error, Sendable, CustomStringConvertible {
        /// Where: the document's URI (empty for a schema without one), `#`, and the JSON pointer to the fault.
        public let location: String
        /// What is wrong and how to mend it.
        public let message: String

        public var description: String { "The JSON Schema cannot be used. At \(location): \(message)" }
    }
}

extension JSONSchema.Fault: LocalizedError {
    /// The place, what is wrong there, and how to mend it.
    public var errorDescription: String? { description }
    /// What is wrong and how to mend it.
    public var failureReason: String? { message }
}
