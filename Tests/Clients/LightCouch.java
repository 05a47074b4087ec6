// LightCouch 0.2.0 (Debian: liblightcouch-java) through its API against `settee serve`. Arguments: the server's port, a
// name and a password, and the folder with `design-docs` that is on the class path, too.
import com.google.gson.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.lightcouch.Attachment;
import org.lightcouch.Changes;
import org.lightcouch.ChangesResult;
import org.lightcouch.CouchDbClient;
import org.lightcouch.CouchDbException;
import org.lightcouch.CouchDbInfo;
import org.lightcouch.DesignDocument;
import org.lightcouch.Document;
import org.lightcouch.DocumentConflictException;
import org.lightcouch.NoDocumentException;
import org.lightcouch.Page;
import org.lightcouch.Params;
import org.lightcouch.Response;
import org.lightcouch.ViewResult;

public class LightCouch {
    public static class Book extends Document {
        String title;
        int year;
        List<String> tags = new ArrayList<>();

        Book() {}

        Book(String id, String title, int year, String... tags) {
            setId(id);
            this.title = title;
            this.year = year;
            this.tags = Arrays.asList(tags);
        }
    }

    private final CouchDbClient client;

    private LightCouch(CouchDbClient client) {
        this.client = client;
    }

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        writeDesk(Path.of(arguments[3], "design-docs", "shelf"));
        try (CouchDbClient client =
                new CouchDbClient("books", true, "http", "127.0.0.1", port, arguments[1], arguments[2])) {
            LightCouch trial = new LightCouch(client);
            trial.databases();
            trial.documents();
            trial.options();
            trial.attachments();
            trial.bulk();
            trial.designDocuments();
            trial.views();
            trial.pages();
            trial.changes();
            trial.notImplemented();
            client.context().deleteDB("books", "delete database");
            check(!client.context().getAllDbs().contains("books"), "the database is still there");
        }
    }

    private static void check(boolean condition, String message) {
        if (!condition) throw new AssertionError(message);
    }

    private static <E extends Exception> void fails(Class<E> kind, Runnable body) {
        try {
            body.run();
        } catch (Exception error) {
            check(kind.isInstance(error), "another error: " + error);
            return;
        }
        throw new AssertionError("no " + kind.getSimpleName());
    }

    private void databases() {
        check(client.context().serverVersion().startsWith("3."), "version");
        check(client.context().getAllDbs().contains("books"), "the database was not made");
        client.context().createDB("other");
        client.context().createDB("other");
        client.context().deleteDB("other", "delete database");
        CouchDbInfo info = client.context().info();
        check(info.getDbName().equals("books") && info.getDocCount() == 0, "info: " + info);
        check(info.getInstanceStartTime() > 0 && info.getDiskSize() > 0 && !info.isCompactRunning(), "info: " + info);
        check(client.context().uuids(3).size() == 3, "uuids");
        client.context().ensureFullCommit();
        client.context().compact();
    }

    private void documents() throws Exception {
        Response saved = client.save(new Book("little/big", "Little, Big", 1981, "ü", "🛋"));
        check(saved.getId().equals("little/big") && saved.getRev().startsWith("1-"), "save: " + saved);
        check(client.contains("little/big") && !client.contains("none"), "contains");
        Book book = client.find(Book.class, "little/big");
        check(book.title.equals("Little, Big") && book.tags.equals(List.of("ü", "🛋")), "find");
        book.year = 1982;
        Response updated = client.update(book);
        check(updated.getRev().startsWith("2-"), "update: " + updated);
        check(client.find(Book.class, "little/big", saved.getRev()).year == 1981, "find with a revision");
        fails(DocumentConflictException.class, () -> client.update(book));
        fails(DocumentConflictException.class, () -> client.save(new Book("little/big", "Again", 0)));
        fails(NoDocumentException.class, () -> client.find(Book.class, "none"));
        fails(IllegalArgumentException.class, () -> client.update(new Book("x", "without a revision", 0)));
        check(client.save(new Book(null, "Without an ID", 1)).getId().length() >= 32, "an ID was made");
        check(client.post(new Book(null, "Posted", 2)).getId() != null, "post");
        client.batch(new Book("batch", "Batch", 3));
        check(client.contains("batch"), "batch");
        try (InputStream stream = client.find("batch")) {
            check(new String(stream.readAllBytes(), StandardCharsets.UTF_8).contains("\"year\":3"), "find a stream");
        }
        check(client.findAny(Book.class, client.getDBUri() + "batch").title.equals("Batch"), "findAny");
        JsonObject object = new JsonObject();
        object.addProperty("_id", "json");
        object.addProperty("n", 1);
        check(client.save(object).getRev() != null && client.find(JsonObject.class, "json").get("n").getAsInt() == 1, "JSON");
        check(client.remove(client.find(JsonObject.class, "json")).getRev().startsWith("2-"), "remove");
        check(client.remove("little/big", updated.getRev()).getRev().startsWith("3-"), "remove with a revision");
        check(!client.contains("little/big"), "it was removed");
    }

    private void options() {
        Response first = client.save(new Book("options", "One", 1));
        Book second = client.find(Book.class, "options");
        second.title = "Two";
        client.update(second);
        JsonObject found = client.find(JsonObject.class, "options",
            new Params().revsInfo().revisions().conflicts().localSeq().attachments());
        check(found.getAsJsonObject("_revisions").get("start").getAsInt() == 2, "revisions: " + found);
        check(found.getAsJsonArray("_revs_info").size() == 2 && found.has("_local_seq"), "revs_info: " + found);
        Book old = client.find(Book.class, "options", new Params().rev(first.getRev()));
        check(old.title.equals("One"), "rev");
        check(client.find(JsonObject.class, "options", new Params().addParam("meta", "true")).has("_revs_info"), "meta");
    }

    private void attachments() throws Exception {
        byte[] bytes = new byte[100_000];
        for (int place = 0; place < bytes.length; place++) bytes[place] = (byte) (place * 31);
        Response made = client.saveAttachment(new ByteArrayInputStream(bytes), "photo.png", "image/png");
        try (InputStream stream = client.find(made.getId() + "/photo.png")) {
            check(Arrays.equals(stream.readAllBytes(), bytes), "the attachment is another one");
        }
        Response more = client.saveAttachment(
            new ByteArrayInputStream("hello".getBytes(StandardCharsets.UTF_8)), "a.txt", "text/plain",
            made.getId(), made.getRev());
        check(more.getRev().startsWith("2-"), "a second attachment: " + more);
        Book inline = new Book("inline", "Inline", 1);
        inline.addAttachment("b.txt", new Attachment(Base64.getEncoder().encodeToString("hi".getBytes()), "text/plain"));
        client.save(inline);
        Book read = client.find(Book.class, "inline", new Params().attachments());
        Attachment attachment = read.getAttachments().get("b.txt");
        check(attachment.getData().equals("aGk=") && attachment.getContentType().equals("text/plain"), "inline");
        Book stub = client.find(Book.class, "inline");
        check(stub.getAttachments().get("b.txt").isStub() && stub.getAttachments().get("b.txt").getLength() == 2, "stub");
        stub.title = "Kept";
        client.update(stub);
        check(client.find(Book.class, "inline", new Params().attachments()).getAttachments().get("b.txt").getData()
            .equals("aGk="), "an update lost the attachment");
    }

    private void bulk() {
        List<Object> books = new ArrayList<>();
        for (int number = 0; number < 200; number++) {
            books.add(new Book(String.format("b%03d", number), "Title " + number % 10, 1900 + number, "t" + number % 3));
        }
        List<Response> answers = client.bulk(books, true);
        check(answers.size() == 200 && answers.stream().allMatch(answer -> answer.getError() == null), "bulk");
        List<Response> again = client.bulk(books.subList(0, 2), true);
        check(again.size() == 2 && again.get(1).getError().equals("conflict"), "conflicts in bulk: " + again);
        List<Book> all = client.view("_all_docs").includeDocs(true).startKey("b000").endKey("b199").query(Book.class);
        check(all.size() == 200 && all.get(199).year == 2099, "_all_docs");
    }

    private static void writeDesk(Path shelf) throws Exception {
        for (String[] file : new String[][] {
            {"views/byYear/map.js", "function(doc) { if (doc.year) emit(doc.year, doc.title); }"},
            {"views/byID/map.js", "function(doc) { if (doc.year) emit(doc._id, doc.year); }"},
            {"views/byTag/map.js", "function(doc) { (doc.tags || []).forEach(tag => emit([tag, doc.year], 1)); }"},
            {"views/byTag/reduce.js", "_sum"},
            {"filters/old.js", "function(doc, req) { return doc.year < 1950; }"},
            {"validate_doc_update/check.js", "function(doc) { if (doc.title == 'Forbidden') throw {forbidden: 'no'}; }"},
        }) {
            Path path = shelf.resolve(file[0]);
            Files.createDirectories(path.getParent());
            Files.writeString(path, file[1]);
        }
    }

    private void designDocuments() {
        DesignDocument shelf = client.design().getFromDesk("shelf");
        Response made = client.design().synchronizeWithDb(shelf);
        check(made.getId().equals("_design/shelf"), "synchronize: " + made);
        client.syncDesignDocsWithDb();
        DesignDocument stored = client.design().getFromDb("_design/shelf");
        check(stored.equals(shelf) && stored.getRevision().equals(made.getRev()), "the design document is another one");
        check(client.design().getFromDb("_design/shelf", made.getRev()).getViews().size() == 3, "with a revision");
        shelf.setRevision(made.getRev());
        Map<String, DesignDocument.MapReduce> views = shelf.getViews();
        DesignDocument.MapReduce count = new DesignDocument.MapReduce();
        count.setMap("doc => { if (doc.year) emit(null, true) }");
        count.setReduce("_count");
        views.put("count", count);
        check(client.design().synchronizeWithDb(shelf).getRev().startsWith("2-"), "a change");
        fails(CouchDbException.class, () -> client.save(new Book("f", "Forbidden", 1)));
    }

    private void views() throws Exception {
        List<Book> found = client.view("shelf/byYear").startKey(1910).endKey(1919).includeDocs(true).query(Book.class);
        check(found.size() == 10 && found.get(0).getId().equals("b010"), "a range");
        found = client.view("shelf/byYear").startKey(1919).endKey(1910).descending(true).inclusiveEnd(false).skip(1)
            .limit(3).includeDocs(true).query(Book.class);
        check(found.size() == 3 && found.get(0).year == 1918, "descending");
        ViewResult<Integer, String, Book> rows = client.view("shelf/byYear").keys(List.of(1950, 1940)).updateSeq(true)
            .includeDocs(true).queryView(Integer.class, String.class, Book.class);
        check(rows.getRows().size() == 2 && rows.getRows().get(0).getKey() == 1950, "keys: " + rows);
        check(rows.getRows().get(1).getDoc().year == 1940 && rows.getTotalRows() > 200, "keys: " + rows);
        check(rows.getUpdateSeq() != null, "update_seq");
        check(client.view("shelf/byYear").key(1955).includeDocs(true).query(Book.class).size() == 1, "a key");
        ViewResult<String[], Integer, Object> groups = client.view("shelf/byTag").reduce(true).groupLevel(1)
            .queryView(String[].class, Integer.class, Object.class);
        check(groups.getRows().stream().filter(row -> row.getKey()[0].equals("t0")).findFirst().get().getValue() == 67,
            "groups: " + groups);
        check(client.view("shelf/byTag").startKey("t1", 0).endKey("t1", 9999).queryForInt() == 67, "a reduction");
        check(client.view("shelf/count").queryForLong() > 200, "_count");
        check(client.view("shelf/count").queryForString().matches("[0-9]+"), "as text");
        check(client.view("shelf/count").reduce(false).limit(1).queryForBoolean(), "as a truth value");
        check(client.view("shelf/byTag").group(true).stale("ok").queryView(Object.class, Integer.class, Object.class)
            .getRows().size() == 200, "group");
        try (InputStream stream = client.view("shelf/byYear").limit(1).startKeyDocId("b000").startKey(1900)
                .endKeyDocId("b001").queryForStream()) {
            check(new String(stream.readAllBytes(), StandardCharsets.UTF_8).contains("\"id\":\"b000\""), "a stream");
        }
        fails(NoDocumentException.class, () -> client.view("shelf/none").query(Book.class));
        fails(NoDocumentException.class, () -> client.view("shelf/byYear").key(1).queryForInt());
    }

    /// The keys are texts: the client makes texts of them.
    private void pages() {
        Page<Book> page = client.view("shelf/byID").startKey("b000").includeDocs(true).queryPage(30, null, Book.class);
        check(page.getResultList().size() == 30 && page.isHasNext(), "the first page");
        Page<Book> next = client.view("shelf/byID").includeDocs(true).queryPage(30, page.getNextParam(), Book.class);
        check(next.getResultList().size() == 30 && next.getResultList().get(0).getId().equals("b030"), "the second page");
        check(page.isHasNext() && next.isHasNext(), "there are more");
        // From `offset`, which also counts the rows before the first page: documents whose IDs were made.
        check(next.isHasPrevious() && next.getPageNumber() == page.getPageNumber() + 1,
            "the page's number: " + page.getPageNumber() + ", " + next.getPageNumber());
    }

    private void changes() {
        ChangesResult all = client.changes().includeDocs(true).getChanges();
        check(all.getResults().size() > 200 && all.getResults().get(0).getSeq() != null, "changes");
        check(all.getResults().stream().anyMatch(ChangesResult.Row::isDeleted), "no deletion");
        check(client.changes().limit(2).style("all_docs").getChanges().getResults().size() == 2, "limit");
        check(client.changes().filter("shelf/old").includeDocs(true).getChanges().getResults().stream()
            .allMatch(row -> row.getDoc().get("year").getAsInt() < 1950), "filter");
        Changes feed = client.changes().since(all.getLastSeq()).includeDocs(true).heartBeat(1000).continuousChanges();
        Response one = client.save(new Book("feed", "Feed", 1));
        check(feed.hasNext(), "the feed has ended");
        ChangesResult.Row row = feed.next();
        check(row.getId().equals("feed") && row.getChanges().get(0).getRev().equals(one.getRev()), "the feed's row");
        check(row.getDoc().get("title").getAsString().equals("Feed"), "the row's document");
        feed.stop();
        client.save(new Book("feed2", "Feed", 1));
        check(!feed.hasNext(), "the feed goes on");
        check(client.changes().since(all.getLastSeq()).timeout(100).getChanges().getResults().size() == 2, "since");
    }

    /// What answers 501 or 404 is an error for the client, and not the end of its connection.
    private void notImplemented() {
        fails(CouchDbException.class, () -> client.invokeUpdateHandler("shelf/none", "b000", new Params()));
        fails(NoDocumentException.class, () -> client.replicator().findAll());
        fails(CouchDbException.class, () -> client.findDocs("{\"selector\":{\"year\":1900}}", Book.class));
        check(client.contains("b000"), "the connection is of no further use");
    }
}
