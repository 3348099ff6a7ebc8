/** A channel that reaches a shell through a local program, such as `ssh` or `sh`. */

import type { Programs } from '../io/programs.ts';
import type { DiskPath } from '../model/names.ts';
import type { Channel } from './channel.ts';

export interface ProgramChannelOptions {
  readonly name: string;
  readonly programs: Programs;
  /** The program and its arguments; the shell command line is appended. */
  readonly command: readonly [file: string, ...args: string[]];
  readonly cwd: DiskPath;
  /** The complete environment of the program. */
  readonly env: Readonly<Record<string, string>>;
}

export function programChannel({ name, programs, command, cwd, env }: ProgramChannelOptions): Channel {
  const [file, ...args] = command;
  return {
    name,
    async exchange({ line, input, timeoutMs, signal, mostBytes }) {
      const ran = await programs.run({
        file,
        args: [...args, line],
        cwd,
        env,
        input,
        signal,
        maxBytes: mostBytes,
        ...(timeoutMs === null ? {} : { timeoutMs }),
      });
      return { output: ran.stdout, detail: ran.stderr.toString(), status: ran.exit, ended: ran.ended };
    },
    close: () => Promise.resolve(),
  };
}
