internal import CSetteeUnicode
internal import SetteeDocumentValues
internal import StorageProtocol

/// A regular expression of ICU that may match anywhere in a string, with limits on time and memory.
///
/// `@unchecked Sendable`: only one thread at a time searches with one of ICU's objects, since it is taken out of `idle`
/// meanwhile; `original` is only copied.
@safe
final class RegularExpression: @unchecked Sendable, Hashable {
    /// As many objects are kept for the next searches.
    private static let kept = 4

    private let original: OpaquePointer
    private let pattern: [UInt8]
    /// Each string in which it matches begins with this.
    let prefix: String
    private let idle: Locked<[OpaquePointer]>

    /// - Throws: `badRequest` (400) for a pattern that ICU refuses.
    init(_ pattern: String) throws(StorageError) {
        var status: Int32 = 0
        // ICU refuses an empty pattern.
        let units = Array((pattern.isEmpty ? "(?:)" : pattern).utf16)
        let opened = unsafe units.withUnsafeBufferPointer { units in
            unsafe settee_regex_open(units.baseAddress, Int32(clamping: units.count), &status)
        }
        guard let opened = unsafe opened else {
            throw SelectorFault.badArgument(.regex, "ICU refuses the pattern (ICU error \(status)). Correct it")
        }
        unsafe original = unsafe opened
        unsafe idle = unsafe Locked([])
        self.pattern = Array(pattern.utf8)
        prefix = PatternPrefix.prefix(of: pattern)
    }

    deinit {
        unsafe settee_regex_close(original)
        unsafe idle.withLock { objects in
            for index in unsafe objects.indices { unsafe settee_regex_close(objects[index]) }
        }
    }

    static func == (a: RegularExpression, b: RegularExpression) -> Bool { a.pattern == b.pattern }

    func hash(into hasher: inout Hasher) { hasher.combine(pattern) }

    /// Whether a value is a string in which the pattern is found.
    ///
    /// - Throws: `badRequest` (400) if the search takes too long or too much memory; `tooLarge` (413) for a string over
    ///   `MangoSelector.maximumSearchedLength`; `unexpected` (500) if ICU fails.
    func matches(_ value: RawSpan, _ workspace: inout Workspace) throws(StorageError) -> Bool {
        guard ValueKind(value) == .string else { return false }
        guard value.byteCount <= MangoSelector.maximumSearchedLength else {
            throw StorageError(
                .tooLarge,
                "A string has more than \(MangoSelector.maximumSearchedLength) bytes, too many for $regex. Use $beginsWith, "
                    + "or shorten the string."
            )
        }
        guard case .string(let string)? = JSONScanner.value(value) else {
            throw StorageError(.badJSON, "A stored document is damaged. Run `settee check` to find it.")
        }
        // Searches that end soon do not look at the time.
        guard workspace.searchTime > 0 else { throw SelectorFault.longSearch }
        let units = Array(string.utf16)
        let object = unsafe try take()
        var status: Int32 = 0
        let found = unsafe units.withUnsafeBufferPointer { units in
            unsafe settee_regex_find(
                object,
                units.baseAddress,
                Int32(clamping: units.count),
                &workspace.searchTime,
                &status
            )
        }
        unsafe give(object)
        switch found {
        case 0: return false
        case 1: return true
        case -1: throw SelectorFault.longSearch
        default: throw StorageError(.unexpected, "ICU could not search with a regular expression (error \(status)).")
        }
    }

    private func take() throws(StorageError) -> OpaquePointer {
        if let object = unsafe idle.withLock({ unsafe $0.popLast() }) { return unsafe object }
        var status: Int32 = 0
        guard let object = unsafe settee_regex_clone(original, &status) else {
            throw StorageError(.unexpected, "ICU could not copy a regular expression (error \(status)).")
        }
        return unsafe object
    }

    private func give(_ object: OpaquePointer) {
        let isKept = unsafe idle.withLock { objects in
            guard unsafe objects.count < RegularExpression.kept else { return false }
            unsafe objects.append(object)
            return true
        }
        if !isKept { unsafe settee_regex_close(object) }
    }
}
