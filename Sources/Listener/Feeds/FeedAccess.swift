internal import HTTPTypes
internal import SetteeCouchProtocol

/// Judges again whether a client may go on to read a feed: before each piece of it, and while it waits.
struct FeedAccess: Sendable {
    let access: Access
    let core: ListenerCore
    let served: ServedDatabase

    /// What access was judged by. It is another one once anything of it may have changed.
    struct Stamp: Sendable, Equatable {
        fileprivate var users: UInt64?
        fileprivate var security: UInt64?
    }

    /// What was found, and by what.
    struct Judgement: Sendable {
        fileprivate let stamp: Stamp
        let access: FeedAccess

        /// Whether it has to be judged again.
        func isOld(at present: Stamp) -> Bool { stamp != present || access.core.policy.isOver(access.access) }
    }

    /// Nil where nobody logs in: then everybody may do everything.
    init?(_ access: Access, _ core: ListenerCore, _ served: ServedDatabase) {
        guard core.policy.configuration.needsLogin else { return nil }
        self.access = access
        self.core = core
        self.served = served
    }

    /// Judges. Blocks.
    ///
    /// - Throws: `AccessRefusal` with 401 or 403.
    func judge() throws -> Judgement {
        // Before the rest: what changes between the two is found the next time.
        let stamp = stamp()
        do throws(CouchError) {
            let present = try core.policy.review(access)
            if present.user.isAdmin {
                try present.require(.databaseRead)
            } else {
                try present.require(.databaseRead, in: try security())
            }
        } catch {
            throw AccessRefusal(error: error, headers: [:])
        }
        return Judgement(stamp: stamp, access: self)
    }

    /// What is to be judged by now.
    func presentStamp() async throws -> Stamp { try await core.threads.run { stamp() } }

    private func stamp() -> Stamp {
        Stamp(users: core.policy.passwords.usersVersion, security: try? served.securityVersion())
    }

    private func security() throws(CouchError) -> DatabaseSecurity {
        do {
            return try served.security()
        } catch {
            throw CouchError(any: error)
        }
    }
}
