/** Finds the TypeScript of a project and its configurations, from the checks that a person has trusted. */

import { bytesFromText, parentPath, type TreePath, textFromBytes } from '../../model/names.ts';
import type { TrustedCheck } from '../../store/state/trust.ts';
import type { Check } from '../check.ts';
import type { ProjectFiles } from '../find/project-files.ts';
import { objectFrom } from '../find/project-folder.ts';
import { pathInProject } from '../read/clean.ts';
import { field, listIn, textIn, textOrNull } from '../read/reading.ts';
import { trustStateOf } from '../trust.ts';
import type { Unsaid } from './type-findings.ts';

/** An installed TypeScript, with what it checks. */
export interface FoundTypeScript {
  /** From the workspace. */
  readonly folder: TreePath;
  readonly version: string;
  /** Its compiler is a program of its own, from version 7. */
  readonly isNative: boolean;
  /** Text, from the workspace. Those of the checks first, then those that they build on. */
  readonly configs: readonly string[];
}

export interface TypeScriptSearch {
  /** The checks of the proposed state. */
  readonly checks: readonly Check[];
  readonly trusted: readonly TrustedCheck[];
  /** The files of the proposed state. */
  readonly proposed: ProjectFiles;
  /** The files on disk, which have the dependencies. */
  readonly disk: ProjectFiles;
}

const TOOL = 'typescript';
/** The versions whose interfaces are known. */
const OLDEST_MAJOR = 4;
const NATIVE_MAJOR = 7;
const MAX_CONFIGS = 100;

export function findTypeScript(search: TypeScriptSearch): {
  readonly found: readonly FoundTypeScript[];
  readonly unsaid: readonly Unsaid[];
} {
  const unsaid: Unsaid[] = [];
  const found = new Map<TreePath, FoundTypeScript>();
  for (const check of search.checks.filter(({ tool }) => tool === 'tsc')) {
    const trust = trustStateOf(check, search.trusted);
    if (trust !== 'trusted') {
      unsaid.push(notTrusted(check, trust === 'changed'));
      continue;
    }
    const installed = installedFor(check.folder, search.disk);
    if (!('version' in installed)) {
      unsaid.push(installed);
      continue;
    }
    const before = found.get(installed.folder)?.configs ?? [];
    const configs = withReferences([...before, ...configsOf(check)], search.proposed);
    if (configs.length > MAX_CONFIGS) {
      const message = `The project has more than ${MAX_CONFIGS} configurations of TypeScript. The others are not checked.`;
      unsaid.push({ reason: 'too-large', tool: TOOL, path: check.folder, message });
    }
    found.set(installed.folder, { ...installed, configs: configs.slice(0, MAX_CONFIGS) });
  }
  return { found: [...found.values()], unsaid };
}

/** Of any type checker. */
export function notTrusted({ name, tool, folder }: Check, hasChanged: boolean): Unsaid {
  const state = hasChanged ? 'has changed since it was trusted' : 'is not trusted';
  const message = `The check ${JSON.stringify(name)} ${state}, so the project's type checker was not run.`;
  return { reason: 'not-trusted', tool: tool === 'tsc' ? TOOL : tool, path: folder, message };
}

/** Only what is in the workspace counts: this is the code that the check runs. */
function installedFor(folder: TreePath, disk: ProjectFiles): Omit<FoundTypeScript, 'configs'> | Unsaid {
  for (let at = folder; ; at = parentPath(at)) {
    const path = `${at === '' ? '' : `${at}/`}node_modules/typescript` as TreePath;
    const text = disk.read(`${path}/package.json` as TreePath)?.toString('utf8') ?? null;
    if (text !== null) {
      const version = textIn(objectFrom(text), 'version').slice(0, 100);
      const major = Number.parseInt(version, 10);
      if (major >= OLDEST_MAJOR && major <= NATIVE_MAJOR) {
        return { folder: path, version, isNative: major >= NATIVE_MAJOR };
      }
      const message = `TypeScript ${JSON.stringify(version)} cannot be asked about a proposed state. Known are 4 to 7.`;
      return { reason: 'unsupported-version', tool: TOOL, path, message };
    }
    if (at === '') break;
  }
  const message = 'TypeScript is in no node_modules folder of the project. Install its dependencies.';
  return { reason: 'not-installed', tool: TOOL, path: folder, message };
}

const DEFAULT_CONFIG = 'tsconfig.json';

/** The configurations that the command names. */
function configsOf({ args, folder }: Check): readonly string[] {
  const base = textFromBytes(folder);
  if (base === null) return [];
  const named: string[] = [];
  for (const [at, arg] of args.entries()) {
    const next = args[at + 1];
    if (/^(?:-p|--project|-b|--build)$/.test(arg) && next !== undefined && !next.startsWith('-')) named.push(next);
  }
  return (named.length === 0 ? [DEFAULT_CONFIG] : named).flatMap((name) => configAt(name, base));
}

/** @param name a file, or a folder that has it */
function configAt(name: string, from: string): readonly string[] {
  const path = name.endsWith('.json') ? name : `${name}/${DEFAULT_CONFIG}`;
  const inside = pathInProject(path, { roots: [], folder: from });
  return inside === null ? [] : [inside];
}

function withReferences(configs: readonly string[], files: ProjectFiles): readonly string[] {
  const all = new Set(configs);
  for (const config of all) {
    if (all.size > MAX_CONFIGS) break;
    const json = objectFrom(files.read(bytesFromText(config) as TreePath)?.toString('utf8') ?? null);
    const folder = config.includes('/') ? config.slice(0, config.lastIndexOf('/')) : '';
    for (const reference of listIn(json, 'references')) {
      const path = textOrNull(field(reference), 'path');
      if (path !== null) for (const other of configAt(path, folder)) all.add(other);
    }
  }
  return [...all];
}
