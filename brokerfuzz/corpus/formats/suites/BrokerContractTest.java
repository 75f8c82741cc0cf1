package brokerfuzz;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.BufferedReader;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URLDecoder;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The cases of cases.tsv, a test each, written by brokerfuzz. What is to be filled in is in Broker.java. */
class BrokerContractTest {

    private static final String BASE64 = "base64:";

    /** A message and what the contract says of it: valid, invalid or unspecified, and why. */
    private record Case(
            String id, String messageType, String verdict, String twin, String now, String name, String reason,
            List<Broker.Header> headers, byte[] body) {

        static Case read(String line) {
            String[] told = line.split("\t", -1);
            String text = told[8];
            byte[] body = text.startsWith(BASE64) ? Base64.getDecoder().decode(text.substring(BASE64.length())) : text.getBytes(UTF_8);
            return new Case(told[0], told[1], told[2], told[3], told[4], told[5], told[6], headers(told[7]), body);
        }

        private static List<Broker.Header> headers(String form) {
            return Stream.of(form.split("&")).filter(pair -> !pair.isEmpty()).map(Case::header).toList();
        }

        private static Broker.Header header(String pair) {
            String[] parts = pair.split("=", 2);
            return new Broker.Header(URLDecoder.decode(parts[0], UTF_8), parts.length == 1 ? null : URLDecoder.decode(parts[1], UTF_8));
        }

        /** The case for a reader. */
        @Override
        public String toString() {
            StringBuilder sent = new StringBuilder();
            for (Broker.Header header : headers) {
                sent.append(header.value() == null ? "\n  without " + header.name() : "\n  with " + header.name() + ": " + header.value());
            }
            return "the " + verdict + " " + messageType + " " + id + "\n  " + reason + sent + "\n  " + printable(new String(body, UTF_8));
        }

        /** The beginning of a message, what does not print and is not ASCII escaped. */
        private static String printable(String text) {
            return text.chars().limit(500).mapToObj(unit -> String.format(unit < ' ' || unit > '~' ? "\\u%04x" : "%c", unit)).collect(joining());
        }
    }

    private final Map<String, Boolean> answers = new ConcurrentHashMap<>();
    private final Map<String, Case> cases = new LinkedHashMap<>();

    @TestFactory
    Stream<DynamicTest> brokerContract() throws IOException {
        try (InputStream stream = BrokerContractTest.class.getResourceAsStream("cases.tsv")) {
            if (stream == null) {
                throw new FileNotFoundException("brokerfuzz/cases.tsv is not on the class path: it belongs into src/test/resources");
            }
            new BufferedReader(new InputStreamReader(stream, UTF_8)).lines().skip(1).map(Case::read).forEach(one -> cases.put(one.id(), one));
        }
        return cases.values().stream().map(one -> dynamicTest(one.name(), () -> judge(one)));
    }

    private void judge(Case one) {
        assumeTrue(one.now().isEmpty() || one.now().equals(Broker.CLOCK),
                () -> "its verdict holds at " + one.now() + ": set CLOCK in Broker.java where what is tested can be shown that time");
        boolean accepted = accepted(one);
        if (one.verdict().equals("valid")) {
            assertTrue(accepted, () -> "rejected " + one);
        }
        if (one.verdict().equals("invalid")) {
            assertFalse(accepted, () -> "accepted " + one);
            Case twin = cases.get(one.twin());
            assumeTrue(twin == null || accepted(twin), () -> "the rejection proves nothing: the valid twin, " + twin.name() + ", is rejected too");
        }
    }

    /** Asks whether a message is accepted; of a valid one, which may be the twin of many, once. */
    private boolean accepted(Case one) {
        Boolean known = answers.get(one.id());
        if (known != null) {
            return known;
        }
        boolean answer = ask(one);
        if (one.verdict().equals("valid")) {
            answers.put(one.id(), answer);
        }
        return answer;
    }

    private static boolean ask(Case one) {
        try {
            return Broker.accepts(one.messageType(), one.body(), one.headers());
        } catch (Exception problem) {
            return fail("crashed on " + one, problem);
        }
    }
}
