internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeExpressions
internal import StorageProtocol

/// Which documents of a database here are passed on. All conditions must hold.
struct LocalFilter: Sendable {
    /// Only these; nil: any.
    var documentIDs: Set<DocumentID>?
    var selector: MangoSelector?
    var function: (@Sendable (SavedRevision) throws -> Bool)?

    var needsBody: Bool { selector != nil || function != nil }

    /// The same and a condition that the other side asks for.
    ///
    /// - Throws: `PeerError`: `notFound` for a function that nobody has set, `badDocument` for a selector that is none.
    func and(_ wanted: FeedFilter?, in database: Database) throws -> LocalFilter {
        var both = self
        switch wanted {
        case nil: break
        case .documentIDs(let texts):
            let ids = Set(texts.map { DocumentID(unchecked: $0) })
            both.documentIDs = documentIDs.map { $0.intersection(ids) } ?? ids
        case .selector(let text):
            guard selector == nil else { throw PeerError(.badDocument, status: 400, "There is a selector already.") }
            do throws(StorageError) {
                both.selector = try MangoSelector(.object(text))
            } catch {
                throw PeerError(error)
            }
        case .channels: throw PeerError(.badDocument, status: 400, "A database here has no channels.")
        case .named(let name, let parameters):
            guard let named = database.filter(named: name) else {
                throw PeerError(.notFound, status: 404, "missing filter function")
            }
            let inner = function
            both.function = { revision in
                if let inner, try !inner(revision) { return false }
                return try named.function(revision, parameters)
            }
        }
        return both
    }

    enum Judgement: Equatable {
        case passedOn
        case leftOut
        /// The selector or the function failed at it.
        case refused(PeerError)
    }

    /// - Parameter row: with its body if that is needed.
    func judgement(of row: DocumentRow) -> Judgement {
        do {
            return try accepts(row) ? .passedOn : .leftOut
        } catch let error as StorageError {
            return .refused(PeerError(error))
        } catch {
            return .refused(PeerError(.badDocument, status: 500, "The filter function failed."))
        }
    }

    private func accepts(_ row: DocumentRow) throws -> Bool {
        if let documentIDs, !documentIDs.contains(row.documentID) { return false }
        if let selector {
            guard let json = row.json else { return false }
            let isWanted = try selector.matches(
                unsafe json.span.bytes,
                id: row.documentID,
                revision: row.revisionID,
                isDeleted: row.isDeleted
            )
            guard isWanted else { return false }
        }
        guard let function else { return true }
        guard let revision = row.revision else { return false }
        do {
            return try function(revision)
        } catch {
            // Whatever the app throws.
            throw FunctionFailed()
        }
    }
}

/// A function of the app threw.
private struct FunctionFailed: Error {}
