/**
 * An E2B sandbox behind the common `Sandbox` interface. The caller creates it with the SDK `e2b` and passes it in. This
 * package uses only the types of the SDK, so it does not install a version of it.
 */
import type { Sandbox } from '@savepoint/core';
import { type Channel, type ChannelSandboxOptions, channelSandbox, type ExchangeResult } from '@savepoint/core/ports';
import type { CommandHandle, CommandStartOpts, Sandbox as Their } from 'e2b';

/** The parts of the SDK's `Sandbox` that are used here. */
export interface E2bSandbox {
  readonly sandboxId: Their['sandboxId'];
  readonly commands: {
    run(
      command: string,
      options: CommandStartOpts & { background: true },
    ): Promise<Pick<CommandHandle, 'wait' | 'kill' | 'sendStdin' | 'closeStdin'>>;
  };
}

export interface E2bOptions extends Omit<ChannelSandboxOptions, 'channel'> {
  /** A running sandbox, from the SDK's `await Sandbox.create()`. The caller keeps ownership and has to end it. */
  readonly sandbox: E2bSandbox;
  /** The account that runs commands in the sandbox. Default: that of its template. */
  readonly user?: NonNullable<CommandStartOpts['user']>;
}

/** Returns a sandbox. Its template must have node 20.19 or newer; `node` says where. */
export function e2bSandbox({ sandbox, user, ...rest }: E2bOptions): Sandbox {
  const channel: Channel = {
    name: `e2b ${sandbox.sandboxId}`,
    exchange: (exchange) => runExchange(sandbox, exchange, user === undefined ? {} : { user }),
    close: () => Promise.resolve(),
  };
  return channelSandbox({ channel, ...rest });
}

type Exchange = Parameters<Channel['exchange']>[0];

async function runExchange(
  sandbox: E2bSandbox,
  { line, input, timeoutMs, signal, mostBytes }: Exchange,
  more: Pick<CommandStartOpts, 'user'>,
): Promise<ExchangeResult> {
  const heard: Buffer[] = [];
  let detail = '';
  let left = mostBytes;
  let ended: ExchangeResult['ended'] = 'exit';
  let cut = (_why: ExchangeResult['ended']): void => {};
  const wasCut = new Promise<void>((resolve) => {
    cut = (why) => {
      if (ended === 'exit') ended = why;
      resolve();
    };
  });
  const answer = (status: number | null): ExchangeResult => ({ output: Buffer.concat(heard), detail, status, ended });
  if (signal.aborted) return { ...answer(null), ended: 'aborted' };
  const abort = (): void => cut('aborted');
  const timer = timeoutMs === null || timeoutMs > MAX_TIMEOUT_MS ? null : setTimeout(() => cut('timeout'), timeoutMs);
  signal.addEventListener('abort', abort);
  try {
    const command = await sandbox.commands.run(line, {
      ...more,
      background: true,
      stdin: true,
      // By default, the SDK would end every command after a minute.
      timeoutMs: 0,
      onStdout(text) {
        // The runner sends only ASCII. Any other character is not part of its answer, so its encoding does not matter.
        const part = Buffer.from(text, 'latin1').subarray(0, left);
        left -= part.length;
        heard.push(part);
        if (left === 0) cut('too-much');
      },
      onStderr(text) {
        detail = (detail + text).slice(-DETAIL);
      },
    });
    feed(command, input);
    const done = statusOf(command.wait());
    const status = await Promise.race([done, wasCut.then(() => null)]);
    if (status !== null) {
      if (status.problem !== null) detail = `${detail}\n${status.problem}`;
      return answer(status.exit);
    }
    await command.kill().catch(() => false);
    return answer(null);
  } catch (error) {
    detail = messageOf(error);
    return answer(null);
  } finally {
    if (timer !== null) clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

const DETAIL = 4_000;
/** The longest delay that a timer supports, in milliseconds. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Writing to a program that has ended fails. That is not an error of the exchange, so it is ignored. */
function feed(command: Pick<CommandHandle, 'sendStdin' | 'closeStdin'>, input: AsyncIterable<Buffer>): void {
  const all = async (): Promise<void> => {
    for await (const part of input) await command.sendStdin(part);
    await command.closeStdin();
  };
  all().catch(() => undefined);
}

/** Returns the exit status. The SDK throws if it is not 0. */
async function statusOf(
  waiting: ReturnType<CommandHandle['wait']>,
): Promise<{ readonly exit: number | null; readonly problem: string | null }> {
  try {
    return { exit: (await waiting).exitCode, problem: null };
  } catch (error) {
    const { exitCode } = Object(error) as { readonly exitCode?: unknown };
    return typeof exitCode === 'number' ? { exit: exitCode, problem: null } : { exit: null, problem: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
