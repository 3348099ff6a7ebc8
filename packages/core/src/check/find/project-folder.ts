/** One folder of a project, with the files that name its tools. Malformed files name no tools. */

import { JsonProblem, readJson } from '../../content/strict-json.ts';
import { childPath, type Name, nameOf, type TreePath } from '../../model/names.ts';
import type { Definition } from '../check.ts';
import type { ProjectFiles } from './project-files.ts';
import type { FolderNames } from './tree-listings.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export class ProjectFolder {
  readonly path: TreePath;
  readonly names: FolderNames;
  readonly #files: ProjectFiles;
  readonly #texts = new Map<string, string | null>();
  readonly #definitions = new Map<string, readonly Definition[]>();
  #package: JsonObject | null | undefined;

  constructor(files: ProjectFiles, path: TreePath) {
    this.path = path;
    this.#files = files;
    this.names = files.list(path);
  }

  has(name: string): boolean {
    return this.names.files.has(name as Name);
  }

  hasFolder(name: string): boolean {
    return this.names.folders.includes(name as Name);
  }

  /** @param name a path in the folder, with slashes. Returns null if it is not a regular file */
  text(name: string): string | null {
    const known = this.#texts.get(name);
    if (known !== undefined) return known;
    const direct = !name.includes('/') && !this.has(name);
    const text = direct ? null : (this.#files.read(this.at(name))?.toString('utf8') ?? null);
    this.#texts.set(name, text);
    return text;
  }

  /**
   * A file that says what a check runs. It counts even if it is not captured, because programs read it all the same.
   * @param name a path in the folder, with slashes
   * @returns nothing if there is no such file
   */
  definition(name: string): readonly Definition[] {
    const file = this.at(name);
    const known = this.#definitions.get(name);
    if (known !== undefined) return known;
    const text = this.#files.read(file)?.toString('utf8') ?? null;
    const found = text !== null || this.#files.isUnknown(file) ? [{ file, part: null, text }] : [];
    this.#definitions.set(name, found);
    return found;
  }

  /** Names of the regular files in a folder below. */
  filesIn(name: string): readonly string[] {
    return [...this.#files.list(this.at(name)).files];
  }

  at(name: string): TreePath {
    return name.split('/').reduce<TreePath>((path, part) => childPath(path, nameOf(part)), this.path);
  }

  /** `package.json`; null if the folder has none that can be read. */
  get packageJson(): JsonObject | null {
    this.#package ??= objectFrom(this.text('package.json'));
    return this.#package;
  }

  /** The scripts of `package.json`. */
  get scripts(): ReadonlyMap<string, string> {
    const entries = Object.entries(objectIn(this.packageJson, 'scripts'));
    return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  }

  dependsOn(name: string): boolean {
    const lists = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
    return lists.some((list) => Object.hasOwn(objectIn(this.packageJson, list), name));
  }
}

export function objectIn(object: JsonObject | null, key: string): JsonObject {
  const value = object !== null && Object.hasOwn(object, key) ? object[key] : null;
  return isObject(value) ? value : {};
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads JSON that may have comments and trailing commas, as tools allow in their settings. */
export function objectFrom(text: string | null): JsonObject | null {
  if (text === null) return null;
  for (const candidate of [text, withoutComments(text)]) {
    try {
      const json = readJson(candidate.replace(/^\ufeff/, ''), { keys: 'any' });
      return isObject(json) ? json : null;
    } catch (error) {
      if (!(error instanceof JsonProblem)) throw error;
    }
  }
  return null;
}

/** Each character is visited once, also in malformed text. */
function withoutComments(text: string): string {
  let bare = '';
  for (let at = 0; at < text.length; ) {
    const two = text.slice(at, at + 2);
    const end = text[at] === '"' ? endOfString(text, at) : two === '//' ? endAt(text, '\n', at) : null;
    if (end !== null) {
      bare += two === '//' ? ' ' : text.slice(at, end);
      at = end;
    } else if (two === '/*') {
      bare += ' ';
      at = endAt(text, '*/', at + 2) + 2;
    } else if (text[at] === ',' && /[}\]]/.test(nextToken(text, at + 1))) at += 1;
    else bare += text[at++];
  }
  return bare;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"' && text[at] !== '\n') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function endAt(text: string, what: string, from: number): number {
  const at = text.indexOf(what, from);
  return at < 0 ? text.length : at;
}

/** Returns the next character that is not a space, if one is near. A comment after the last comma is rare. */
function nextToken(text: string, from: number): string {
  return text.slice(from, from + 200).trimStart()[0] ?? '';
}
