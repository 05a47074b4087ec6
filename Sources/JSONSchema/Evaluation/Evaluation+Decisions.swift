internal import SetteeDocumentValues
internal import StorageProtocol

extension Evaluation {
    /// Does the checks that need no other schema. A keyword for one type of values accepts values of all other types.
    mutating func decide(_ check: CompiledSchema.Check, _ frame: Frame) -> Progress {
        guard let message = objection(check.demand, to: frame.instance) else { return .passed }
        return fail(frame, check.keyword, message)
    }

    /// Returns how a value violates a demand; nil if it does not.
    private mutating func objection(_ demand: CompiledSchema.Demand, to value: JSONValue) -> String? {
        switch demand {
        case .types(let types):
            return types.isDisjoint(with: TypeSet(of: value)) ? "must be of type \(types.text)" : nil
        case .enumeration(let values):
            return values.contains(ExactValue(value)) ? nil : "is not one of the values allowed"
        case .multipleOf, .maximum, .minimum:
            return number(demand, value)
        case .maxLength, .minLength, .pattern, .format:
            guard case .string(let text) = value else { return nil }
            return string(demand, text)
        case .maxItems, .minItems, .uniqueItems:
            guard case .array(let elements) = value else { return nil }
            return array(demand, elements)
        case .maxProperties, .minProperties, .required, .dependent:
            guard case .object(let members) = value else { return nil }
            return object(demand, members)
        case .reference, .dependency, .all, .any, .one, .not, .members, .elements:
            return nil
        }
    }

    private func number(_ demand: CompiledSchema.Demand, _ value: JSONValue) -> String? {
        guard let number = ExactNumber(value) else { return nil }
        switch demand {
        case .multipleOf(let unit):
            guard let decimal = DecimalNumber(magnitudeOf: value), decimal.isMultiple(of: unit) else {
                return "is not a multiple of the number demanded"
            }
            return nil
        case .maximum(let limit, let isExclusive):
            let isTooHigh = isExclusive ? !(number < limit) : limit < number
            return isTooHigh ? "is above the maximum" : nil
        case .minimum(let limit, let isExclusive):
            let isTooLow = isExclusive ? !(limit < number) : number < limit
            return isTooLow ? "is below the minimum" : nil
        default:
            return nil
        }
    }

    private mutating func string(_ demand: CompiledSchema.Demand, _ text: String) -> String? {
        switch demand {
        case .maxLength(let limit):
            // A text never has more characters than bytes.
            guard text.utf8.count > limit, text.unicodeScalars.count > limit else { return nil }
            return "has more than \(limit) characters"
        case .minLength(let limit):
            guard text.utf8.count < limit || text.unicodeScalars.count < limit else { return nil }
            return "has fewer than \(limit) characters"
        case .pattern(let pattern):
            return finds(pattern, in: text) ? nil : "does not match the pattern"
        case .format(let format):
            return format.matches(text) ? nil : "is no \(format.rawValue)"
        default:
            return nil
        }
    }

    private mutating func array(_ demand: CompiledSchema.Demand, _ elements: [JSONValue]) -> String? {
        switch demand {
        case .maxItems(let limit): return elements.count > limit ? "has more than \(limit) elements" : nil
        case .minItems(let limit): return elements.count < limit ? "has fewer than \(limit) elements" : nil
        case .uniqueItems:
            var seen: Set<ExactValue> = []
            seen.reserveCapacity(elements.count)
            for element in elements where !seen.insert(ExactValue(element)).inserted { return "has equal elements" }
            spend(elements.count)
            return nil
        default: return nil
        }
    }

    private func object(_ demand: CompiledSchema.Demand, _ members: JSONObject) -> String? {
        switch demand {
        case .maxProperties(let limit): return members.count > limit ? "has more than \(limit) members" : nil
        case .minProperties(let limit): return members.count < limit ? "has fewer than \(limit) members" : nil
        case .required(let names):
            return names.first { members[$0] == nil }.map { "lacks the member '\($0)'" }
        case .dependent(let name, let names):
            guard members[name] != nil else { return nil }
            return names.first { members[$0] == nil }.map { "has '\(name)', but lacks the member '\($0)'" }
        default:
            return nil
        }
    }
}
