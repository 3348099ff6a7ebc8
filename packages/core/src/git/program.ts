/**
 * Runs git in a user's repository without running anything that the repository configures: no hooks, fsmonitor,
 * filters, pager, editor or transport. Callers must only run commands that need none of these. Only `hook` runs what the
 * repository configures, because that is what a person asked for.
 */

import { showName } from '../content/show-name.ts';
import { findProgram } from '../io/find-program.ts';
import type { Ports } from '../io/ports.ts';
import type { ProgramResult } from '../io/programs.ts';
import { SavepointError } from '../model/errors.ts';
import { type DiskPath, nameToJson, textFromBytes } from '../model/names.ts';
import type { GitState } from './repository.ts';

export interface Git {
  /**
   * @param args the command and its arguments, as text
   * @param indexFile instead of the repository's own
   * @throws SavepointError IO if git cannot be run or does not exit normally
   */
  run(repository: GitState, args: readonly string[], input?: Buffer, indexFile?: DiskPath): Promise<ProgramResult>;
  /**
   * Runs a command that only reads, with the user's configuration too, as git would find it.
   * @param variables the user's environment
   * @param folder the repository's files, if the command is about them
   * @throws SavepointError IO as for `run`
   */
  readAsUser(
    repository: GitState,
    args: readonly string[],
    variables: Readonly<Record<string, string>>,
    about?: { readonly folder: DiskPath; readonly input: Buffer },
  ): Promise<ProgramResult>;
  /**
   * Returns the author that git would give to a commit: of the variables, the repository's configuration or the user's,
   * with conditional includes. Reading the configuration runs nothing.
   * @param variables the user's environment
   * @returns the line of `git var`; null if there is none
   * @throws SavepointError IO as for `run`
   */
  author(repository: GitState, variables: Readonly<Record<string, string>>): Promise<string | null>;
  /**
   * Runs a hook of a repository as git would, if it has one.
   * @throws SavepointError IO if git cannot be run
   */
  hook(run: HookRun): Promise<ProgramResult>;
}

export interface HookRun {
  readonly name: string;
  /** The folder of the repository's files. */
  readonly folder: DiskPath;
  readonly args: readonly string[];
  /** The user's environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** The index that the hook sees; null: the repository's own. */
  readonly index: DiskPath | null;
  readonly signal: AbortSignal | null;
}

const TIMEOUT_MS = 60_000;
const OUTPUT_BYTES = 16 * 1024 * 1024;

/** Variables that make git use another repository (`git rev-parse --local-env-vars`). */
const OF_ONE_REPOSITORY: ReadonlySet<string> = new Set(
  [
    'ALTERNATE_OBJECT_DIRECTORIES COMMON_DIR CONFIG CONFIG_COUNT CONFIG_PARAMETERS DIR GRAFT_FILE IMPLICIT_WORK_TREE',
    'INDEX_FILE INTERNAL_SUPER_PREFIX NO_REPLACE_OBJECTS OBJECT_DIRECTORY PREFIX REPLACE_REF_BASE SHALLOW_FILE WORK_TREE',
  ]
    .join(' ')
    .split(' ')
    .map((name) => `GIT_${name}`),
);

/** Variables of a user's shell that would make git read another repository, or read paths in another way. */
const OF_ANOTHER_PLACE = /^GIT_(?:COMMON_DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|PREFIX|.*_PATHSPECS)$/;

const OVERRIDDEN_SETTINGS: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.pager=cat',
  'core.editor=false',
  'core.askPass=false',
  'core.sshCommand=false',
  'core.alternateRefsCommand=false',
  'credential.helper=',
  'protocol.allow=never',
  'gc.auto=0',
  'maintenance.auto=false',
  'log.showSignature=false',
  'user.useConfigOnly=true',
  // By default git does not sync single objects, so a branch could survive a power cut that its commit does not.
  'core.fsync=all',
];

/**
 * Finds git on the search path.
 * @param within the workspace: a git inside it is never used, because anyone who can write there could have planted it
 * @returns null if no git is found
 */
