/// What names, roles and passwords may be.
enum UserNames {
    static let longestPassword = 1_024
    static let rule =
        "A user's name must have 1 to 256 bytes, without colons and control characters. Choose another one."
    static let ruleOfRoles =
        "A user may have at most 64 roles, each of 1 to 256 bytes without control characters. Choose other ones."

    static func isAllowed(_ name: String) -> Bool {
        isShortText(name) && !name.utf8.contains(UInt8(ascii: ":"))
    }

    static func areAllowed(roles: [String]) -> Bool { roles.count <= 64 && roles.allSatisfy { isShortText($0) } }

    private static func isShortText(_ text: String) -> Bool {
        1...256 ~= text.utf8.count && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
