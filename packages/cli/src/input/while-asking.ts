/**
 * Ctrl-C at a question is a key on a terminal, and comes from readline. Other signals come to the process, which only
 * records the first one: the question itself must end.
 */
import type { Interface } from 'node:readline';

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/**
 * Calls `leave` once on Ctrl-C, or on a signal that asks the process to end.
 * @returns ends that
 */
export function onLeave(lines: Interface, leave: () => void): () => void {
  lines.on('SIGINT', leave);
  for (const signal of SIGNALS) process.on(signal, leave);
  return () => {
    lines.off('SIGINT', leave);
    for (const signal of SIGNALS) process.off(signal, leave);
  };
}
