internal import SetteeDocumentValues
internal import StorageProtocol

extension Evaluation {
    /// Begins a check, or continues it after another schema was applied.
    mutating func perform(_ check: CompiledSchema.Check, _ frame: inout Frame, _ answer: Bool?) -> Progress {
        switch check.demand {
        case .reference(let schema):
            return apply(schema, frame, answer)
        case .dependency(let name, let schema):
            guard case .object(let members) = frame.instance, members[name] != nil else { return .passed }
            return apply(schema, frame, answer)
        case .all(let schemas):
            return all(schemas, &frame, answer)
        case .any(let types, let schemas):
            return any(types, schemas, check.keyword, &frame, answer)
        case .one(let schemas):
            return one(schemas, &frame, answer)
        case .not(let schema):
            guard let answer else { return .apply(schema, frame.instance, nil) }
            forgetFailures(since: frame)
            return answer ? fail(frame, "not", "conforms to a schema that it must not conform to") : .passed
        case .members(let rules):
            guard case .object(let members) = frame.instance else { return .passed }
            return self.members(members, rules, &frame, answer)
        case .elements(let rules):
            guard case .array(let elements) = frame.instance else { return .passed }
            return self.elements(elements, rules, &frame, answer)
        default:
            return decide(check, frame)
        }
    }

    private func apply(_ schema: Int, _ frame: Frame, _ answer: Bool?) -> Progress {
        guard let answer else { return .apply(schema, frame.instance, nil) }
        return answer ? .passed : .failed
    }

    // MARK: - Several schemas for one value

    private mutating func all(_ schemas: [Int], _ frame: inout Frame, _ answer: Bool?) -> Progress {
        if let answer {
            if !answer, endsAtFailure { return .failed }
            if !answer { frame.hasFailed = true }
            frame.index += 1
        }
        return frame.index < schemas.count ? .apply(schemas[frame.index], frame.instance, nil) : .passed
    }

    private mutating func any(
        _ types: TypeSet,
        _ schemas: [Int],
        _ keyword: String,
        _ frame: inout Frame,
        _ answer: Bool?
    ) -> Progress {
        if answer == true {
            forgetFailures(since: frame)
            return .passed
        }
        if answer == nil, !types.isDisjoint(with: TypeSet(of: frame.instance)) { return .passed }
        if answer == false { frame.index += 1 }
        if frame.index < schemas.count { return .apply(schemas[frame.index], frame.instance, nil) }
        return fail(frame, keyword, "fits none of the alternatives", withCauses: true)
    }

    private mutating func one(_ schemas: [Int], _ frame: inout Frame, _ answer: Bool?) -> Progress {
        if let answer {
            if answer { frame.matches += 1 }
            frame.index += 1
        }
        if frame.matches > 1 {
            forgetFailures(since: frame)
            return fail(frame, "oneOf", "fits more than one of the alternatives")
        }
        if frame.index < schemas.count { return .apply(schemas[frame.index], frame.instance, nil) }
        if frame.matches == 0 { return fail(frame, "oneOf", "fits none of the alternatives", withCauses: true) }
        forgetFailures(since: frame)
        return .passed
    }

    // MARK: - Members and elements

    /// Rule 0 of a member is its schema in `properties`, then follow the patterns, and last the schema for all other
    /// members.
    private mutating func members(
        _ members: JSONObject,
        _ rules: CompiledSchema.MemberRules,
        _ frame: inout Frame,
        _ answer: Bool?
    ) -> Progress {
        if answer == false {
            if endsAtFailure { return .failed }
            frame.hasFailed = true
        }
        while frame.index < members.count {
            let (name, value) = members[frame.index]
            while frame.rule <= rules.patterns.count {
                let rule = frame.rule
                frame.rule += 1
                let schema: Int?
                if rule == 0 {
                    schema = rules.properties[name]?.intValue.map { Int($0) }
                } else {
                    let (pattern, number) = rules.patterns[rule - 1]
                    schema = finds(pattern, in: name) ? number : nil
                    if isExhausted { return .failed }
                }
                if let schema {
                    frame.isCovered = true
                    return .apply(schema, value, .member(name))
                }
            }
            let isCovered = frame.isCovered
            frame.index += 1
            frame.rule = 0
            frame.isCovered = false
            if isCovered { continue }
            switch rules.rest {
            case .allowed: spend(1)
            case .schema(let schema): return .apply(schema, value, .member(name))
            case .forbidden:
                _ = fail(frame, "additionalProperties", "is not among the members allowed", at: .member(name))
                if endsAtFailure { return .failed }
                frame.hasFailed = true
            }
        }
        return .passed
    }

    private mutating func elements(
        _ elements: [JSONValue],
        _ rules: CompiledSchema.ElementRules,
        _ frame: inout Frame,
        _ answer: Bool?
    ) -> Progress {
        if answer == false {
            if endsAtFailure { return .failed }
            frame.hasFailed = true
        }
        guard frame.index < elements.count else { return .passed }
        let index = frame.index
        frame.index += 1
        if index < rules.first.count { return .apply(rules.first[index], elements[index], .element(index)) }
        switch rules.rest {
        case .allowed: return .passed
        case .schema(let schema): return .apply(schema, elements[index], .element(index))
        case .forbidden:
            return fail(frame, "additionalItems", "has more than \(rules.first.count) elements", at: nil)
        }
    }
}
