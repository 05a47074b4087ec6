internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

// Attachments are merged one by one, like properties.
extension ModelState {
    /// The entries of attachments, including unsaved edits.
    var attachments: JSONObject { properties.attachments }

    /// Replaces the entries. Returns false if they were the same.
    mutating func setAttachments(_ entries: JSONObject) -> Bool {
        var rest: JSONValue?
        if !entries.isEmpty { rest = .object(entries) }
        let isChange = set(SpecialMembers.attachmentsName, rest)
        if isChange { dropUnusedContents() }
        return isChange
    }

    /// Returns the content that an entry names, if this model holds it.
    func stagedContent(of entry: JSONValue) -> StagedAttachment? {
        guard !staged.isEmpty, let digest = entry["digest"]?.stringValue else { return nil }
        return staged.last { $0.digest == digest || $0.md5Digest == digest }
    }

    /// Releases contents that no entry needs anymore.
    mutating func dropUnusedContents() {
        guard !staged.isEmpty, openSaves == 0 else { return }
        let digests = Set(attachments.values.filter(\.follows).compactMap { $0["digest"]?.stringValue })
        staged.removeAll { !digests.contains($0.digest) }
    }

    /// The entries as stubs, as they will be once saved; nil if there are none.
    var attachmentStubs: JSONValue? {
        guard let present = properties[SpecialMembers.attachmentsName] else { return nil }
        guard var entries = present.objectValue else { return present }
        for (name, entry) in entries where entry.follows {
            guard var stub = entry.objectValue else { continue }
            stub["follows"] = nil
            stub["stub"] = true
            stub["revpos"] = JSONValue(UInt64(clamping: (revision?.generation ?? 0) + 1))
            entries[name] = .object(stub)
        }
        return .object(entries)
    }

    /// Returns the properties with the form of a value in place of what its type declares.
    func properties(with form: EncodedForm, _ declared: DeclaredMembers?) -> JSONObject {
        let rest = JSONValue.object(properties.withoutAttachments)
        let merged = DeclaredMembers.merge(.object(form.members), over: rest, declared)
        var written = merged.objectValue ?? form.members
        if form.attachments != nil || declared?.names(SpecialMembers.attachmentsName) == true {
            written[SpecialMembers.attachmentsName] = entries(given: form.attachments)
        } else {
            written[SpecialMembers.attachmentsName] = properties[SpecialMembers.attachmentsName]
        }
        return written
    }

    /// Returns the entries for a value's `_attachments`. A type may declare only some members of an entry.
    func entries(given: JSONValue?) -> JSONValue? {
        guard let given = given?.objectValue else { return given }
        if given.isEmpty { return nil }
        let known = attachments
        var entries = given
        for (name, entry) in given where entry["data"] == nil {
            let digest = entry["digest"]
            if let present = known[name], digest == nil || digest == present["digest"] {
                entries[name] = ModelState.entry(present, contentType: entry["content_type"])
            } else if let staged = stagedContent(of: entry), var taken = entry.objectValue {
                taken["stub"] = nil
                taken["revpos"] = nil
                taken["follows"] = true
                taken["digest"] = .string(staged.digest)
                entries[name] = .object(taken)
            }
        }
        return .object(entries)
    }

    /// Returns an entry with the content type that a value gives, if any. A changed entry names its content by digest,
    /// because a stub only repeats what is stored.
    private static func entry(_ present: JSONValue, contentType: JSONValue?) -> JSONValue {
        guard let contentType, !contentType.isNull, contentType != present["content_type"],
            var changed = present.objectValue
        else { return present }
        changed["content_type"] = contentType
        changed["stub"] = nil
        changed["revpos"] = nil
        if changed["data"] == nil { changed["follows"] = true }
        return .object(changed)
    }

    /// Merges the entries of a model, which had `base` and now has `mine`, with `theirs`, saved elsewhere: what the
    /// model set or removed stays, and everything else is taken from `theirs`.
    static func merged(_ mine: JSONObject, _ base: JSONObject, _ theirs: JSONObject) -> JSONObject {
        var merged = theirs
        for (name, entry) in mine where base[name] != entry {
            let same = theirs[name].map {
                $0["digest"] == entry["digest"] && $0["content_type"] == entry["content_type"]
            }
            // What is already stored is no longer an edit.
            if same != true || entry["data"] != nil { merged[name] = entry }
        }
        for (name, _) in base where mine[name] == nil { merged[name] = nil }
        return merged
    }

    /// Replaces entries by the ones they have become: those sent by those stored, or the other way round.
    mutating func exchangeAttachments(_ sent: JSONObject, by stored: JSONObject) {
        var entries = attachments
        for (name, entry) in sent where entries[name] == entry { entries[name] = stored[name] }
        _ = setAttachments(entries)
    }
}

extension JSONObject {
    var attachments: JSONObject { self[SpecialMembers.attachmentsName]?.objectValue ?? [:] }
}

extension JSONValue {
    /// Whether this is the entry of an attachment whose content follows.
    fileprivate var follows: Bool { self["follows"]?.boolValue == true }
}
