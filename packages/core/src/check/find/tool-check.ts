/** The check of one row of the table in one folder. */

import type { Check, CheckProgram } from '../check.ts';
import { checkName } from './check-name.ts';
import { type PlainCommand, plainCommand } from './plain-command.ts';
import { objectFrom, type ProjectFolder } from './project-folder.ts';
import { localTool, packagePart } from './script-runner.ts';
import type { Signs, ToolRow } from './tools.ts';

/**
 * @param above the folder and those above it, nearest first
 * @returns null if the folder does not use the tool
 */
export function toolCheck(row: ToolRow, above: readonly ProjectFolder[]): Check | null {
  const [folder] = above as [ProjectFolder];
  const script = scriptOf(row, folder);
  if (script === null && !isFound(row.signs, folder)) return null;
  const name = row.program ?? row.tool;
  const base = programOf(row, name, above);
  return {
    name: checkName(row.tool, folder.path),
    tool: row.tool,
    kind: row.kind,
    folder: folder.path,
    program: base.program,
    args: [...base.args, ...argsOf(row, folder, script)],
    env: script?.command.env ?? {},
    format: row.format,
    definedBy: [
      ...(script === null ? [] : [packagePart(folder, 'scripts')]),
      ...(row.definedBy ?? []).flatMap((file) => folder.definition(file)),
    ],
    runs: script?.text ?? null,
    onRequest: false,
    reads: null,
    timeoutMs: null,
  };
}

const VIRTUAL_ENVIRONMENTS = ['.venv/bin', 'venv/bin'];

interface FoundScript {
  readonly text: string;
  readonly command: PlainCommand;
}

/** The script that runs the tool, and nothing else. */
function scriptOf({ script }: ToolRow, folder: ProjectFolder): FoundScript | null {
  if (script === undefined) return null;
  const { scripts } = folder;
  for (const name of script.names) {
    const text = scripts.get(name);
    const command = text === undefined ? null : plainCommand(text);
    if (text === undefined || command === null) continue;
    const { words } = command;
    const begins = script.begins.every((word, at) => words[at] === word);
    if (begins && (script.needs === undefined || words.some((word) => script.needs?.test(word))))
      return { text, command };
  }
  return null;
}

function isFound({ files = [], dependency, text = [], below = [] }: Signs, folder: ProjectFolder): boolean {
  return (
    files.some((file) => folder.has(file)) ||
    (dependency !== undefined && folder.dependsOn(dependency)) ||
    text.some(([file, pattern]) => pattern.test(folder.text(file) ?? '')) ||
    below.some(([name, pattern]) => folder.hasFolder(name) && folder.filesIn(name).some((file) => pattern.test(file)))
  );
}

function programOf(
  row: ToolRow,
  name: string,
  above: readonly ProjectFolder[],
): { readonly program: CheckProgram; readonly args: readonly string[] } {
  switch (row.ecosystem) {
    case 'javascript':
      return name === 'node' ? { program: { name, beside: [], inPath: true }, args: [] } : localTool(name, above);
    case 'python':
      if (above.some((folder) => folder.has('poetry.lock')))
        return { program: { name: 'poetry', beside: [], inPath: true }, args: ['run', name] };
      return {
        program: {
          name,
          beside: [...VIRTUAL_ENVIRONMENTS, ...(row.tool === 'pyright' ? ['node_modules/.bin'] : [])],
          inPath: true,
        },
        args: [],
      };
    default:
      return { program: { name, beside: [], inPath: true }, args: [] };
  }
}

function argsOf(row: ToolRow, folder: ProjectFolder, script: FoundScript | null): readonly string[] {
  if (row.tool === 'tsc' && script === null && usesReferences(folder)) return ['-b', '--pretty', 'false'];
  if (row.tool === 'mypy' && namesItsFiles(folder)) return row.args.filter((arg) => arg !== '.');
  const use = row.script;
  if (script === null || use === undefined) return row.args;
  const own = script.command.words.slice(1).filter((word) => !use.without.test(word));
  switch (row.tool) {
    case 'tsc':
      return [...own.filter((word) => word !== 'true' && word !== 'false'), '--pretty', 'false'];
    case 'eslint':
      return [...withoutPair(own, /^(?:-f|--format|-o|--output-file)$/), ...row.args.filter((arg) => arg !== '.')];
    case 'vitest':
      return [...row.args.slice(0, 1), ...withoutPair(own, /^--reporter$/), ...row.args.slice(1)];
    case 'node-test':
      return ['--test', ...row.args, ...own.filter((word) => word !== '--test')];
    default:
      return [...own, ...row.args];
  }
}

/** Leaves out an option with the value that follows it. */
function withoutPair(words: readonly string[], option: RegExp): readonly string[] {
  return words.filter((word, at) => !option.test(word) && !(at > 0 && option.test(words[at - 1]!)));
}

/** A project with references checks nothing itself. Its build writes files, which is harmless in a copy. */
function usesReferences(folder: ProjectFolder): boolean {
  const references = objectFrom(folder.text('tsconfig.json'))?.['references'];
  return Array.isArray(references) && references.length > 0;
}

function namesItsFiles(folder: ProjectFolder): boolean {
  const files = ['mypy.ini', '.mypy.ini', 'pyproject.toml', 'setup.cfg'];
  return files.some((file) => /^[ \t]*(?:files|packages|modules)[ \t]*=/m.test(folder.text(file) ?? ''));
}
