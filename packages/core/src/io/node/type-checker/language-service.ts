/** TypeScript below 7: a language service for each project and state, over one set of parsed files. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { CheckedStateName } from '../../type-checker.ts';
import { type Checker, CheckerProblem, type CompilerError, type OpenProject, type States } from './checker.ts';
import type { StateFiles } from './state-files.ts';

interface MessageChain {
  readonly messageText: string;
}

interface Diagnostic {
  readonly file?: { readonly fileName: string };
  readonly start?: number;
  readonly length?: number;
  readonly code: number;
  /** 1: an error. */
  readonly category: number;
  readonly messageText: string | MessageChain;
  readonly relatedInformation?: readonly Diagnostic[];
}

interface ParsedConfig {
  readonly options: Readonly<Record<string, unknown>>;
  readonly fileNames: readonly string[];
  readonly projectReferences?: readonly unknown[];
  readonly errors: readonly Diagnostic[];
}

interface SourceFile {
  readonly fileName: string;
}

interface Service {
  getProgram(): { getSourceFiles(): readonly SourceFile[]; getSourceFile(file: string): SourceFile | undefined };
  getSyntacticDiagnostics(file: string): readonly Diagnostic[];
  getSemanticDiagnostics(file: string): readonly Diagnostic[];
  getCompilerOptionsDiagnostics(): readonly Diagnostic[];
  dispose(): void;
}

/** The part of TypeScript's interface that is used. */
interface TypeScript {
  readonly version: string;
  readonly sys: { realpath(path: string): string; getDirectories(path: string): string[] } & Record<string, unknown>;
  readonly ScriptSnapshot: { fromString(text: string): unknown };
  getParsedCommandLineOfConfigFile(config: string, options: object, host: object): ParsedConfig | undefined;
  createLanguageService(host: object, registry: unknown): Service;
  createDocumentRegistry(caseSensitive: boolean, folder: string): unknown;
  getDefaultLibFilePath(options: object): string;
  /** Internal, and there since version 2. */
  matchFiles(
    ...given: [
      path: string,
      extensions: readonly string[] | undefined,
      excludes: readonly string[] | undefined,
      includes: readonly string[] | undefined,
      caseSensitive: boolean,
      folder: string,
      depth: number | undefined,
      entries: (path: string) => { readonly files: readonly string[]; readonly directories: readonly string[] },
      realpath: (path: string) => string,
    ]
  ): string[];
}

const FUNCTIONS = [
  'getParsedCommandLineOfConfigFile',
  'createLanguageService',
  'createDocumentRegistry',
  'getDefaultLibFilePath',
  'matchFiles',
] as const;

const ERROR = 1;

/** @throws CheckerProblem if it has another interface */
export function loadLanguageService(folder: string, states: States): Checker {
  const ts: unknown = createRequire(join(folder, 'package.json'))(folder);
  if (!isTypeScript(ts)) throw new CheckerProblem('unsupported-version', 'its interface is not known');
  const registry = ts.createDocumentRegistry(CASE_SENSITIVE, states.base.root);
  return {
    open: async (state, config) => openProject(ts, registry, { state, files: states[state], config }),
    close: async () => undefined,
  };
}

const CASE_SENSITIVE = true;

function isTypeScript(found: unknown): found is TypeScript {
  if (typeof found !== 'object' || found === null) return false;
  const ts = found as Record<string, unknown>;
  return FUNCTIONS.every((name) => typeof ts[name] === 'function') && typeof ts['sys'] === 'object';
}

interface WantedProject {
  readonly state: CheckedStateName;
  readonly files: StateFiles;
  readonly config: string;
}

function openProject(ts: TypeScript, registry: unknown, wanted: WantedProject): OpenProject | null {
  const { files } = wanted;
  const path = files.at(wanted.config);
  if (!files.hasFile(path)) return null;
  const disk = diskOf(ts, files);
  const parse = (config: string): ParsedConfig | undefined =>
    ts.getParsedCommandLineOfConfigFile(config, {}, { ...disk, onUnRecoverableConfigFileDiagnostic: () => undefined });
  const parsed = parse(path);
  if (parsed === undefined) throw new CheckerProblem('broken-config', `${wanted.config} cannot be read`);
  const service = ts.createLanguageService(hostOf(ts, disk, parsed, parse, wanted), registry);
  return {
    roots: parsed.fileNames,
    files: async () =>
      service
        .getProgram()
        .getSourceFiles()
        .map(({ fileName }) => fileName),
    errorsOf: async (file) =>
      service.getProgram().getSourceFile(file) === undefined
        ? []
        : errorsIn([...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)]),
    release: () => service.dispose(),
    errorsOfProject: async () => errorsIn([...parsed.errors, ...service.getCompilerOptionsDiagnostics()]),
  };
}

/** What TypeScript asks about files. It has no way to write. */
function diskOf(ts: TypeScript, files: StateFiles) {
  return {
    useCaseSensitiveFileNames: CASE_SENSITIVE,
    getCurrentDirectory: () => files.root,
    fileExists: (path: string) => files.hasFile(path),
    readFile: (path: string) => files.read(path),
    directoryExists: (path: string) => files.hasFolder(path),
    getDirectories: (path: string) => files.entries(path).directories,
    realpath: (path: string) => (files.differs(path) ? path : ts.sys.realpath(path)),
    readDirectory: (
      path: string,
      extensions?: readonly string[],
      excludes?: readonly string[],
      includes?: readonly string[],
      depth?: number,
    ) =>
      ts.matchFiles(
        path,
        extensions,
        excludes,
        includes,
        CASE_SENSITIVE,
        files.root,
        depth,
        (folder) => files.entries(folder),
        (folder) => ts.sys.realpath(folder),
      ),
  };
}

function hostOf(
  ts: TypeScript,
  disk: ReturnType<typeof diskOf>,
  parsed: ParsedConfig,
  parse: (config: string) => ParsedConfig | undefined,
  { files, state }: WantedProject,
): object {
  return {
    ...disk,
    // Its files must resolve to themselves, not to what a build has made of them.
    useSourceOfProjectReferenceRedirect: () => true,
    useCaseSensitiveFileNames: () => CASE_SENSITIVE,
    getScriptFileNames: () => parsed.fileNames,
    // Files with the same version are parsed once for both states.
    getScriptVersion: (file: string) => (files.differs(file) ? state : 'disk'),
    getScriptSnapshot: (file: string) => {
      const text = files.read(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCompilationSettings: () => parsed.options,
    getProjectReferences: () => parsed.projectReferences,
    getParsedCommandLine: parse,
    getDefaultLibFileName: (options: object) => ts.getDefaultLibFilePath(options),
  };
}

function errorsIn(diagnostics: readonly Diagnostic[]): readonly CompilerError[] {
  return diagnostics
    .filter(({ category }) => category === ERROR)
    .map(({ file, start = 0, length = 0, code, messageText, relatedInformation = [] }) => ({
      file: file?.fileName ?? null,
      start,
      end: start + length,
      code,
      message: textOf(messageText),
      related: relatedInformation.map((one) => ({
        file: one.file?.fileName ?? null,
        start: one.start ?? 0,
        message: textOf(one.messageText),
      })),
    }));
}

/** The first sentence says what is wrong; the others why. */
function textOf(message: string | MessageChain): string {
  return typeof message === 'string' ? message : message.messageText;
}
