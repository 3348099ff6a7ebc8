/** What a reader gets of a run, and what it returns. */

import { JsonProblem, readJson } from '../../content/strict-json.ts';
import type { Finding } from '../check.ts';
import { cleanMessage, pathInProject, type RunPaths, shownLine } from './clean.ts';

export interface RunOutput {
  readonly tool: string;
  readonly exit: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** The output file; null if the tool wrote none. */
  readonly file: Buffer | null;
  readonly paths: RunPaths;
}

export interface Reading {
  readonly findings: readonly Finding[];
  /** The number of findings that were left out, because there are too many. */
  readonly omitted: number;
  /** How many tests ran; null if the format does not say. */
  readonly ran: number | null;
  /** Whether the output has the tool's format. If not, and the exit status is an error, the tool crashed. */
  readonly isReadable: boolean;
}

export type Reader = (output: RunOutput) => Reading;

export const MAX_FINDINGS = 5_000;

export const UNREADABLE: Reading = { findings: [], omitted: 0, ran: null, isReadable: false };

/** Collects findings up to {@link MAX_FINDINGS}. */
export class FindingList {
  readonly #output: Pick<RunOutput, 'tool' | 'paths'>;
  readonly #found: Finding[] = [];
  #omitted = 0;

  constructor(output: Pick<RunOutput, 'tool' | 'paths'>) {
    this.#output = output;
  }

  get length(): number {
    return this.#found.length;
  }

  /**
   * @param found `path` as the tool printed it; `at`: its position, only for display; `detail`: only for display, in
   *   place of the message
   */
  add(found: {
    readonly path: string | null;
    readonly from?: string;
    readonly rule: string | null;
    readonly message: string;
    readonly at?: string;
    readonly detail?: string;
  }): void {
    if (this.#found.length >= MAX_FINDINGS) {
      this.#omitted++;
      return;
    }
    const { tool, paths } = this.#output;
    const path = found.path === null ? null : pathInProject(found.path, paths, found.from);
    const rule = found.rule === null ? null : cleanMessage(found.rule, paths);
    const position = path === null ? '' : `${path}${found.at === undefined ? '' : `:${found.at}`}: `;
    const text = found.detail ?? found.message;
    const named = rule === null ? text : found.message === '' ? `${rule}: ${text}` : `${text} [${rule}]`;
    const shown = shownLine(`${position}${named}`, paths);
    this.#found.push({ tool, path, rule, message: cleanMessage(found.message, paths), shown });
  }

  reading(ran: number | null = null): Reading {
    return { findings: this.#found, omitted: this.#omitted, ran, isReadable: true };
  }
}

/** Returns undefined if it is not JSON, or nested too deeply. */
export function jsonFrom(bytes: Buffer | string): unknown {
  try {
    return readJson(bytes.toString().replace(/^\ufeff/, ''), { keys: 'any' });
  } catch (error) {
    if (error instanceof JsonProblem) return undefined;
    throw error;
  }
}

/** Returns the output file, or else what the tool printed. */
export function mainOutput({ file, stdout }: RunOutput): Buffer {
  return file === null || file.length === 0 ? stdout : file;
}

export function linesOf(bytes: Buffer): readonly string[] {
  return bytes.toString('utf8').split(/\r?\n/);
}

/** Access to JSON from a tool, of which nothing is certain. */
export function field(value: unknown, ...keys: readonly string[]): unknown {
  let at = value;
  for (const key of keys) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return at;
}

export function listIn(value: unknown, ...keys: readonly string[]): readonly unknown[] {
  const found = field(value, ...keys);
  return Array.isArray(found) ? found : [];
}

export function textIn(value: unknown, ...keys: readonly string[]): string {
  const found = field(value, ...keys);
  return typeof found === 'string' ? found : '';
}

export function textOrNull(value: unknown, ...keys: readonly string[]): string | null {
  return textIn(value, ...keys) || null;
}

/** Returns `12` or `12:5`, for display; undefined if the line is unknown. */
export function positionOf(line: unknown, column: unknown): { readonly at?: string } {
  if (!Number.isInteger(line)) return {};
  return { at: Number.isInteger(column) ? `${String(line)}:${String(column)}` : String(line) };
}
