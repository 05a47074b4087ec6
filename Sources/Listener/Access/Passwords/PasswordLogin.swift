internal import Logging
internal import SetteeCouchProtocol
internal import StorageProtocol

/// Verifies names and passwords against the users of a listener.
///
/// A password that was right within the last minute costs an HMAC. Others wait as long as former failures of the name
/// and of the address say, and are verified then; those that are the same are verified once. An unknown name costs as
/// much as a wrong password.
final class PasswordLogin: Sendable {
    /// A verified name.
    struct Success: Sendable {
        let roles: [String]
        /// What goes into the key of the cookie's signature: another password ends the user's cookies.
        let cookieSalt: [UInt8]
    }

    private enum Outcome: Sendable {
        case right([String])
        case wrong
        case failed(CouchError)
    }

    private let source: ListenerUsers.Source
    private let clock: AccessClock
    private let logger: Logger
    let pool: ScryptPool
    let memory: PasswordMemory
    let names: FailureTable
    let addresses: FailureTable
    private let underWay = Locked<[PasswordMemory.Tag: Task<Outcome, Never>]>([:])

    init(_ users: ListenerUsers, clock: AccessClock, pool: ScryptPool, logger: Logger) {
        source = users.source
        self.clock = clock
        self.logger = logger
        self.pool = pool
        memory = PasswordMemory(uptime: clock.uptime)
        names = FailureTable(uptime: clock.uptime)
        addresses = FailureTable(uptime: clock.uptime)
    }

    /// Verifies a name and a password.
    ///
    /// - Parameter address: The client's, as `AddressGroup` writes it.
    /// - Throws: `unauthorized` (401); `service_unavailable` (503) if too many passwords wait to be verified;
    ///   `internal_server_error` (500) if the file of users cannot be used, which the log explains.
    func verify(name: String, password: String, address: TargetText) async throws(CouchError) -> Success {
        let isPossible = UserNames.isAllowed(name) && 1...UserNames.longestPassword ~= password.utf8.count
        let proof = try proof(of: name)
        let tag = memory.tag(name, password, proof.bytes)
        if isPossible, let roles = memory.roles(tag) {
            return Success(roles: proof.roles ?? roles, cookieSalt: proof.bytes)
        }
        let key = TargetText(isPossible ? name : "")
        do {
            let delay = max(names.delay(key), addresses.delay(address))
            if delay > .zero { try await clock.sleep(delay) }
        } catch {
            throw .unavailable
        }
        switch isPossible ? await outcome(name, password, proof, tag) : .wrong {
        case .right(let roles):
            names.forget(key)
            return Success(roles: roles, cookieSalt: proof.bytes)
        case .wrong:
            names.fail(key)
            addresses.fail(address)
            logger.notice("A login with a wrong name or password was refused.", metadata: ["address": "\(address)"])
            throw .wrongLogin
        case .failed(let error):
            throw error
        }
    }

    /// Returns the present roles (nil if only a login tells them) and the salt of a user's cookies; nil if the user is
    /// gone.
    func cookieFacts(of name: String) throws(CouchError) -> (roles: [String]?, salt: [UInt8])? {
        let proof = try proof(of: name)
        return proof.isKnown ? (proof.roles, proof.bytes) : nil
    }

    /// Another number whenever the users may be others; nil while their file cannot be used. Blocks.
    var usersVersion: UInt64? { if case .file(let file) = source { file.version } else { 0 } }

    /// Runs a verification, or waits for one of the same name and password.
    private func outcome(
        _ name: String,
        _ password: String,
        _ proof: PasswordProof,
        _ tag: PasswordMemory.Tag
    ) async -> Outcome {
        let (task, isNew) = underWay.withLock { underWay -> (Task<Outcome, Never>, Bool) in
            if let task = underWay[tag] { return (task, false) }
            // One that has just ended was remembered before it left the table.
            if let roles = memory.roles(tag) { return (Task { .right(roles) }, false) }
            let task = Task { await check(name, password, proof) }
            underWay[tag] = task
            return (task, true)
        }
        let outcome = await task.value
        if isNew {
            if case .right(let roles) = outcome { memory.remember(tag, roles: roles) }
            underWay.withLock { $0[tag] = nil }
        }
        return outcome
    }

    private func check(_ name: String, _ password: String, _ proof: PasswordProof) async -> Outcome {
        switch source {
        case .none: return .wrong
        case .table(let table): return table.verify(name, password).map { .right($0) } ?? .wrong
        case .closure(let check): return await check(name, password).map { .right($0) } ?? .wrong
        case .file:
            do throws(CouchError) {
                let isRight = try await pool.verify(password, salt: proof.salt, hash: proof.hash, proof.parameters)
                guard isRight, let roles = proof.roles else { return .wrong }
                return .right(roles)
            } catch {
                return .failed(error)
            }
        }
    }

    private func proof(of name: String) throws(CouchError) -> PasswordProof {
        do throws(StorageError) {
            return try PasswordProof(of: name, in: source)
        } catch {
            logger.error("No password can be verified.", metadata: ["reason": "\(error.message)"])
            throw .internalError
        }
    }
}
