/**
 * Tells primary errors from those that follow from them. An import that does not resolve makes everything that it names
 * `any`; what the checker then reports about these names goes away once the import is right.
 */

import type { CodeFinding } from '../../code/finding.ts';
import type { TreePath } from '../../model/names.ts';
import type { NewError } from './new-error.ts';

/** From a file to the files that it imports. Only those that are known. */
export type KnownImports = ReadonlyMap<TreePath, readonly TreePath[]>;

interface Root {
  readonly error: NewError;
  /** Its place in the list of all findings. */
  readonly index: number;
  /** The names that are `any` because of it. */
  readonly names: readonly string[];
  /** Whether a module is missing, not only a name in it: then what the file exports may be `any` as well. */
  readonly isModule: boolean;
}

/** Receives the errors of one file after another, in the order in which they are checked. */
export class FindingClasses {
  readonly #roots = new Map<TreePath, Root[]>();
  readonly #imports: KnownImports;
  #count = 0;

  constructor(imports: KnownImports) {
    this.#imports = imports;
  }

  /** @returns the findings in the order of the errors; `follows` counts from the first finding of all files */
  add(path: TreePath, errors: readonly NewError[]): readonly CodeFinding[] {
    for (const [at, error] of errors.entries()) this.#noteRoot(path, error, this.#count + at);
    this.#count += errors.length;
    return errors.map((error) => {
      const root = this.#rootOf(path, error);
      return {
        class: root === null ? 'breaks' : 'follows',
        rule: 'type-error',
        path,
        line: error.line,
        message: error.message,
        evidence:
          root === null
            ? error.related.map((one) => ({
                path: one.path,
                line: one.line,
                state: 'proposed' as const,
                text: one.message,
              }))
            : [{ path: root.error.path, line: root.error.line, state: 'proposed', text: root.error.message }],
        follows: root?.index ?? null,
      };
    });
  }

  #noteRoot(path: TreePath, error: NewError, index: number): void {
    const isModule = isMissingModule(error);
    if (!isModule && !isMissingExport(error)) return;
    const names = isModule ? error.names : /^[\w$]+$/.test(error.text) ? [error.text] : [];
    const known = this.#roots.get(path);
    const root = { error, index, names, isModule };
    if (known === undefined) this.#roots.set(path, [root]);
    else known.push(root);
  }

  /** Null: it is primary. */
  #rootOf(path: TreePath, error: NewError): Root | null {
    if (isMissingModule(error) || isMissingExport(error)) return null;
    const own = this.#roots.get(path) ?? [];
    const named = own.find(({ names }) => names.some((name) => hasWord(error.text, name)));
    if (named !== undefined) return named;
    if (!isAboutAny(error)) return null;
    const imported = (this.#imports.get(path) ?? []).flatMap((other) => this.#roots.get(other) ?? []);
    return own[0] ?? imported.find(({ isModule }) => isModule) ?? null;
  }
}

const MISSING_MODULE = new Set([
  ...['TS2307', 'TS2792', 'TS7016', 'TS2306', 'TS2732'],
  'reportMissingImports',
  'import-not-found',
]);
const MISSING_EXPORT = new Set(['TS2305', 'TS2614', 'TS2724', 'TS2459', 'TS2460', 'TS1192', 'TS2613', 'TS2694']);

/** An implicit or unknown type, in places where nothing else says what it is. */
const ABOUT_ANY = new Set([
  ...[2347, 2571, 18046, 7005, 7006, 7010, 7011, 7018, 7019, 7022, 7023, 7024, 7031, 7034, 7052, 7053].map(
    (code) => `TS${code}`,
  ),
  'reportUnknownVariableType',
  'reportUnknownMemberType',
  'reportUnknownArgumentType',
  'reportUnknownParameterType',
  'reportUnknownLambdaType',
  'reportUntypedBaseClass',
  'reportUntypedFunctionDecorator',
]);

function isMissingModule({ code }: NewError): boolean {
  return MISSING_MODULE.has(code);
}

function isMissingExport({ code, message }: NewError): boolean {
  return (
    MISSING_EXPORT.has(code) || (code === 'reportAttributeAccessIssue' && /is unknown import symbol/.test(message))
  );
}

function isAboutAny({ code }: NewError): boolean {
  return ABOUT_ANY.has(code);
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const isWord = (char: string | undefined): boolean => char !== undefined && /[\w$]/.test(char);
    if (!isWord(text[at - 1]) && !isWord(text[at + word.length])) return true;
  }
  return false;
}
