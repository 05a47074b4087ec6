internal import StorageProtocol

extension ValueTest {
    /// The ranges of the values that pass.
    ///
    /// - Parameter isRaw: The order of the keys.
    func ranges(_ isRaw: Bool, _ approach: Approach) -> KeyRanges {
        switch self {
        case .compare(let comparison, let operand):
            return operand.meaning == .mango(raw: isRaw) ? operand.ranges(comparison) : approach.unknown
        case .isIn(let set):
            return set.meaning == .mango(raw: isRaw) ? set.ranges(approach, isRaw) : approach.unknown
        case .isNotIn(let set):
            return set.meaning == .mango(raw: isRaw)
                ? set.ranges(approach.opposite, isRaw).complement : approach.unknown
        case .exists(let wanted): return wanted ? .all : .none
        case .type(let kinds): return KeyRanges(kinds: kinds, isRaw: isRaw)
        case .modulus: return some([.number], isRaw, approach)
        case .pattern(let pattern): return strings(with: pattern.prefix, isRaw, approach)
        case .begins(let prefix): return strings(with: prefix.string, isRaw, approach)
        case .size(0): return KeyRanges(beginning: KeyRanges.emptyArray(isRaw))
        case .containsAll(let values) where values.isEmpty: return .none
        case .containsAll(let values) where values.includesEmptyArray: return some([.array], isRaw, approach)
        case .size, .containsAll, .someElement:
            return approach == .outer ? KeyRanges(arraysWithFirst: .all, isRaw: isRaw) : .none
        case .everyElement(let matcher):
            guard approach == .outer else { return .none }
            return KeyRanges(arraysWithFirst: matcher.condition.elementRanges(isRaw), isRaw: isRaw)
        case .someName: return some([.object], isRaw, approach)
        }
    }

    /// The ranges of a test that some values of these kinds pass.
    private func some(_ kinds: [ValueKind], _ isRaw: Bool, _ approach: Approach) -> KeyRanges {
        approach == .outer ? KeyRanges(kinds: kinds, isRaw: isRaw) : .none
    }

    private func strings(with prefix: String, _ isRaw: Bool, _ approach: Approach) -> KeyRanges {
        approach == .outer ? KeyRanges(stringsWith: prefix, isRaw: isRaw) : .none
    }
}

extension Operand {
    fileprivate func ranges(_ comparison: Comparison) -> KeyRanges {
        switch comparison {
        case .less: KeyRanges(from: .first, to: .before(key))
        case .atMost: KeyRanges(from: .first, to: .behind(key))
        case .equal: KeyRanges(beginning: key)
        case .unequal: KeyRanges(beginning: key).complement
        case .atLeast: KeyRanges(from: .before(key), to: .last)
        case .greater: KeyRanges(from: .behind(key), to: .last)
        }
    }
}

extension OperandSet {
    /// Of more values only the least and the greatest are looked at.
    private static let mostRanges = 1 << 17

    /// An array passes if one of its elements does, so nothing is known of any. One without elements does not.
    fileprivate func ranges(_ approach: Approach, _ isRaw: Bool) -> KeyRanges {
        if keys.isEmpty { return .none }
        let filled = KeyRanges(arraysWithFirst: .all, isRaw: isRaw)
        if keys.count > OperandSet.mostRanges {
            guard approach == .outer, let first = keys.min(by: { compareBytes($0, $1) < 0 }),
                let last = keys.max(by: { compareBytes($0, $1) < 0 })
            else { return .none }
            return KeyRanges(from: .before(first), to: .behind(last)).union(filled)
        }
        let points = KeyRanges(keys: keys)
        guard approach == .outer else {
            return points.intersection(KeyRanges(kinds: [.array], isRaw: isRaw).complement)
        }
        return points.union(filled)
    }
}
