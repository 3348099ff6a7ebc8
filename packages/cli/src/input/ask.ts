import { SavepointError } from '@savepoint/core';
import { onLeave } from './while-asking.ts';

/**
 * Asks the user. Anything but y or yes counts as no, including the end of input.
 * @param question safe to print
 * @throws SavepointError CANCELLED on Ctrl-C, or on a signal that asks the process to end
 */
export async function ask(question: string): Promise<boolean> {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  let end: () => void = () => undefined;
  try {
    return await new Promise<boolean>((resolve, reject) => {
      end = onLeave(lines, () => reject(new SavepointError('CANCELLED', 'Cancelled.')));
      lines.on('close', () => resolve(false));
      lines.question(`${question} [y/N] `, (answer) => resolve(/^\s*y(?:es)?\s*$/i.test(answer)));
    });
  } finally {
    end();
    lines.close();
  }
}

/**
 * Asks for a line.
 * @returns null at the end of the input
 * @throws SavepointError CANCELLED on Ctrl-C, on a signal that asks the process to end, or once `signal` is aborted
 */
export async function askText(question: string, signal: AbortSignal): Promise<string | null> {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const cancel = (): void => {
    lines.emit('SIGINT');
  };
  signal.addEventListener('abort', cancel);
  let end: () => void = () => undefined;
  try {
    return await new Promise<string | null>((resolve, reject) => {
      end = onLeave(lines, () => reject(new SavepointError('CANCELLED', 'Cancelled.')));
      lines.on('close', () => resolve(null));
      lines.question(`${question} `, resolve);
    });
  } finally {
    end();
    signal.removeEventListener('abort', cancel);
    lines.close();
  }
}
