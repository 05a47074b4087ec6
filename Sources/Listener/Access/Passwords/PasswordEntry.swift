internal import Crypto
internal import SetteeDocumentValues
internal import StorageProtocol

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A line of a file of users:
/// `{"name":"ida","roles":["writer"],"scrypt":{"hash":B64,"n":16384,"p":5,"r":8,"salt":B64}}`.
struct PasswordEntry: Sendable {
    let name: String
    let roles: [String]
    let salt: [UInt8]
    let hash: [UInt8]
    let parameters: ScryptParameters

    /// Hashes a password, which blocks the thread.
    init(
        name: String,
        password: String,
        roles: [String],
        parameters: ScryptParameters
    ) throws(StorageError) {
        guard UserNames.isAllowed(name) else { throw StorageError(.badParameter, UserNames.rule) }
        guard UserNames.areAllowed(roles: roles) else { throw StorageError(.badParameter, UserNames.ruleOfRoles) }
        guard 1...UserNames.longestPassword ~= password.utf8.count else {
            throw StorageError(.badParameter, "A password must have 1 to 1,024 bytes. Choose another one.")
        }
        self.name = name
        self.roles = roles
        self.parameters = parameters
        salt = RandomBytes.make(16)
        guard let key = Scrypt.hash(password, salt: salt, parameters) else {
            throw StorageError(.unexpected, "The password could not be hashed. Free some memory and try again.")
        }
        hash = unsafe key.withUnsafeBytes { unsafe Array($0) }
    }

    /// Reads a line. Nil if it is malformed or beyond the limits: what is wrong with it is not said, because it would
    /// have to be quoted.
    init?(line: [UInt8]) {
        guard let members = (try? JSONValue(parsing: line))?.objectValue,
            let name = members["name"]?.stringValue, UserNames.isAllowed(name),
            let roles = PasswordEntry.strings(members["roles"]), UserNames.areAllowed(roles: roles),
            let scrypt = members["scrypt"]?.objectValue,
            let rounds = scrypt["n"]?.intValue, let blockSize = scrypt["r"]?.intValue,
            let parallelism = scrypt["p"]?.intValue,
            let parameters = ScryptParameters(rounds: rounds, blockSize: blockSize, parallelism: parallelism),
            let salt = PasswordEntry.bytes(scrypt["salt"]), 8...64 ~= salt.count,
            let hash = PasswordEntry.bytes(scrypt["hash"]), hash.count == Scrypt.hashSize
        else { return nil }
        self.name = name
        self.roles = roles
        self.salt = salt
        self.hash = hash
        self.parameters = parameters
    }

    private static func strings(_ value: JSONValue?) -> [String]? {
        guard let values = value?.arrayValue else { return nil }
        let strings = values.compactMap(\.stringValue)
        return strings.count == values.count ? strings : nil
    }

    private static func bytes(_ value: JSONValue?) -> [UInt8]? {
        value?.stringValue.flatMap { Base64.decode($0) }
    }

    /// The entry as a line, without the line feed.
    var line: String {
        let members: JSONObject = [
            "name": name, "roles": .array(roles.map { .string($0) }),
            "scrypt": [
                "n": parameters.rounds, "r": parameters.blockSize, "p": parameters.parallelism,
                "salt": Data(salt).base64EncodedString(), "hash": Data(hash).base64EncodedString(),
            ] as JSONObject,
        ]
        return members.description
    }
}
