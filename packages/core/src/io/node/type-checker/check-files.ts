/** Checks the files of all projects, the changed ones first, and the base where there are errors. */
import type { CheckedStateName, CheckGroup, TypeCheckEvent, TypeCheckRequest } from '../../type-checker.ts';
import { type Checker, CheckerProblem, type CompilerError, type OpenProject, type States } from './checker.ts';
import { inWorkspace, located } from './places.ts';

interface CheckedProject {
  readonly config: string;
  readonly proposed: OpenProject;
  /** Loaded when it is needed. Null: the base has no such project. */
  readonly base: () => Promise<OpenProject | null>;
  /** The files that it names, relative to the workspace. */
  readonly roots: ReadonlySet<string>;
  /** All of its files in the workspace that do not belong to packages, relative to it. Takes long. */
  readonly files: () => Promise<ReadonlySet<string>>;
  /** Frees its memory. */
  readonly release: () => void;
}

export interface FileCheck {
  readonly request: TypeCheckRequest;
  readonly states: States;
  readonly checker: Checker;
  readonly send: (event: TypeCheckEvent) => void;
}

/** Reports what is found as it is found. */
export async function checkFiles(check: FileCheck): Promise<void> {
  const { request, send } = check;
  const projects = await openProjects(check);
  const done = new Set<string>();
  for (const group of ['changed', 'importers'] as const) {
    let count = 0;
    for (const file of new Set(request[group])) {
      if (done.has(file)) continue;
      done.add(file);
      const owners = await ownersOf(projects, file);
      if (owners.length > 0) count += 1;
      for (const project of owners) await checkFile(check, project, file, group);
    }
    send({ kind: 'group', group, files: count });
  }
  for (const project of projects) await checkConfiguration(check, project);
  const named = new Set(projects.flatMap(({ roots }) => [...roots]));
  const rest = new Set<string>();
  for (const project of projects) {
    const own = [...(await project.files())].filter((file) => project.roots.has(file) || !named.has(file));
    const left = own.filter((file) => !done.has(file));
    await checkRest(check, project, left);
    for (const file of left) rest.add(file);
    project.release();
  }
  send({ kind: 'group', group: 'rest', files: rest.size });
}

/**
 * A file is checked with the options of the projects that name it, or else of those that load it. This also leaves most
 * projects unloaded until the rest is checked.
 */
async function ownersOf(projects: readonly CheckedProject[], file: string): Promise<readonly CheckedProject[]> {
  const naming = projects.filter(({ roots }) => roots.has(file));
  if (naming.length > 0) return naming;
  const loading: CheckedProject[] = [];
  for (const project of projects) if ((await project.files()).has(file)) loading.push(project);
  return loading;
}

async function openProjects({ request, states, checker, send }: FileCheck): Promise<readonly CheckedProject[]> {
  const projects: CheckedProject[] = [];
  const inside = (paths: readonly string[]): ReadonlySet<string> =>
    new Set(
      paths.flatMap((path) => {
        const own = path.includes('/node_modules/') ? null : inWorkspace(states.proposed, path);
        return own === null ? [] : [own];
      }),
    );
  for (const config of request.configs) {
    const proposed = await opening(config, () => checker.open('proposed', config), send);
    if (proposed === null) continue;
    let base: Promise<OpenProject | null> | undefined;
    let loaded: OpenProject | null = null;
    let files: Promise<ReadonlySet<string>> | undefined;
    projects.push({
      config,
      proposed,
      roots: inside(proposed.roots),
      files: () => {
        files ??= proposed.files().then(inside);
        return files;
      },
      base: () => {
        base ??= opening(config, () => checker.open('base', config), send).then((project) => {
          loaded = project;
          return project;
        });
        return base;
      },
      release: () => {
        proposed.release?.();
        loaded?.release?.();
      },
    });
  }
  return projects;
}

async function opening(
  config: string,
  open: () => Promise<OpenProject | null>,
  send: FileCheck['send'],
): Promise<OpenProject | null> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof CheckerProblem) || error.reason !== 'broken-config') throw error;
    send({ kind: 'problem', config, reason: error.reason, message: error.message });
    return null;
  }
}

async function checkConfiguration(check: FileCheck, { config, proposed, base }: CheckedProject): Promise<void> {
  const errors = ofProject(await proposed.errorsOfProject());
  if (errors.length === 0) return;
  const before = ofProject((await (await base())?.errorsOfProject()) ?? []);
  sendErrors(check, { file: config, group: 'rest', proposed: errors, base: before });
  const first = errors.find(({ code }) => !DEPRECATIONS.includes(code));
  if (first !== undefined) check.send({ kind: 'problem', config, reason: 'broken-config', message: first.message });
}

/** Options that work, and will not in a later version. */
const DEPRECATIONS = [5101, 5107];

function ofProject(errors: readonly CompilerError[]): readonly CompilerError[] {
  return errors.map((error) => (error.file?.endsWith('.json') === true ? error : { ...error, file: null }));
}

async function checkFile(check: FileCheck, project: CheckedProject, file: string, group: CheckGroup): Promise<void> {
  const errors = await project.proposed.errorsOf(absolute(check, 'proposed', file));
  // Lets the limits be enforced, and the output be written.
  await new Promise((resolve) => setImmediate(resolve));
  if (errors.length > 0) await compare(check, project, { file, group, errors });
}

async function checkRest(check: FileCheck, project: CheckedProject, rest: readonly string[]): Promise<void> {
  if (project.proposed.errorsOfAll === undefined) {
    for (const file of rest) await checkFile(check, project, file, 'rest');
    return;
  }
  const found = byFile(await project.proposed.errorsOfAll());
  for (const file of rest) {
    const errors = found.get(absolute(check, 'proposed', file));
    if (errors !== undefined) await compare(check, project, { file, group: 'rest', errors });
  }
}

function byFile(errors: readonly CompilerError[]): ReadonlyMap<string | null, readonly CompilerError[]> {
  const found = new Map<string | null, CompilerError[]>();
  for (const error of errors) {
    const known = found.get(error.file);
    if (known === undefined) found.set(error.file, [error]);
    else known.push(error);
  }
  return found;
}

/** Only files with errors are checked in the base: most have none. */
async function compare(
  check: FileCheck,
  { base }: CheckedProject,
  found: { readonly file: string; readonly group: CheckGroup; readonly errors: readonly CompilerError[] },
): Promise<void> {
  const { file, group, errors } = found;
  const before = check.request.renamed[file] ?? file;
  const inBase = (await (await base())?.errorsOf(absolute(check, 'base', before))) ?? [];
  sendErrors(check, { file, group, proposed: errors, base: inBase });
}

function sendErrors(
  { states, send }: FileCheck,
  found: {
    readonly file: string;
    readonly group: CheckGroup;
    readonly proposed: readonly CompilerError[];
    readonly base: readonly CompilerError[];
  },
): void {
  send({
    ...found,
    kind: 'file',
    proposed: located(states.proposed, found.proposed),
    base: located(states.base, found.base),
  });
}

function absolute({ states }: FileCheck, state: CheckedStateName, file: string): string {
  return states[state].at(file);
}
