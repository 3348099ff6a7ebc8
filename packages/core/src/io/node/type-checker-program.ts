/** Where the program is that asks type checkers of projects. */
import type { TypeCheckerProgram } from '../type-checker.ts';
import { ownProgram } from './own-program.ts';

const PROGRAM = { built: 'type-checker/main.js', bundled: 'type-checker.js' };

const MB = 1024 ** 2;

export const nodeTypeChecker: TypeCheckerProgram = {
  start(heap, mayStartPrograms) {
    const program = ownProgram(PROGRAM);
    if (program === null) return null;
    const limits = mayStartPrograms ? [] : restrictions();
    return {
      file: process.execPath,
      args: ['--no-warnings', `--max-old-space-size=${Math.ceil(heap / MB)}`, ...limits, program],
    };
  },
};

/** Its thread that enforces limits is the only thing that it starts. */
function restrictions(): readonly string[] {
  const flags = process.allowedNodeEnvironmentFlags;
  const permission = ['--permission', '--experimental-permission'].find((flag) => flags.has(flag));
  return permission === undefined ? [] : [permission, '--allow-fs-read=*', '--allow-worker'];
}
