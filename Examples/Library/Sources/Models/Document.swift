import Foundation
import Settee

/// A document of this app. Where both are meant, Settee's is `Settee.Document`.
public struct Document: Codable, Equatable, Sendable {
    public var title: String
    public var due: Date?

    public init(title: String, due: Date? = nil) {
        self.title = title
        self.due = due
    }
}
