internal import SetteeCouchProtocol
internal import Synchronization

/// The memory that the bodies of all requests may take, and what is made of them.
final class MemoryBudget: Sendable {
    private let limit: Int
    /// The most that one request may take.
    let share: Int
    private let taken = Atomic<Int>(0)

    init(_ options: ListenerOptions) {
        limit = options.memoryBytes
        share = options.requestMemoryBytes
    }

    var present: Int { taken.load(ordering: .relaxed) }

    /// Returns false, and takes nothing, if there is not so much left.
    fileprivate func take(_ bytes: Int) -> Bool {
        guard taken.add(bytes, ordering: .relaxed).newValue <= limit else {
            giveBack(bytes)
            return false
        }
        return true
    }

    fileprivate func giveBack(_ bytes: Int) { taken.subtract(bytes, ordering: .relaxed) }
}

/// What one request has taken of the budget. It is given back with the last reference: an answer that is still being
/// written keeps it.
final class RequestMemory: Sendable {
    private let budget: MemoryBudget
    private let taken = Atomic<Int>(0)

    /// About the number of bytes that a parsed value takes while it is worked on: an element of `$in` 170, a document
    /// or revision that is asked for up to 350, which has two or three marks.
    private static let bytesOfMark = 160

    init(_ budget: MemoryBudget) { self.budget = budget }

    deinit { budget.giveBack(taken.load(ordering: .relaxed)) }

    /// Takes some more.
    ///
    /// - Throws: `too_large` (413) if that is too much for one request; `service_unavailable` (503) if others have
    ///   taken what there is.
    func take(_ bytes: Int) throws(CouchError) {
        guard taken.load(ordering: .relaxed) + bytes <= budget.share else { throw .tooLarge }
        guard budget.take(bytes) else { throw .unavailable }
        taken.add(bytes, ordering: .relaxed)
    }

    /// Takes what the values in a JSON text are going to take. Each begins behind a mark of the grammar. Marks inside
    /// of strings count, too.
    ///
    /// - Throws: As `take`.
    func takeValues(of text: [UInt8]) throws(CouchError) {
        var marks = 0
        for byte in text where RequestMemory.isMark(byte) { marks += 1 }
        try take(marks * RequestMemory.bytesOfMark)
    }

    @inline(__always)
    private static func isMark(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{")
    }
}
