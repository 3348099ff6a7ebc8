/** The local machine behind the `Sandbox` interface, for agents that do not work in a separate sandbox. */

import { givenDiskPath } from '../io/given-path.ts';
import type { Ports } from '../io/ports.ts';
import type { JsonName } from '../model/names.ts';
import { channelSandbox } from './channel-sandbox.ts';
import { withoutUndefinedValues } from './environment.ts';
import { programChannel } from './program-channel.ts';
import { MAX_COMMAND_BYTES, type Sandbox } from './sandbox.ts';

export interface LocalSandboxOptions {
  readonly ports: Pick<Ports, 'programs' | 'clock' | 'random' | 'platform'>;
  /** The complete environment of its commands; nothing else is inherited. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The default working directory of commands. */
  readonly cwd: JsonName;
  /** Path of node. Default `node`, looked up in the PATH of `env`. */
  readonly node?: string;
}

/** Commands run directly. Files are read and written by a separate node process, as in any other sandbox. */
export function localSandbox({ ports, node, ...options }: LocalSandboxOptions): Sandbox {
  const cwd = givenDiskPath(ports, options.cwd);
  const env = withoutUndefinedValues(options.env);
  const { programs } = ports;
  const channel = programChannel({ name: 'local', programs, command: ['sh', '-c'], cwd, env });
  return {
    ...channelSandbox({ channel, ports, ...(node === undefined ? {} : { node }) }),
    async run({ id, command, cwd: where, env: more, input, timeoutMs, signal, mostBytes }) {
      const [file, ...args] = command;
      const result = await programs.run({
        file,
        args,
        cwd: where === undefined ? cwd : givenDiskPath(ports, where),
        env: { ...env, ...more },
        maxBytes: mostBytes ?? MAX_COMMAND_BYTES,
        ...(input === undefined ? {} : { input }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        ...(signal === undefined ? {} : { signal }),
      });
      return { id, ...result };
    },
  };
}
