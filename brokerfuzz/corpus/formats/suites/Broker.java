package brokerfuzz;

import java.util.List;

/** Connects the tests to your system. Complete this file. brokerfuzz creates it once and does not overwrite it. */
final class Broker {

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
