/** Finds the checks of a project. */

import { showName } from '../../content/show-name.ts';
import { childPath, type TreePath, WORKSPACE_ITSELF } from '../../model/names.ts';
import type { Check, Definition } from '../check.ts';
import { checkName } from './check-name.ts';
import { makeChecks } from './makefile.ts';
import { isMember, workspaceMembers } from './members.ts';
import { programsOf } from './plain-command.ts';
import type { ProjectFiles } from './project-files.ts';
import { ProjectFolder } from './project-folder.ts';
import { packageManagerOf, scriptCommand, scriptDefinitions } from './script-runner.ts';
import { toolCheck } from './tool-check.ts';
import { NAMED_CHECKS, TOOLS, type ToolRow } from './tools.ts';
import { writtenChecks } from './written-checks.ts';

export interface FoundChecks {
  readonly checks: readonly Check[];
  /** Why something that looks like a check was left out, one line each. */
  readonly notes: readonly string[];
}

export interface FindOptions {
  /** Whether checks that `.savepoint.json` defines count. */
  readonly projectFile: boolean;
  /** Folders that are projects of their own, such as the repositories of the workspace. */
  readonly roots: readonly TreePath[];
}

const MAX_DEPTH = 4;
const MAX_FOLDERS = 1_000;
const MAX_CHECKS = 200;

/** Folders without projects of their own, or with copies of other projects. */
const PASSED_OVER =
  /^(?:\..*|node_modules|vendor|third_party|dist|build|out|target|venv|__pycache__|fixtures?|__.*__|testdata|examples?|tests?)$/;

/** The checks are in the order of their folders, the ones of a folder in the order of the tables. */
export function findChecks(files: ProjectFiles, options: FindOptions): FoundChecks {
  const found: Check[] = [];
  for (const above of foldersOf(files, options.roots)) {
    found.push(...checksOf(above, found));
    if (found.length >= MAX_CHECKS) break;
  }
  const known = found.filter((check) => unknownPart(check) === null);
  const written = options.projectFile ? writtenChecks(files) : { checks: [], leftOut: new Set<string>(), notes: [] };
  const names = new Set(written.checks.map(({ name }) => name));
  const rest = known.slice(0, MAX_CHECKS).filter(({ name }) => !names.has(name) && !written.leftOut.has(name));
  const unknown = [...written.leftOut].filter((name) => !found.some((check) => check.name === name));
  return {
    checks: [...written.checks, ...rest],
    notes: [
      ...written.notes,
      ...unknown.map((name) => `.savepoint.json leaves out the check ${JSON.stringify(name)}, which was not found.`),
      ...found.flatMap((check) => {
        const file = unknownPart(check);
        return file === null ? [] : [`${JSON.stringify(check.name)} is left out: ${showName(file)} ${UNKNOWN}.`];
      }),
      ...(found.length > MAX_CHECKS ? [`Only the first ${MAX_CHECKS} checks are used.`] : []),
    ],
  };
}

const UNKNOWN = 'is a link or too large, so it is not known what the check runs';

function unknownPart({ definedBy }: Check): TreePath | null {
  return definedBy.find(({ text }) => text === null)?.file ?? null;
}

/** Each folder with those above it, nearest first; from the top down. */
function foldersOf(files: ProjectFiles, roots: readonly TreePath[]): readonly (readonly ProjectFolder[])[] {
  const all: (readonly ProjectFolder[])[] = [];
  const queue: (readonly ProjectFolder[])[] = [[new ProjectFolder(files, WORKSPACE_ITSELF)]];
  for (let next = queue.shift(); next !== undefined && all.length < MAX_FOLDERS; next = queue.shift()) {
    all.push(next);
    const [folder] = next as [ProjectFolder];
    for (const name of folder.names.folders) {
      const path = childPath(folder.path, name);
      const isRoot = roots.includes(path);
      const isWanted = next.length <= MAX_DEPTH && !PASSED_OVER.test(name);
      if (isRoot) queue.push([new ProjectFolder(files, path)]);
      else if (isWanted || roots.some((root) => root.startsWith(`${path}/`))) {
        queue.push([new ProjectFolder(files, path), ...next]);
      }
    }
  }
  return all;
}

