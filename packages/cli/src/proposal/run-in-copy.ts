/** Runs a command in a copy of the workspace, in the folder that is the current one there. */
import { nameToJson, SavepointError, showText, type TreePath, textFromBytes } from '@savepoint/core';
import { onDisk } from '@savepoint/core/frontend';
import { type ChildCommand, type ChildExit, exitStatusOf } from '../child.ts';
import type { CommandContext, Environment } from '../command.ts';
import type { Style } from '../view.ts';
import { writeAll } from '../write.ts';
import type { Copy } from './proposal.ts';

/**
 * @param env undefined values are left out
 * @throws SavepointError USAGE if the folder is not UTF-8
 */
export async function commandInCopy(
  { copy }: Copy,
  { savepoint }: Pick<CommandContext, 'savepoint'>,
  [file, ...args]: readonly [string, ...string[]],
  env: Environment,
): Promise<ChildCommand> {
  const folder = (await savepoint.place()).folder ?? ('' as TreePath);
  const given = Object.entries(env).filter((one): one is [string, string] => one[1] !== undefined);
  const inside = textFromBytes(onDisk(copy.seenAs, folder));
  if (inside === null)
    throw new SavepointError('USAGE', 'A command cannot run in a folder whose name is not valid UTF-8.');
  const start = copy.command({ file, args, cwd: folder, env: { ...Object.fromEntries(given), PWD: inside } });
  const cwd = textFromBytes(start.cwd);
  if (cwd === null) {
    const data = { path: nameToJson(start.cwd), operation: 'run', code: 'EILSEQ' };
    throw new SavepointError('IO', 'The name of the folder of the copy is not valid UTF-8.', data);
  }
  return { file: start.file, args: start.args, cwd, env: { ...start.env } };
}

export function reportExit(ended: ChildExit, file: string, style: Style): number {
  if (ended.kind === 'failed') {
    const why = ended.code === 'ENOENT' ? 'program not found' : ended.code;
    writeAll(2, `${style.bad('error:')} cannot run ${showText(file)}: ${why}\n`);
  }
  return exitStatusOf(ended);
}

/** `exit status 1`, `ended by SIGINT` */
export function exitText(ended: ChildExit): string {
  if (ended.kind === 'signal') return `ended by ${ended.signal}`;
  return `exit status ${exitStatusOf(ended)}`;
}
