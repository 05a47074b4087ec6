internal import Foundation
package import Testing

/// Expects that the Swift examples of a page of the documentation stand in a test's file, line by line, so that they
/// are compiled and run.
///
/// - Parameters:
///   - page: its path in the repository.
///   - file: the test's file, in a folder of `Tests`.
///   - withSketches: whether those that check-examples.sh leaves out must stand there, too.
///   - fewest: there are more lines than this.
package func expectExamples(
    of page: String,
    in file: String,
    withSketches: Bool = true,
    fewest: Int,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let here = URL(filePath: file)
    let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let known = Set(try lines(of: here))
    var isExample = false
    var isSketch = false
    var count = 0
    for line in try lines(of: root.appending(path: page)) {
        if line.hasPrefix("```") {
            isExample = line == "```swift" && (withSketches || !isSketch)
            isSketch = false
        } else if line == "<!-- sketch -->" {
            isSketch = true
        } else if isExample, !line.isEmpty {
            count += 1
            #expect(known.contains(line), "The tests lack: \(line)", sourceLocation: sourceLocation)
        }
    }
    #expect(count > fewest, sourceLocation: sourceLocation)
}

/// The lines without indentation, and with single spaces: the formatter has its own mind about comments.
private func lines(of file: URL) throws -> [String] {
    try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.split(separator: " ").joined(separator: " ") }
}
