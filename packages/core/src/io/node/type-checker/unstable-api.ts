/** TypeScript 7: its compiler is a program of its own, which is asked through an API that may change with any version. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CheckedStateName } from '../../type-checker.ts';
import { type Checker, CheckerProblem, type CompilerError, type OpenProject, type States } from './checker.ts';

interface Diagnostic {
  readonly fileName?: string;
  readonly pos: number;
  readonly end: number;
  readonly code: number;
  /** 1: an error. */
  readonly category: number;
  readonly text: string;
  readonly relatedInformation?: readonly Diagnostic[];
}

type Diagnostics = Promise<readonly Diagnostic[]>;

interface Program {
  getSourceFileNames(): Promise<readonly string[]>;
  getSyntacticDiagnostics(file?: string): Diagnostics;
  getSemanticDiagnostics(file?: string): Diagnostics;
  getProgramDiagnostics(): Diagnostics;
  getGlobalDiagnostics(): Diagnostics;
  getConfigFileParsingDiagnostics(): Diagnostics;
}

interface Snapshot {
  getProject(config: string): { readonly rootFiles: readonly string[]; readonly program: Program } | undefined;
  dispose(): Promise<void>;
}

interface Api {
  updateSnapshot(change: object): Promise<Snapshot>;
  close(): Promise<void>;
}

type ApiClass = new (options: object) => Api;

/** The part of TypeScript's API that is used. */
const PROGRAM_METHODS = [
  'getSourceFileNames',
  'getSyntacticDiagnostics',
  'getSemanticDiagnostics',
  'getProgramDiagnostics',
  'getGlobalDiagnostics',
  'getConfigFileParsingDiagnostics',
];

const ENTRY = './unstable/async';
const ERROR = 1;

/** @throws CheckerProblem if it has another interface */
export async function loadUnstableApi(folder: string, states: States, configs: readonly string[]): Promise<Checker> {
  const Loaded = await apiClass(folder);
  let state: CheckedStateName = 'proposed';
  const api = new Loaded({ cwd: states.base.root, fs: callbacks(states, () => states[state]) });
  const all = configs.map((config) => states.base.at(config));
  const snapshots = new Map<CheckedStateName, Promise<Snapshot>>();
  const take = async (wanted: CheckedStateName): Promise<Snapshot> => {
    const isFirst = snapshots.size === 0;
    state = wanted;
    const there = all.filter((config) => states[wanted].hasFile(config));
    const closed = all.filter((config) => !isFirst && !there.includes(config));
    return api.updateSnapshot({
      openProjects: there,
      ...(closed.length === 0 ? {} : { closeProjects: closed }),
      ...(isFirst ? {} : { fileChanges: changesTo(states, wanted, all) }),
    });
  };
  const snapshotOf = (wanted: CheckedStateName): Promise<Snapshot> => {
    const known = snapshots.get(wanted);
    if (known !== undefined) return known;
    const taken = take(wanted);
    snapshots.set(wanted, taken);
    return taken;
  };
  return {
    open: async (wanted, config) => {
      const path = states.base.at(config);
      return states[wanted].hasFile(path) ? openProject(await snapshotOf(wanted), path, config) : null;
    },
    close: async () => {
      for (const snapshot of snapshots.values()) await (await snapshot).dispose();
      await api.close();
    },
  };
}

/** Its package has no main module, so the entry is looked up in its `exports`. */
async function apiClass(folder: string): Promise<ApiClass> {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly exports?: Readonly<Record<string, unknown>>;
  };
  const entry = exports?.[ENTRY];
  if (typeof entry !== 'string') throw unknownInterface(`it has no entry ${ENTRY}`);
  const { API } = (await import(pathToFileURL(join(folder, entry)).href)) as { readonly API?: unknown };
  const methods = typeof API === 'function' ? (API.prototype as Readonly<Record<string, unknown>>) : {};
  if (typeof methods['updateSnapshot'] !== 'function' || typeof methods['close'] !== 'function')
    throw unknownInterface('its API is another one');
  return API as ApiClass;
}

function unknownInterface(why: string): CheckerProblem {
  return new CheckerProblem('unsupported-version', `its interface is not known: ${why}`);
}

/** Configurations count as changed, so that they are read again: they may name files that only one state has. */
function changesTo(states: States, to: CheckedStateName, configs: readonly string[]): object {
  const [before, after] = to === 'base' ? [states.proposed, states.base] : [states.base, states.proposed];
  const paths = new Set([...before.differing, ...after.differing]);
  const of = (had: boolean, has: boolean): readonly string[] =>
    [...paths].filter((path) => before.hasFile(path) === had && after.hasFile(path) === has);
  return {
    changed: [...new Set([...configs, ...of(true, true)])],
    created: of(false, true),
    deleted: of(true, false),
  };
}

/** What the compiler asks about files. It has no way to write. Each question costs time, so only those needed are answered. */
function callbacks({ base, proposed }: States, now: () => States['base']): object {
  const differing = [...base.differing, ...proposed.differing];
  if (differing.length === 0) return {};
  const hasOther = differing.some((path) => base.hasFile(path) !== proposed.hasFile(path) || !isOnDisk(path));
  return {
    readFile: (path: string) => now().inMemory(path),
    ...(hasOther
      ? {
          fileExists: (path: string) => now().hasFileInMemory(path),
          directoryExists: (path: string) => now().hasFolderInMemory(path),
          getAccessibleEntries: (path: string) => now().entriesInMemory(path),
        }
      : {}),
  };
}

function isOnDisk(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}

function openProject(snapshot: Snapshot, path: string, config: string): OpenProject {
  const project = snapshot.getProject(path);
  if (project === undefined) throw new CheckerProblem('broken-config', `${config} cannot be read`);
  const { program, rootFiles } = project;
  const methods = program as unknown as Readonly<Record<string, unknown>>;
  const missing = PROGRAM_METHODS.find((name) => typeof methods[name] !== 'function');
  if (missing !== undefined) throw unknownInterface(`it has no ${missing}`);
  let names: Promise<ReadonlySet<string>> | undefined;
  const known = (): Promise<ReadonlySet<string>> => {
    names ??= program.getSourceFileNames().then((all) => new Set(all));
    return names;
  };
  return {
    roots: rootFiles,
    files: async () => [...(await known())],
    errorsOf: async (file) =>
      (await known()).has(file)
        ? errorsIn([...(await program.getSyntacticDiagnostics(file)), ...(await program.getSemanticDiagnostics(file))])
        : [],
    errorsOfAll: async () =>
      errorsIn([...(await program.getSyntacticDiagnostics()), ...(await program.getSemanticDiagnostics())]),
    errorsOfProject: async () =>
      errorsIn([
        ...(await program.getConfigFileParsingDiagnostics()),
        ...(await program.getProgramDiagnostics()),
        ...(await program.getGlobalDiagnostics()),
      ]),
  };
}

function errorsIn(diagnostics: readonly Diagnostic[]): readonly CompilerError[] {
  return diagnostics
    .filter(({ category }) => category === ERROR)
    .map(({ fileName, pos, end, code, text, relatedInformation = [] }) => ({
      file: fileName ?? null,
      start: pos,
      end,
      code,
      message: text,
      related: relatedInformation.map((one) => ({ file: one.fileName ?? null, start: one.pos, message: one.text })),
    }));
}
