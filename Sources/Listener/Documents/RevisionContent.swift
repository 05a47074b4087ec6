/// A revision as it is sent: its JSON, and the attachments that follow in parts of their own.
struct RevisionContent: Sendable {
    var json: [UInt8]
    var attachments: [FollowingAttachment] = []
}
