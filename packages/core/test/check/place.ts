import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type World, world } from '@savepoint/testkit';
import { onTestFinished } from 'vitest';
import type { Check, CheckResult } from '../../src/check/check.ts';
import { findChecks } from '../../src/check/find/find-checks.ts';
import { filesOfFolder } from '../../src/check/find/project-files.ts';
import { type CheckPlace, type CheckRun, DEFAULT_LIMITS, runCheck } from '../../src/check/run.ts';
import { nodePorts } from '../../src/io/node/ports.ts';
import { type DiskPath, onDisk } from '../../src/model/names.ts';

const MODULES = fileURLToPath(new URL('../../../../node_modules', import.meta.url));

/** A project in a folder of its own, with the tools of this repository. */
export interface CheckedProject {
  readonly at: World;
  write(files: Readonly<Record<string, string | object>>): void;
  find(name: string): Check;
  /** Finds the check, or takes a given one, and runs it. */
  run(check: string | Check, options?: Partial<CheckRun>): Promise<CheckResult>;
}

export function project(files: Readonly<Record<string, string | object>>): CheckedProject {
  const at = world(onTestFinished);
  const ports = nodePorts(true);
  const write: CheckedProject['write'] = (given) => {
    for (const [path, content] of Object.entries(given)) {
      const file = join(at.workspace, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    }
  };
  write(files);
  symlinkSync(MODULES, join(at.workspace, 'node_modules'));
  const output = join(at.workspace, '..', 'output');
  mkdirSync(output, { recursive: true });
  const find = (name: string): Check => {
    const { checks } = findChecks(filesOfFolder(ports.fs, at.workspace), { projectFile: true, roots: [] });
    const found = checks.find((check) => check.name === name);
    if (found === undefined) throw new Error(`there is no check ${name}; there are ${checks.map((one) => one.name)}`);
    return found;
  };
  return {
    at,
    write,
    find,
    run: (check, options = {}) =>
      runCheck(typeof check === 'string' ? find(check) : check, {
        ports,
        place: folderPlace(at.workspace, output as DiskPath),
        env: { PATH: process.env['PATH'] ?? '' },
        limits: DEFAULT_LIMITS,
        ...options,
      }),
  };
}

function folderPlace(root: DiskPath, output: DiskPath): CheckPlace {
  return {
    files: root,
    seenAs: root,
    output,
    command: ({ file, args, cwd, env }) => ({ file, args, cwd: cwd === undefined ? root : onDisk(root, cwd), env }),
  };
}
