/** What the tools of agents do to files, step by step, so that others can write in between. */

import { execFileSync } from 'node:child_process';
import { type Files, unixLines, withLineEndsOf } from './files.ts';
import { joinLines, splitLines } from './lines.ts';
import type { Done, PatchedFile, Replacement, Task } from './protocols.ts';

export interface ToolRun {
  /** What is left to do on disk, in order. */
  readonly steps: (() => void)[];
  /** What it has done, as far as a tool reports that. */
  done: Done | null;
  /** Why it did nothing; null if it works. */
  failure: string | null;
}

export interface ToolHabits {
  /** Time passes between reading and writing a file. */
  readonly isSlow: boolean;
  /** Whether a tool that writes whole files writes over existing ones. */
  readonly overwrites: boolean;
}

export function runOf(task: Task, files: Files, { isSlow, overwrites }: ToolHabits): ToolRun {
  const run: ToolRun = { steps: [], done: null, failure: null };
  switch (task.kind) {
    case 'shell':
      for (const command of task.commands) run.steps.push(() => shell(files.dir, command));
      return run;
    case 'patch':
      run.steps.push(() => applyPatch(run, task.files, files));
      return run;
    case 'write':
    case 'edit': {
      const { path } = task;
      const read = (): void => {
        const raw = files.read(path);
        const found = raw === null ? null : unixLines(raw);
        const written = task.kind === 'write' ? task.text : replaced(found, task.edits);
        if (found !== null && task.kind === 'write' && !overwrites) run.failure = 'The file exists.';
        else if (written === null) run.failure = 'The text to replace was not found, or is not the only one.';
        else run.done = { found, written };
      };
      const write = (): void => {
        if (run.done !== null) files.write(path, withLineEndsOf(files.read(path), run.done.written));
      };
      run.steps.push(
        ...(isSlow
          ? [read, write]
          : [
              () => {
                read();
                write();
              },
            ]),
      );
      return run;
    }
  }
}

function replaced(found: string | null, edits: readonly Replacement[]): string | null {
  let text = found;
  for (const { old, new: replacement, all } of edits) {
    const parts = text?.split(old) ?? [];
    if (parts.length < 2 || (parts.length > 2 && !all)) return null;
    text = parts.join(replacement);
  }
  return text;
}

/** All files of a patch, or none. */
function applyPatch(run: ToolRun, patched: readonly PatchedFile[], files: Files): void {
  const results = patched.map(({ path, old, lines }) => {
    const found = files.read(path);
    if (lines === undefined) return found === null ? undefined : { path, text: null };
    if (old === undefined) return { path, text: joinLines(lines) };
    // It compares lines without the space at their ends, and writes those of the patch.
    const have = splitLines(found ?? '');
    const at = have.findIndex((_, index) => old.every((line, nth) => have[index + nth]?.trimEnd() === line));
    if (at < 0) return undefined;
    return { path, text: joinLines([...have.slice(0, at), ...lines, ...have.slice(at + old.length)]) };
  });
  if (results.includes(undefined)) {
    run.failure = 'The patch does not fit.';
    return;
  }
  for (const result of results) {
    if (result?.text === null) files.delete(result.path);
    else if (result !== undefined) files.write(result.path, result.text);
  }
}

/** A command that fails, such as for a file that is gone, does nothing. */
function shell(dir: string, command: string): void {
  try {
    execFileSync('sh', ['-c', command], { cwd: dir, stdio: 'ignore' });
  } catch {}
}
