/**
 * The modes of our own terminal, set with `stty`. Node's raw mode still converts line feeds in the output, and
 * full-screen programs send plain line feeds.
 */
import { spawnSync } from 'node:child_process';
import { systemProgram } from '../system-program.ts';

/** In the format of `stty -g`. */
export type TtyModes = string;

/** @returns null without a terminal, or without `stty` */
export function readTtyModes(): TtyModes | null {
  const program = systemProgram('stty');
  if (program === null) return null;
  const { status, stdout } = spawnSync(program, ['-g'], { stdio: [0, 'pipe', 'ignore'], encoding: 'utf8' });
  return status === 0 && stdout.trim() !== '' ? stdout.trim() : null;
}

/** Every byte passes in both directions, and no key sends a signal. */
export function setRawMode(): boolean {
  return stty('raw', '-echo', '-iexten');
}

export function restoreTtyModes(modes: TtyModes): boolean {
  return stty(modes);
}

function stty(...args: readonly string[]): boolean {
  const program = systemProgram('stty');
  return program !== null && spawnSync(program, args, { stdio: [0, 'ignore', 'ignore'] }).status === 0;
}
