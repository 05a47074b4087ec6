internal import Testing

/// Waits until something is so, without holding a thread.
func eventually(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    for _ in 0..<3_000 {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("It did not become so within 30 seconds.", sourceLocation: sourceLocation)
}
