import { readSync } from 'node:fs';
import type { IPty } from '@lydell/node-pty';

/**
 * Also passes on what a program wrote just before its end. Node may end the stream of a terminal that all have closed
 * before it has read everything.
 */
export function onWholeOutput(pty: IPty, take: (bytes: Buffer) => void): void {
  const { _socket: socket, fd } = pty as unknown as { readonly _socket: NodeJS.ReadableStream; readonly fd: number };
  pty.onData((data: unknown) => take(data as Buffer));
  socket.on('end', () => {
    const buffer = Buffer.alloc(64 * 1024);
    try {
      for (let length = readSync(fd, buffer); length > 0; length = readSync(fd, buffer)) {
        take(Buffer.from(buffer.subarray(0, length)));
      }
    } catch {
      // At the end of the output, Linux reports EIO.
    }
  });
}
