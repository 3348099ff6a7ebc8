import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { world } from '@savepoint/testkit';
import { onTestFinished } from 'vitest';
import { findChecks } from '../../../src/check/find/find-checks.ts';
import { filesOfFolder, filesWith, type ProjectFiles } from '../../../src/check/find/project-files.ts';
import { digestOf } from '../../../src/check/trust.ts';
import { checkTypeScript, type TypeScriptCheck } from '../../../src/check/types/check-typescript.ts';
import { DEFAULT_TYPE_LIMITS, type TypeFindings } from '../../../src/check/types/type-findings.ts';
import { nodePorts } from '../../../src/io/node/ports.ts';
import type { Ports } from '../../../src/io/ports.ts';
import { type DiskPath, onDisk, type TreePath } from '../../../src/model/names.ts';

const at = (path: string): string => fileURLToPath(new URL(`../../../../../${path}`, import.meta.url));

/** The versions of TypeScript that tests have. */
export const TYPESCRIPTS = { 6: at('packages/testkit/node_modules/typescript'), 7: at('node_modules/typescript') };

export type FilesOfTest = Readonly<Record<string, string | null>>;

export interface ProposedOptions extends Partial<Omit<TypeScriptCheck, 'base' | 'proposed' | 'importers'>> {
  /** What the base has that is not on disk. */
  readonly base?: FilesOfTest;
  readonly importers?: readonly string[];
  readonly isTrusted?: boolean;
}

export interface ProposedProject {
  readonly folder: DiskPath;
  readonly ports: Ports;
  /** Asks about the files on disk with these changes. */
  check(proposed: FilesOfTest, options?: ProposedOptions): Promise<TypeFindings>;
  /** All that is in the folder. */
  digest(): string;
}

/** @param typescript the folder of its TypeScript; null: it has none. Or files of a package that takes its place. */
export function proposedProject(typescript: string | FilesOfTest | null, files: FilesOfTest): ProposedProject {
  const { workspace } = world(onTestFinished);
  write(workspace, files);
  if (typeof typescript === 'string') {
    mkdirSync(join(workspace, 'node_modules'));
    symlinkSync(typescript, join(workspace, 'node_modules/typescript'));
  } else if (typescript !== null) write(join(workspace, 'node_modules/typescript'), typescript);
  return {
    folder: workspace,
    ports: nodePorts(true),
    check: (proposed, options = {}) => checkTypeScript(checkOf(workspace, proposed, options)),
    digest: () => createHash('sha256').update(listing(workspace)).digest('hex'),
  };
}

function checkOf(folder: DiskPath, proposed: FilesOfTest, options: ProposedOptions): TypeScriptCheck {
  const { base = {}, importers = [], isTrusted = true, ...rest } = options;
  const ports = nodePorts(true);
  const over = overDisk(proposed);
  const files = filesWith(filesOfFolder(ports.fs, folder), filesIn(over), new Set(over.keys()));
  const { checks } = findChecks(files, { projectFile: true, roots: [] });
  return {
    ports,
    place: {
      files: folder,
      seenAs: folder,
      command: ({ file, args, cwd, env }) => ({
        file,
        args,
        cwd: cwd === undefined ? folder : onDisk(folder, cwd),
        env,
      }),
    },
    base: overDisk(base),
    proposed: over,
    changed: [...new Set([...over.keys(), ...overDisk(base).keys()])],
    importers: importers as readonly TreePath[],
    imports: new Map(),
    renames: new Map(),
    limits: DEFAULT_TYPE_LIMITS,
    checks,
    trusted: isTrusted ? checks.map((check) => ({ name: check.name, digest: digestOf(check), since: 0 })) : [],
    files,
    ...rest,
  };
}

function overDisk(files: FilesOfTest): ReadonlyMap<TreePath, Uint8Array | null> {
  return new Map(
    Object.entries(files).map(([path, text]) => [path as TreePath, text === null ? null : Buffer.from(text)]),
  );
}

function filesIn(files: ReadonlyMap<TreePath, Uint8Array | null>): ProjectFiles {
  const names = [...files].flatMap(([path, bytes]) => (bytes === null ? [] : [path]));
  return {
    read: (path) => {
      const bytes = files.get(path);
      return bytes === undefined || bytes === null ? null : Buffer.from(bytes);
    },
    isUnknown: () => false,
    list: (folder) => {
      const inside = names.flatMap((path) =>
        folder === '' ? [path] : path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : [],
      );
      const folders = inside.filter((path) => path.includes('/')).map((path) => path.slice(0, path.indexOf('/')));
      return {
        files: new Set(inside.filter((path) => !path.includes('/'))) as never,
        folders: [...new Set(folders)] as never,
      };
    },
  };
}

export function write(folder: string, files: FilesOfTest): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content ?? '');
  }
}

function listing(folder: string): string {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry) => {
      const path = join(folder, entry.name);
      const { mode, mtimeMs } = lstatSync(path);
      const content = entry.isDirectory()
        ? listing(path)
        : entry.isSymbolicLink()
          ? readlinkSync(path)
          : readFileSync(path, 'latin1');
      return JSON.stringify([entry.name, mode, mtimeMs, content]);
    })
    .join('\n');
}
