/** Programs of Savepoint in a copy. The user did not start them, so their end is not worth a message. */

import path from 'node:path';

/** An agent in the copy runs it, and may exit before it has ended. Its shell counts, too. */
export function isOwnHook(command: readonly string[]): boolean {
  const [, option, script = ''] = command;
  return runs(command, 'hook') || (option === '-c' && IN_SHELL.test(script));
}

/** Hooks in the copy may have started it. It does not end by itself. */
export function isOwnDaemon(command: readonly string[]): boolean {
  return runs(command, 'daemon');
}

const IN_SHELL = /^\S.*\bsavepoint(?:\.js)?['"]?\s+['"]?hook\b[^;&|\n]*$/;
const NAMES: readonly string[] = ['savepoint', 'savepoint.js'];

function runs(command: readonly string[], verb: string): boolean {
  const [, own] = process.argv;
  return command.some((word, at) => {
    const before = at === 0 ? undefined : command[at - 1];
    return word === verb && before !== undefined && (before === own || NAMES.includes(path.basename(before)));
  });
}
