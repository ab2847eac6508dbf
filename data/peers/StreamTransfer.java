// SPDX-License-Identifier: MIT
// InputStream.transferTo between the bare descriptors: System.in and System.out would put buffers between.
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;

public class StreamTransfer {
    public static void main(String[] arguments) throws IOException {
        try (FileInputStream in = new FileInputStream(FileDescriptor.in);
             FileOutputStream out = new FileOutputStream(FileDescriptor.out)) {
            in.transferTo(out);
        }
    }
}
