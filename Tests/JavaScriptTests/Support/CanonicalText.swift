import SetteeDocumentValues

func canonicalText(_ json: String) throws -> String { text(try JSONValue(parsing: json).canonicalBytes()) }
