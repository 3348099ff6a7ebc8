/** Shows long output on a terminal page by page, as git does. */
import { spawnSync } from 'node:child_process';
import type { DiskPath } from '@savepoint/core';
import { programOutside } from './system-program.ts';
import { writeAll } from './write.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_PAGER = 'less';
const NOT_STARTED: ReadonlySet<number | null> = new Set([126, 127]);

/**
 * Shows a text with `$SAVEPOINT_PAGER`, else `$PAGER`, else with `less` if it is installed and the text is longer than
 * the screen. An empty variable or `cat` means no pager. Without a pager, or if it cannot be started, the text is written directly.
 * @param text safe to print on a terminal
 * @param workspace its root: a `less` inside of it is never used
 */
export function page(text: string | Buffer, env: Environment, workspace: DiskPath): void {
  const chosen = env['SAVEPOINT_PAGER'] ?? env['PAGER'];
  const isShort = chosen === undefined && fitsScreen(text);
  const isUnwanted = env['TERM'] === 'dumb' || (chosen !== undefined && ['', 'cat'].includes(chosen.trim()));
  if (isUnwanted || isShort || text.length === 0) {
    writeAll(1, text);
    return;
  }
  const program = chosen ?? programOutside(DEFAULT_PAGER, env['PATH'], workspace);
  if (program === null) {
    writeAll(1, text);
    return;
  }
  const stdio = ['pipe', 'inherit', 'inherit'] as const;
  const { error, status } =
    chosen === undefined
      ? spawnSync(program, ['-FRX'], { input: text, stdio: [...stdio], env })
      : spawnSync(program, { input: text, stdio: [...stdio], env, shell: true });
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  // The user may quit the pager before it has read everything.
  if ((error !== undefined && code !== 'EPIPE') || NOT_STARTED.has(status)) writeAll(1, text);
}

function fitsScreen(text: string | Buffer): boolean {
  const { columns, rows } = process.stdout;
  if (!(columns > 0) || !(rows > 0) || text.length > columns * rows * BYTES_PER_CELL) return false;
  const plain = text.toString().replace(STYLE, '');
  const used = plain.split('\n').map((line) => Math.max(1, Math.ceil(line.length / columns)));
  return used.reduce((sum, lines) => sum + lines, 0) <= rows;
}

/** With styles and multi-byte characters. */
const BYTES_PER_CELL = 16;

const STYLE = /\x1b\[\d*m/g;
