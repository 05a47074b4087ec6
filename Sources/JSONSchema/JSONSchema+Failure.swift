public import Foundation
public import SetteeDocumentValues
internal import StorageProtocol

extension JSONSchema {
    /// Why a value does not conform to a schema. No part tells what the value holds but for names of members.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        /// Where in the value; empty for the whole.
        public let instancePath: JSONPointer
        /// The schema that says no: its document's URI (empty without one), `#`, and a JSON pointer.
        public let schemaPath: String
        /// The keyword that is not obeyed; empty where judging was given up.
        public let keyword: String
        /// What the keyword demands.
        public let message: String
        /// Where several schemas were tried and none fits: what each of them said first.
        public let causes: [Failure]

        /// The place and the demand, with those of the causes one level down.
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
    /// The place and the demand.
    public var errorDescription: String? { description }
    /// What the keyword demands.
    public var failureReason: String? { message }
}
