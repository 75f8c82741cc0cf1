package brokerfuzz;

/** Connects the tests to your system. Complete this file. brokerfuzz creates it once and does not overwrite it. */
final class Broker {

    /** Returns true if your system accepts a message. Return false for a rejection: any exception counts as a crash. */
    static boolean accepts(String messageType, byte[] body) throws Exception {
        throw new AssertionError("complete accepts() in Broker.java: send the message to your system, and return true if it accepts the message");
    }

    private Broker() {}
}
