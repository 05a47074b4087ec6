/// The two sides from which ranges approach a condition.
enum Approach {
    /// Every document that meets the condition has its value in the ranges.
    case outer
    /// Every document that has its value in the ranges meets the condition.
    case inner

    var opposite: Approach { self == .outer ? .inner : .outer }

    /// The ranges where nothing is known.
    var unknown: KeyRanges { self == .outer ? .all : .none }
}

extension Condition {
    /// The ranges of one field of a document.
    ///
    /// - Complexity: O(n log n) for n conditions and values.
    func ranges(of path: FieldPath, _ approach: Approach) -> FieldRanges {
        switch self {
        case .all(let parts): return .intersection(of: parts.map { $0.ranges(of: path, approach) })
        case .any(let parts):
            return parts.isEmpty ? .everything : .union(of: parts.map { $0.ranges(of: path, approach) })
        case .field(let field, let condition) where field.path == path:
            return condition.ranges(ofFieldAt: path, approach)
        case .field, .not, .test: return approach == .outer ? .everything : .nothing
        }
    }

    /// The outer ranges of all fields of a document that are bounded, found in one walk. Any other field has
    /// `FieldRanges.everything`.
    ///
    /// - Complexity: O(n log n) for n conditions and values.
    var rangesOfFields: [FieldPath: FieldRanges] {
        switch self {
        case .all:
            var found: [FieldPath: [FieldRanges]] = [:]
            for part in conjuncts { part.addRanges(to: &found) }
            return found.mapValues { .intersection(of: $0) }
        case .any(let parts):
            var found: [FieldPath: [FieldRanges]] = [:]
            for part in parts { part.addRanges(to: &found) }
            // Where one part says nothing of a field, the field is not bounded.
            return found.filter { $0.value.count == parts.count }.mapValues { .union(of: $0) }
        case .field(let field, let condition): return [field.path: condition.ranges(ofFieldAt: field.path, .outer)]
        case .not, .test: return [:]
        }
    }

    private func addRanges(to found: inout [FieldPath: [FieldRanges]]) {
        for (path, ranges) in rangesOfFields { found[path, default: []].append(ranges) }
    }

    /// Ranges in which every element is that meets this condition on elements.
    func elementRanges(_ isRaw: Bool) -> KeyRanges {
        switch self {
        case .all(let parts): .intersection(of: parts.map { $0.elementRanges(isRaw) })
        case .any(let parts): parts.isEmpty ? .all : .union(of: parts.map { $0.elementRanges(isRaw) })
        case .test(let test): test.ranges(isRaw, .outer)
        case .not(.test(let test)): test.ranges(isRaw, .inner).complement
        case .field, .not: .all
        }
    }

    /// The ranges of a field that this condition is on.
    private func ranges(ofFieldAt path: FieldPath, _ approach: Approach) -> FieldRanges {
        switch self {
        case .test(.exists(false)):
            // Where a path leads through an array or a value without members, it is missing and the condition fails.
            return FieldRanges(ranges: .none, mayBeMissing: approach == .outer || path.count == 1)
        case .test(let test):
            return FieldRanges(ranges: test.ranges(path.comparesRaw, approach), mayBeMissing: false)
        case .not(.test(let test)):
            let excluded = test.ranges(path.comparesRaw, approach.opposite)
            return FieldRanges(ranges: excluded.complement, mayBeMissing: false)
        default: return FieldRanges(ranges: approach.unknown, mayBeMissing: false)
        }
    }
}
