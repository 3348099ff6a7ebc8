import type { Interface } from 'node:readline';
import { SavepointError } from '@savepoint/core';

/**
 * Asks the user. Anything but y or yes counts as no, including the end of input.
 * @param question safe to print
 * @throws SavepointError CANCELLED on Ctrl-C, or on a signal that asks the process to end
 */
export async function ask(question: string): Promise<boolean> {
  const answer = await askText(`${question} [y/N]`);
  return answer !== null && /^\s*y(?:es)?\s*$/i.test(answer);
}

/**
 * Asks for a line.
 * @param question safe to print
 * @returns null at the end of the input
 * @throws SavepointError CANCELLED on Ctrl-C, on a signal that asks the process to end, or once `signal` is aborted
 */
export async function askText(question: string, signal?: AbortSignal): Promise<string | null> {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  let end: () => void = () => undefined;
  try {
    return await new Promise<string | null>((resolve, reject) => {
      end = onLeave(lines, signal, () => reject(new SavepointError('CANCELLED', 'Cancelled.')));
      lines.on('close', () => resolve(null));
      lines.question(`${question} `, resolve);
    });
  } finally {
    end();
    lines.close();
  }
}

/**
 * Ctrl-C at a question is a key on a terminal, and comes from readline. Other signals come to the process, which only
 * records the first one: the question itself must end.
 * @returns ends that
 */
function onLeave(lines: Interface, signal: AbortSignal | undefined, leave: () => void): () => void {
  lines.on('SIGINT', leave);
  for (const name of SIGNALS) process.on(name, leave);
  signal?.addEventListener('abort', leave);
  return () => {
    lines.off('SIGINT', leave);
    for (const name of SIGNALS) process.off(name, leave);
    signal?.removeEventListener('abort', leave);
  };
}

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;