/** @param known the checks of the folders above */
function checksOf(above: readonly ProjectFolder[], known: readonly Check[]): readonly Check[] {
  const [folder, ...parents] = above as [ProjectFolder, ...ProjectFolder[]];
  const inherited = known.filter((check) => parents.some(({ path }) => path === check.folder));
  const tools = TOOLS.filter((row) => isNeeded(row, folder, parents, inherited)).flatMap((row) => {
    const check = toolCheck(row, above);
    return check === null ? [] : [{ row, check }];
  });
  const found = tools.map(({ check }) => check);
  const scripts = isJavaScriptProject(folder, parents) ? scriptChecks(above, [...inherited, ...found]) : [];
  const targets =
    parents.length === 0 || inherited.length === 0 ? makeChecks(folder, [...inherited, ...found, ...scripts]) : [];
  return [...found, ...scripts, ...targets];
}

/** A tool of a folder also checks the folders below it. */
function isNeeded(
  row: ToolRow,
  folder: ProjectFolder,
  parents: readonly ProjectFolder[],
  inherited: readonly Check[],
): boolean {
  if (row.isPerFolder === true) return true;
  if (row.ecosystem === 'javascript' && !isJavaScriptProject(folder, parents)) return false;
  const tools = TOOLS.filter((other) => other.ecosystem === row.ecosystem && other.kind === row.kind);
  return !inherited.some(
    (check) =>
      tools.some(({ tool }) => tool === check.tool) ||
      // A script of the top runs what it is written to run, in all packages.
      (row.ecosystem === 'javascript' && check.kind === row.kind && /^(?:npm|pnpm|yarn|bun):/.test(check.tool)),
  );
}

/** Below a package, only the members of its workspace are packages of the project. Others may be fixtures. */
function isJavaScriptProject(folder: ProjectFolder, parents: readonly ProjectFolder[]): boolean {
  const top = parents.findLast((parent) => parent.has('package.json'));
  return top === undefined || isMember(workspaceMembers(top), top.path, folder.path);
}

function scriptChecks(above: readonly ProjectFolder[], known: readonly Check[]): readonly Check[] {
  const [folder, ...parents] = above as [ProjectFolder, ...ProjectFolder[]];
  const { scripts } = folder;
  if (scripts.size === 0) return [];
  const manager = packageManagerOf(above);
  const definedBy: readonly Definition[] = scriptDefinitions(manager, folder, parents);
  return NAMED_CHECKS.flatMap(([script, kind]): readonly Check[] => {
    const text = scripts.get(script);
    if (text === undefined || /no test specified/.test(text)) return [];
    const name = checkName(`${manager}:${script}`, folder.path);
    if (known.some((check) => check.tool === `${manager}:${script}`) || isCovered(text, scripts, kind, known))
      return [];
    return [
      {
        name,
        tool: `${manager}:${script}`,
        kind,
        folder: folder.path,
        ...scriptCommand(manager, script),
        env: {},
        format: 'lines',
        definedBy,
        runs: text,
        onRequest: kind === 'build',
        reads: null,
        timeoutMs: null,
      },
    ];
  });
}

/** Whether tools that were found do what the script does: one of its kind, or all that it runs. */
function isCovered(
  text: string,
  scripts: ReadonlyMap<string, string>,
  kind: Check['kind'],
  known: readonly Check[],
): boolean {
  if (kind === 'build') return false;
  const programs = programsOf(text, scripts);
  const tools = known.filter(({ format }) => format !== 'lines');
  const isRun = ({ tool, program }: Check): boolean =>
    programs.has(tool) || (tool === 'node-test' && programs.has(program.name));
  if (kind === 'tests' && tools.some((check) => check.kind === 'tests' && isRun(check))) return true;
  return [...programs].every((program) => tools.some(({ tool }) => tool === program));
}
