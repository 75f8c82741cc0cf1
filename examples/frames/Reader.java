// Reads messages from `brokerfuzz fire --exec 'java Reader.java' --lines frames`, and answers each with one line.

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;

public class Reader {
    /** Replace this method with the code that you test. */
    static String answer(byte[] body) {
        return body.length > 0 && body[0] == '{' ? "accepted" : "rejected: expected an object";
    }

    public static void main(String[] arguments) throws IOException {
        var input = new DataInputStream(new BufferedInputStream(System.in));
        while (true) {
            byte[] body;
            try {
                body = new byte[input.readInt()];
            } catch (EOFException end) {
                return;
            }
            input.readFully(body);
            System.out.println(answer(body));
            System.out.flush();
        }
    }
}
