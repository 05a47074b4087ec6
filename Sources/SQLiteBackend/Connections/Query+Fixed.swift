extension Query.Fixed {
    var text: String {
        switch self {
        case .begin: "BEGIN"
        case .beginImmediate: "BEGIN IMMEDIATE"
        case .commit: "COMMIT"
        case .rollback: "ROLLBACK"
        case .dataVersion: "PRAGMA data_version"
        // Requests a page, the first of a table.
        case .page: "SELECT one FROM counters"
        case .schemaVersion: "PRAGMA schema_version"

        case .counters:
            """
            SELECT sequence, live, extra, \
            (SELECT max(sequence) FROM documents), (SELECT live FROM documents ORDER BY sequence DESC LIMIT 1), \
            (SELECT max(sequence) FROM purges), (SELECT live FROM purges ORDER BY sequence DESC LIMIT 1) \
            FROM counters WHERE one = 1
            """
        case .insert: "INSERT INTO documents(id, sequence, flags, live, revision, tree, body) VALUES(?,?,?,?,?,?,?)"
        case .insertMany:
            // OR FAIL: without it SQLite opens a statement journal, to undo the rows before a refused one. Here a
            // refusal dooms the transaction in any case.
            "INSERT OR FAIL INTO documents(id, sequence, flags, live, revision, tree, body) "
                + "SELECT c0, c1, c2, c3, c4, c5, c6 FROM settee_feed"
        // OR FAIL here too: see docs/internals/sqlite-engine.md, "Statement journals".
        case .update:
            "UPDATE OR FAIL documents SET sequence = ?1, flags = ?2, live = ?3, revision = ?4, tree = ?5 WHERE doc = ?6"
        case .updateBody:
            """
            UPDATE OR FAIL documents SET sequence = ?1, flags = ?2, live = ?3, revision = ?4, tree = ?5, body = ?7 \
            WHERE doc = ?6
            """
        case .keepBody:
            // SQLite would treat INSERT ... SELECT as one of many rows.
            "INSERT OR REPLACE INTO bodies(sequence, doc, body) "
                + "VALUES(?1, ?2, (SELECT body FROM documents WHERE doc = ?2))"
        case .delete: "DELETE FROM documents WHERE doc = ?1"
        case .deleteExpiration: "DELETE FROM expirations WHERE id = ?1"
        case .hide: "INSERT INTO purges(sequence, id, live) VALUES(?, ?, ?)"
        case .sequenceUse:
            """
            SELECT 1 FROM documents WHERE sequence = ?1 UNION ALL SELECT 1 FROM purges WHERE sequence = ?1 \
            UNION ALL SELECT NULL
            """
        case .setCounters: "UPDATE OR FAIL counters SET sequence = ?1, live = ?2, extra = ?3 WHERE one = 1"
        case .floor: "UPDATE OR FAIL counters SET sequence = ?1, live = ?2 WHERE one = 1"
        case .trim: "DELETE FROM purges WHERE sequence <= ?1"
        case .addExtra: "UPDATE OR FAIL counters SET extra = extra + 1 WHERE one = 1"
        case .documentNumber: "SELECT doc, flags FROM documents WHERE id = ?1 UNION ALL SELECT NULL, NULL"
        case .numbers: "SELECT (SELECT min(doc) FROM documents), (SELECT max(doc) FROM documents)"
        case .greatestID: "SELECT max(id) FROM documents"

        case .revisionBody: "SELECT body FROM bodies WHERE sequence = ?1 UNION ALL SELECT NULL"
        case .revisionBodies:
            // A body whose document is missing has no ID, and so is reported as damage.
            """
            SELECT b.sequence, d.id, b.body FROM bodies AS b LEFT JOIN documents AS d ON d.doc = b.doc \
            WHERE b.sequence > ?1 ORDER BY b.sequence
            """
        case .putRevisionBody: "INSERT OR REPLACE INTO bodies(sequence, doc, body) VALUES(?, ?, ?)"
        case .removeRevisionBody: "DELETE FROM bodies WHERE sequence = ?1"
        case .hiddenEntries: "SELECT sequence, id FROM purges WHERE sequence BETWEEN ?1 AND ?2 ORDER BY sequence"

        case .localDocument:
            "SELECT revision, body FROM local_documents WHERE id = ?1 UNION ALL SELECT NULL, NULL"
        case .localDocuments:
            "SELECT id, revision, body FROM local_documents WHERE id > ?1 ORDER BY id"
        case .changeLocalDocument: "UPDATE OR FAIL local_documents SET revision = ?2, body = ?3 WHERE id = ?1"
        case .addLocalDocument: "INSERT OR FAIL INTO local_documents(id, revision, body) VALUES(?, ?, ?)"
        case .removeLocalDocument: "DELETE FROM local_documents WHERE id = ?1"

        case .expiration: "SELECT time FROM expirations WHERE id = ?1 UNION ALL SELECT NULL"
        case .expirations: "SELECT time, id FROM expirations WHERE time <= ?1 ORDER BY time, id"
        case .changeExpiration: "UPDATE OR FAIL expirations SET time = ?2 WHERE id = ?1"
        case .addExpiration: "INSERT OR FAIL INTO expirations(id, time) VALUES(?, ?)"

        case .info: "SELECT value FROM info WHERE key = ?1 UNION ALL SELECT NULL"
        case .allInfo: "SELECT key, value FROM info ORDER BY key"
        case .putInfo: "INSERT OR REPLACE INTO info(key, value) VALUES(?, ?)"
        case .changeInfo: "UPDATE OR FAIL info SET value = ?2 WHERE key = ?1"
        case .addInfo: "INSERT OR FAIL INTO info(key, value) VALUES(?, ?)"
        case .removeInfo: "DELETE FROM info WHERE key = ?1"

        case .blobReference:
            "SELECT digest, name, length, count FROM blob_references WHERE digest = ?1 "
                + "UNION ALL SELECT NULL, NULL, NULL, NULL"
        case .blobReferences:
            "SELECT digest, name, length, count FROM blob_references WHERE digest > ?1 ORDER BY digest"
        case .putBlobReference:
            "INSERT OR REPLACE INTO blob_references(digest, name, length, count) VALUES(?, ?, ?, ?)"
        case .changeBlobReference:
            "UPDATE OR FAIL blob_references SET name = ?2, length = ?3, count = ?4 WHERE digest = ?1"
        case .addBlobReference:
            "INSERT OR FAIL INTO blob_references(digest, name, length, count) VALUES(?, ?, ?, ?)"
        case .removeBlobReference: "DELETE FROM blob_references WHERE digest = ?1"

        case .indexNames: "SELECT name FROM indexes WHERE name IS NOT NULL ORDER BY name"
        case .indexState:
            "SELECT number, version, collation, last_sequence, changed_sequence, row_count, keeps_sequences, entries "
                + "FROM indexes WHERE name = ?1 UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL"
        case .addIndex:
            "INSERT INTO indexes(version, collation, last_sequence, changed_sequence, row_count, name, "
                + "keeps_sequences, "
                + "entries) VALUES(?1, ?2, ?3, ?4, 0, ?5, ?6, ?7)"
        case .setIndexState:
            "UPDATE OR FAIL indexes SET version = ?1, collation = ?2, last_sequence = ?3, changed_sequence = ?4 WHERE "
                + "name = ?5"
        case .addIndexRows: "UPDATE OR FAIL indexes SET row_count = row_count + ?1 WHERE number = ?2"
        case .dropIndex: "UPDATE OR FAIL indexes SET name = NULL WHERE number = ?1"
        case .droppedIndex:
            "SELECT max(number), max(entries) FROM indexes WHERE number = "
                + "(SELECT min(number) FROM indexes WHERE name IS NULL)"
        case .removeIndex: "DELETE FROM indexes WHERE number = ?1"
        case .indexEntry: "SELECT value FROM index_entries WHERE number = ?1 AND key = ?2 UNION ALL SELECT NULL"
        case .putIndexEntry: "INSERT OR REPLACE INTO index_entries(number, key, value) VALUES(?, ?, ?)"
        case .changeIndexEntry: "UPDATE OR FAIL index_entries SET value = ?3 WHERE number = ?1 AND key = ?2"
        case .addIndexEntry: "INSERT OR FAIL INTO index_entries(number, key, value) VALUES(?, ?, ?)"
        case .lastEntries:
            "SELECT max(ifnull((SELECT max(entries) FROM indexes), 0), ifnull((SELECT max(number) FROM "
                + "removed_entries), 0))"
        case .moveEntries: "UPDATE OR FAIL indexes SET entries = ?1 WHERE number = ?2"
        case .addRemovedEntries: "INSERT INTO removed_entries(number) VALUES(?1)"
        case .removedEntries: "SELECT min(number) FROM removed_entries"
        case .forgetRemovedEntries: "DELETE FROM removed_entries WHERE number = ?1"
        case .removeSomeEntries:
            "DELETE FROM index_entries WHERE number = ?1 AND key IN "
                + "(SELECT key FROM index_entries WHERE number = ?1 ORDER BY key LIMIT \(Query.rowsRemovedAtOnce))"
        }
    }
}
