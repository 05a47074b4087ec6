internal import HTTPTypes
internal import SetteeCouchProtocol
internal import Testing

@testable internal import SetteeListener

@Suite struct RightTests {
    /// What each role may do, on a listener and in a database without `_security`.
    static let granted: [(roles: [String], rights: Set<AccessRight>)] = [
        ([], [.open]), (["sales"], [.open]), (["Admin"], [.open]), (["_reader"], [.open]),
        (["reader"], [.open, .serverRead, .databaseRead, .localWrite]),
        (["writer"], [.open, .serverRead, .databaseRead, .localWrite, .databaseWrite]),
        (["reader", "writer"], [.open, .serverRead, .databaseRead, .localWrite, .databaseWrite]),
        (["admin"], Set(AccessRight.allCases)), (["_admin"], Set(AccessRight.allCases)),
        (["sales", "admin", "reader"], Set(AccessRight.allCases)),
    ]

    @Test(arguments: granted) func rolesGiveRights(roles: [String], rights: Set<AccessRight>) throws {
        let access = Access(
            user: UserContext(name: "ida", roles: roles),
            method: .basic,
            headers: [:],
            isReadOnly: false
        )
        for right in AccessRight.allCases {
            #expect(refusal(access, right)?.status == (rights.contains(right) ? nil : 403), "\(right)")
        }
    }

    @Test(arguments: granted) func readOnlyStaysSo(roles: [String], rights: Set<AccessRight>) {
        let access = Access(
            user: UserContext(name: "ida", roles: roles),
            method: .basic,
            headers: [:],
            isReadOnly: true
        )
        let changes: Set<AccessRight> = [.databaseWrite, .databaseAdmin, .serverAdmin]
        for right in AccessRight.allCases {
            let isGranted = rights.contains(right) && !changes.contains(right)
            #expect(refusal(access, right)?.status == (isGranted ? nil : 403), "\(right)")
        }
    }

    /// Somebody who pulls writes checkpoints, and posts what only reads.
    @Test func readOnlyListenersCanBePulledFrom() async {
        let fixture = PolicyFixture { $0.isReadOnly = true }
        #expect(await fixture.status(.basic("rob", "rob's word", .post), needs: .databaseRead) == 200)
        #expect(await fixture.status(.basic("rob", "rob's word", .put), needs: .localWrite) == 200)
        guard
            case .failure(let refusal) = await fixture.decide(.basic("ada", "ada's word", .put), needs: .databaseWrite)
        else {
            Issue.record("A read-only listener takes a write.")
            return
        }
        #expect(refusal.error == .forbidden("The listener is read-only."))
    }

    @Test func theListenerDecidesFirst() async throws {
        let security = try DatabaseSecurity(
            parsing: Array(#"{"admins":{"names":["ida","rob","eve"]},"members":{"names":["eve"]}}"#.utf8)
        )
        for (name, roles, rights) in [
            ("ida", ["writer"], [.databaseRead, .databaseWrite, .databaseAdmin, .localWrite]),
            // A reader stays one, whatever the database says, and somebody without a role stays out.
            ("rob", ["reader"], [.databaseRead, .localWrite]), ("eve", ["sales"], []),
            ("ada", ["admin"], [.databaseRead, .databaseWrite, .databaseAdmin, .localWrite]),
            ("kim", ["writer"], []),
        ] as [(String, [String], Set<AccessRight>)] {
            let user = UserContext(name: name, roles: roles)
            let access = Access(user: user, method: .basic, headers: [:], isReadOnly: false)
            for right in [AccessRight.databaseRead, .databaseWrite, .databaseAdmin, .localWrite] {
                #expect((refusal(access, right, security) == nil) == rights.contains(right), "\(name) \(right)")
            }
        }
    }

    private func refusal(
        _ access: Access,
        _ right: AccessRight,
        _ security: DatabaseSecurity = .open
    ) -> CouchError? {
        do throws(CouchError) {
            try access.require(right, in: security)
            return nil
        } catch {
            return error
        }
    }
}
