/** How a JavaScript project runs its scripts and its tools. */

import type { CheckProgram, Definition } from '../check.ts';
import type { ProjectFolder } from './project-folder.ts';

export type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun';

/** Lock files, in the order in which they decide. */
const LOCK_FILES: readonly (readonly [file: string, manager: PackageManager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['yarn.lock', 'yarn'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
];

/** Settings that can name a shell or a program for scripts. */
const MANAGER_FILES: Readonly<Record<PackageManager, readonly string[]>> = {
  npm: ['.npmrc'],
  pnpm: ['.npmrc', 'pnpm-workspace.yaml'],
  yarn: ['.yarnrc', '.yarnrc.yml'],
  bun: ['bunfig.toml'],
};

const LOCAL_BIN: readonly string[] = ['node_modules/.bin'];

/** @param folders the folder and those above it, nearest first */
export function packageManagerOf(folders: readonly ProjectFolder[]): PackageManager {
  for (const folder of folders) {
    const named = /^(npm|pnpm|yarn|bun)@/.exec(String(folder.packageJson?.['packageManager'] ?? ''))?.[1];
    if (named !== undefined) return named as PackageManager;
    const lock = LOCK_FILES.find(([file]) => folder.has(file));
    if (lock !== undefined) return lock[1];
  }
  return 'npm';
}

/** How to run a tool that is a dependency of the project. */
export function localTool(
  tool: string,
  folders: readonly ProjectFolder[],
): { readonly program: CheckProgram; readonly args: readonly string[] } {
  if (folders.some((folder) => folder.has('.pnp.cjs'))) {
    return { program: { name: 'yarn', beside: [], inPath: true }, args: ['run', tool] };
  }
  return { program: { name: tool, beside: LOCAL_BIN, inPath: false }, args: [] };
}

export function scriptCommand(
  manager: PackageManager,
  script: string,
): { readonly program: CheckProgram; readonly args: readonly string[] } {
  const quiet = manager === 'npm' || manager === 'pnpm' ? ['--silent'] : [];
  return { program: { name: manager, beside: [], inPath: true }, args: ['run', ...quiet, script] };
}

/** What says which commands a script runs: all scripts, because they run each other, and the manager's settings. */
export function scriptDefinitions(
  manager: PackageManager,
  folder: ProjectFolder,
  above: readonly ProjectFolder[],
): readonly Definition[] {
  const settings = [folder, ...above].flatMap((each) =>
    MANAGER_FILES[manager].flatMap((file) => each.definition(file)),
  );
  return [packagePart(folder, 'scripts'), ...settings];
}

export function packagePart(folder: ProjectFolder, part: string): Definition {
  return { file: folder.at('package.json'), part, text: JSON.stringify(folder.packageJson?.[part] ?? null) };
}
