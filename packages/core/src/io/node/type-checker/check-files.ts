/** Checks the files of all projects, the changed ones first, and the base where there are errors. */
import { join } from 'node:path';
import type { CheckedStateName, CheckGroup, TypeCheckEvent, TypeCheckRequest } from '../../type-checker.ts';
import { type Checker, CheckerProblem, type CompilerError, type OpenProject, type States } from './checker.ts';
import { inWorkspace, located } from './places.ts';

interface CheckedProject {
  readonly config: string;
  readonly proposed: OpenProject;
  /** Loaded when it is needed. Null: the base has no such project. */
  readonly base: () => Promise<OpenProject | null>;
  /** The files that count as its own, relative to the workspace. */
  readonly files: ReadonlySet<string>;
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
  for (const project of projects) await checkConfiguration(check, project);
  const done = new Set<string>();
  for (const group of ['changed', 'importers'] as const) {
    let count = 0;
    for (const file of new Set(request[group])) {
      if (done.has(file)) continue;
      done.add(file);
      const owners = projects.filter(({ files }) => files.has(file));
      if (owners.length > 0) count += 1;
      for (const project of owners) await checkFile(check, project, file, group);
    }
    send({ kind: 'group', group, files: count });
  }
  const rest = new Set<string>();
  for (const project of projects) for (const file of await checkRest(check, project, done)) rest.add(file);
  send({ kind: 'group', group: 'rest', files: rest.size });
}

async function openProjects({ request, states, checker, send }: FileCheck): Promise<readonly CheckedProject[]> {
  const opened: { config: string; references: readonly string[]; proposed: OpenProject }[] = [];
  for (const { config, references } of request.projects) {
    const proposed = await opening(config, () => checker.open('proposed', config), send);
    if (proposed !== null) opened.push({ config, references, proposed });
  }
  const rootsOf = new Map(opened.map(({ config, proposed }) => [config, new Set(proposed.roots)]));
  const projects: CheckedProject[] = [];
  for (const { config, references, proposed } of opened) {
    const own = rootsOf.get(config);
    // Each file is checked with the options of the project that it belongs to.
    const isOfAnother = (path: string): boolean =>
      own?.has(path) !== true && references.some((other) => rootsOf.get(other)?.has(path) === true);
    const files = (await proposed.files()).flatMap((path) => {
      const inside = path.includes('/node_modules/') || isOfAnother(path) ? null : inWorkspace(states.proposed, path);
      return inside === null ? [] : [inside];
    });
    let base: Promise<OpenProject | null> | undefined;
    projects.push({
      config,
      proposed,
      files: new Set(files),
      base: () => {
        base ??= opening(config, () => checker.open('base', config), send);
        return base;
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
  sendErrors(check, { file: config, group: 'changed', proposed: errors, base: before });
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

/** @returns the files that were checked */
async function checkRest(
  check: FileCheck,
  project: CheckedProject,
  done: ReadonlySet<string>,
): Promise<readonly string[]> {
  const rest = [...project.files].filter((file) => !done.has(file));
  if (project.proposed.errorsOfAll === undefined) {
    for (const file of rest) await checkFile(check, project, file, 'rest');
    return rest;
  }
  const found = byFile(await project.proposed.errorsOfAll());
  for (const file of rest) {
    const errors = found.get(absolute(check, 'proposed', file));
    if (errors !== undefined) await compare(check, project, { file, group: 'rest', errors });
  }
  return rest;
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
  return join(states[state].root, file);
}
