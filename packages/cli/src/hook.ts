/** `savepoint hook <agent>`: not a command for people, but what agents' settings run. */
import { runHook } from '@savepoint/agents/hook';
import { exporter } from './exporter.ts';
import { writeAll } from './write.ts';

export async function hook(args: readonly string[]): Promise<void> {
  const { stdout, stderr, exit } = await runHook({
    args,
    env: process.env,
    input: process.stdin,
    script: process.argv[1] ?? '',
    exporter: exporter(process.env, process.argv[1] ?? ''),
    sinceStart: () => performance.now(),
  });
  for (const [fd, text] of [
    [1, stdout],
    [2, stderr],
  ] as const) {
    try {
      if (text !== '') writeAll(fd, text);
    } catch {
      // An agent that reads no answer needs none.
    }
  }
  // A pipe that nobody closes must not keep the process.
  process.exit(exit);
}
