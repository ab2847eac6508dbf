// SPDX-License-Identifier: MIT
// FileChannel.transferTo from standard input, which must be a file: of anything else it takes the size for 0.
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;

public class ChannelTransfer {
    public static void main(String[] arguments) throws IOException {
        try (FileChannel in = new FileInputStream(FileDescriptor.in).getChannel();
             FileChannel out = new FileOutputStream(FileDescriptor.out).getChannel()) {
            long position = in.position();
            for (long moved; (moved = in.transferTo(position, Long.MAX_VALUE - position, out)) > 0; position += moved) {
            }
        }
    }
}
