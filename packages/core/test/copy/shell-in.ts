import { spawnSync } from 'node:child_process';
import type { OpenCopy } from '../../src/copy/copy.ts';

const PATH = process.env['PATH'] ?? '';
const HOME = process.env['HOME'] ?? '/';

/** Runs a script in a copy, as `try` does. It ends at the first command that fails. */
export function shellIn(copy: Pick<OpenCopy, 'command'>, script: string, more: Readonly<Record<string, string>> = {}) {
  const variables = { PATH, HOME, LC_ALL: 'C.UTF-8', ...more };
  const { file, args, cwd, env } = copy.command({ file: 'sh', args: ['-ec', script], env: variables });
  const { status, stdout, stderr } = spawnSync(file, args, { cwd, env, encoding: 'utf8' });
  if (status !== 0 || stderr !== '') throw new Error(`${script}\nended with ${status}: ${stdout}${stderr}`);
}
