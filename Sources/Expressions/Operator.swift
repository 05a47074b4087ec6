/// The operators of CouchDB 3.4, and those that it knows but does not have.
enum Operator: String, CaseIterable {
    case and = "$and"
    case or = "$or"
    case not = "$not"
    case nor = "$nor"
    case all = "$all"
    case elementMatch = "$elemMatch"
    case allMatch = "$allMatch"
    case keyMapMatch = "$keyMapMatch"
    case less = "$lt"
    case lessOrEqual = "$lte"
    case equal = "$eq"
    case unequal = "$ne"
    case greaterOrEqual = "$gte"
    case greater = "$gt"
    case exists = "$exists"
    case type = "$type"
    case isIn = "$in"
    case isNotIn = "$nin"
    case size = "$size"
    case modulus = "$mod"
    case regex = "$regex"
    case beginsWith = "$beginsWith"
    case text = "$text"
    case `default` = "$default"
    case `where` = "$where"
    case geoWithin = "$geoWithin"
    case geoIntersects = "$geoIntersects"
    case near = "$near"
    case nearSphere = "$nearSphere"

    /// The operator with a name, compared by its bytes.
    init?(named name: String) {
        guard let found = Operator.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name.utf8) }) else {
            return nil
        }
        self = found
    }
}
