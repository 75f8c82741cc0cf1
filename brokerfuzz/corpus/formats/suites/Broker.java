package brokerfuzz;

import java.util.List;

/** Connects the tests to your system. Complete this file. brokerfuzz creates it once and does not overwrite it. */
final class Broker {

    /**
     * The time on the clock of your system, such as "2025-06-15T12:00:00Z", or "" for the current time. The verdicts of a few cases
     * depend on the clock. These cases are skipped unless this is their time.
     */
    static final String CLOCK = "";

    /** A header that replaces the default headers of the request with this name (null: do not send this header). */
    record Header(String name, String value) {}

    /**
     * Returns true if your system accepts a message. Most cases have no headers. Return false for a rejection: any exception
     * counts as a crash.
     */
    static boolean accepts(String messageType, byte[] body, List<Header> headers) throws Exception {
        throw new AssertionError("complete accepts() in Broker.java: send the message to your system, and return true if it accepts the message");
    }

    private Broker() {}
}
