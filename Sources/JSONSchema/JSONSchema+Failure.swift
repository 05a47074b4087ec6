public import Foundation
public import SetteeDocumentValues
internal import StorageProtocol

extension JSONSchema {
    /// The reason why a value does not conform to a schema. It reveals nothing of the value except names of members.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        /// The location in the value; empty for the whole value.
        public let instancePath: JSONPointer
        /// The schema that the value violates: the URI of its document (empty without one), `#`, and a JSON pointer.
        public let schemaPath: String
        /// The keyword that is violated; empty if validation was abandoned.
        public let keyword: String
        /// How the value violates the keyword.
        public let message: String
        /// If several schemas were tried and none fits: the failures of each.
        public let causes: [Failure]

        /// The location and the message, followed by those of the direct causes.
        public var description: String {
            let reasons = causes.map { "\($0.place): \($0.message)" }.joined(separator: "; ")
            return "\(place): \(message)" + (reasons.isEmpty ? "" : " (\(reasons))")
        }

        static func givenUp(at location: String) -> Failure {
            Failure(
                instancePath: JSONPointer(names: []),
                schemaPath: location,
                keyword: "",
                message:
                    "judging it was given up: parts of the schema multiply, or a pattern takes too long. Simplify the "
                    + "schema",
                causes: []
            )
        }

        private var place: String {
            let text = instancePath.description
            return text.isEmpty ? "the document" : text
        }
    }
}

extension JSONSchema.Failure: LocalizedError {
    /// The location and the message.
    public var errorDescription: String? { description }
    /// How the value violates the keyword.
    public var failureReason: String? { message }
}
