/** Where the program is that asks type checkers of projects. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TypeCheckerProgram } from '../type-checker.ts';

/** Next to the bundled command, in the built package, and, if the sources are loaded, in what is built of them. */
const PLACES = ['./type-checker.js', './type-checker/main.js', '../../../dist/io/node/type-checker/main.js'];

const MB = 1024 ** 2;

export const nodeTypeChecker: TypeCheckerProgram = {
  start(heap, mayStartPrograms) {
    const program = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(existsSync);
    if (program === undefined) return null;
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