export function findGit(ports: Ports, searchPath: string, within: DiskPath): Git | null {
  const program = findProgram(ports, ports.platform === 'win32' ? 'git.exe' : 'git', searchPath, within);
  if (program === null) return null;
  const env = {
    PATH: program.slice(0, program.lastIndexOf('/')),
    GIT_DIR: '.',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_COMMITTER_NAME: 'Savepoint',
    GIT_COMMITTER_EMAIL: 'savepoint@savepoint.invalid',
    LC_ALL: 'C',
  };
  const settings = OVERRIDDEN_SETTINGS.flatMap((setting) => ['-c', setting]);
  const start = async (
    { gitDir }: GitState,
    [command = '', ...args]: readonly string[],
    variables: Readonly<Record<string, string>>,
    input?: Buffer,
    cwd: DiskPath = gitDir,
  ): Promise<ProgramResult> => {
    const result = await ports.programs.run({
      file: program,
      args: ['--no-pager', ...settings, command, ...args],
      cwd,
      env: variables,
      timeoutMs: TIMEOUT_MS,
      maxBytes: OUTPUT_BYTES,
      ...(input === undefined ? {} : { input }),
    });
    if (result.ended === 'exit') return result;
    throw new SavepointError('IO', `git ${command} was stopped (${result.ended}).`, {
      path: program,
      operation: 'run',
      code: result.ended,
    });
  };
  const readAsUser: Git['readAsUser'] = async (repository, args, variables, about) => {
    const { PATH, GIT_DIR, GIT_TERMINAL_PROMPT } = env;
    const others = Object.entries(variables).filter(([name]) => !OF_ANOTHER_PLACE.test(name));
    const base = { ...Object.fromEntries(others), PATH, GIT_TERMINAL_PROMPT, LC_ALL: 'C' };
    if (about === undefined) return start(repository, args, { ...base, GIT_DIR });
    const { folder, input } = about;
    const places = { GIT_DIR: textOf(repository.gitDir), GIT_WORK_TREE: textOf(folder) };
    return start(repository, args, { ...base, ...places, GIT_OPTIONAL_LOCKS: '0' }, input, folder);
  };
  return {
    readAsUser,
    run: async (repository, args, input, indexFile) =>
      start(repository, args, indexFile === undefined ? env : { ...env, GIT_INDEX_FILE: textOf(indexFile) }, input),
    author: async (repository, variables) => {
      const found = await readAsUser(repository, ['var', 'GIT_AUTHOR_IDENT'], variables);
      return found.exit === 0 ? found.stdout.toString('utf8').trim() : null;
    },
    hook: async ({ name, folder, args, variables, index, signal }) => {
      const others = Object.entries(variables).filter(([key]) => !OF_ONE_REPOSITORY.has(key));
      return ports.programs.run({
        file: program,
        args: ['hook', 'run', '--ignore-missing', name, ...(args.length === 0 ? [] : ['--', ...args])],
        cwd: folder,
        env: {
          ...Object.fromEntries(others),
          GIT_EDITOR: ':',
          GIT_TERMINAL_PROMPT: '0',
          ...(index === null ? {} : { GIT_INDEX_FILE: textOf(index) }),
        },
        maxBytes: OUTPUT_BYTES,
        ...(signal === null ? {} : { signal }),
      });
    },
  };
}

/** Returns the first line of git's error output. */
export function firstErrorLine({ stderr, exit }: ProgramResult): string {
  const line = stderr.toString('utf8').split('\n')[0]?.trim() ?? '';
  return line === '' ? `git ended with status ${exit}` : line;
}

/** @throws SavepointError IO for a path that no variable can have */
function textOf(path: DiskPath): string {
  const text = textFromBytes(path);
  if (text !== null) return text;
  throw new SavepointError('IO', `git cannot use ${showName(path)}: the path is not valid UTF-8.`, {
    path: nameToJson(path),
    operation: 'run',
    code: 'EILSEQ',
  });
}
