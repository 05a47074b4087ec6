internal import Foundation
package import Testing

/// Waits until `condition` holds, at most for `limit`.
package func expectEventually(
    within limit: Duration = .seconds(120),
    _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () throws -> Bool
) throws {
    let end = ContinuousClock.now + limit
    while try !condition() {
        guard ContinuousClock.now < end else {
            Issue.record(comment() ?? "It did not happen within \(limit).", sourceLocation: sourceLocation)
            return
        }
        Thread.sleep(forTimeInterval: 0.005)
    }
}
