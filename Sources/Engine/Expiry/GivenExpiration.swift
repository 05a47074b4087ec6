package import Foundation
package import StorageProtocol

/// When a document is to expire, as whoever saves it says.
package struct GivenExpiration: Sendable, Equatable {
    /// As it is stored; nil: never.
    let time: Int64?

    private init(time: Int64?) { self.time = time }

    package static let never = GivenExpiration(time: nil)

    /// - Throws: `badParameter` (495) for a date that is not finite or some 285,000 years away.
    package static func at(_ date: Date) throws(StorageError) -> GivenExpiration {
        GivenExpiration(time: try ExpiryTime.milliseconds(date))
    }
}
