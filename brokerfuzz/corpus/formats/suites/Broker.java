package brokerfuzz;

import java.util.List;

/** What is tested, and how it is asked. This file is yours: it is written once, and kept when the corpus is written again. */
final class Broker {

    /**
     * The time that the clock of what you test shows, such as "2025-06-15T12:00:00Z", or "" for the present. A few verdicts follow
     * the clock: those cases are skipped at any other time.
     */
    static final String CLOCK = "";

    /** What a request has in place of its usual headers of this name; a value of null: no such header. */
    record Header(String name, String value) {}

    /**
     * Whether what you test accepts a message. Few cases have headers. Reject by returning false: whatever is thrown counts as a crash.
     */
    static boolean accepts(String messageType, byte[] body, List<Header> headers) throws Exception {
        throw new AssertionError("fill in accepts() in Broker.java: ask what you test, and return whether it accepts the message");
    }

    private Broker() {}
}
