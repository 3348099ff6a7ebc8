import { existsSync, lstatSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LISTED_FIELD, LISTED_FIELD_COUNT } from '../fs.ts';
import { errorCode } from './path.ts';

/**
 * The native add-on (packages/native), for calls that node lacks or that are slow in node. Each function returns a
 * number: a result, or -errno. Paths have one character per byte. This must match packages/native/src/module.c.
 */
export interface Native {
  /** `at` -1: the working folder. Empty path: the folder `at` itself. list.h describes the result in `buffer`. */
  listWithStats(at: number, path: string, buffer: Uint8Array): number;
  /** Returns a promise if it was started. Do not use `buffer` until it resolves; module.c describes the result. */
  listAside(path: string, buffer: Uint8Array): Promise<number> | number;
  /** Returns a promise if it was started. Do not use `buffer` until it resolves; copy.h describes its contents. */
  copyAside(from: number, to: number, buffer: Uint8Array): Promise<number> | number;
  /** Calls syncfs. Returns a promise if it was started. Do not use `buffer` until it resolves. */
  syncAside(fd: number, buffer: Uint8Array): Promise<number> | number;
  watchInit(): number;
  watchAdd(fd: number, path: string, mask: number): number;
  watchRemove(fd: number, watch: number): number;
  watchRead(fd: number, buffer: Uint8Array): number;
  close(fd: number): number;
}

const INTERFACE_VERSION = 4;
const BUILT_FOR: readonly string[] = ['linux-x64'];
const FUNCTIONS = [
  'listWithStats',
  'listAside',
  'copyAside',
  'syncAside',
  'watchInit',
  'watchAdd',
  'watchRemove',
  'watchRead',
  'close',
] as const;

let loaded: Native | null | undefined;

/** Returns the add-on, loaded on the first call; null if this machine has none, or if it does not work. */
export function native(): Native | null {
  if (loaded === undefined) {
    try {
      loaded = load();
    } catch {
      // Ignore any failure: node's own calls do the same, only slower.
      loaded = null;
    }
  }
  return loaded;
}

/** @returns null if it has another interface version, or lists its own folder differently than node */
export function loadFile(file: string): Native | null {
  const module: { exports: unknown } = { exports: {} };
  process.dlopen(module, file);
  const exported = module.exports;
  if (!isNative(exported)) return null;
  return listsItself(exported, file) ? exported : null;
}

function load(): Native | null {
  const build = `${process.platform}-${process.arch}`;
  const file = BUILT_FOR.includes(build) ? findFile(build) : null;
  return file === null ? null : loadFile(file);
}

/** Looks next to the bundled command, then in the add-on's own package. */
function findFile(build: string): string | null {
  const bundled = fileURLToPath(new URL(`./savepoint-${build}.node`, import.meta.url));
  if (existsSync(bundled)) return bundled;
  try {
    return createRequire(import.meta.url).resolve(`@savepoint/native/${build}.node`);
  } catch (error) {
    if (errorCode(error) === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}

function isNative(exported: unknown): exported is Native {
  if (typeof exported !== 'object' || exported === null) return false;
  const found = exported as Record<string, unknown>;
  return found['interface'] === INTERFACE_VERSION && FUNCTIONS.every((name) => typeof found[name] === 'function');
}

/** Tests the add-on, because a machine may forbid its system calls but allow those of node. */
function listsItself(native: Native, file: string): boolean {
  const buffer = new Uint8Array(new ArrayBuffer(1 << 20));
  const count = native.listWithStats(-1, Buffer.from(dirname(file)).toString('latin1'), buffer);
  if (count <= 0) return false;
  const [numbersAt = 0, namesAt = 0, namesLength = 0] = new Float64Array(buffer.buffer, 0, 3);
  const names = Buffer.from(buffer.buffer, namesAt, namesLength).toString('latin1').split('/');
  const at = names.indexOf(Buffer.from(basename(file)).toString('latin1')) * LISTED_FIELD_COUNT;
  if (at < 0) return false;
  const listed = new Float64Array(buffer.buffer, numbersAt, count * LISTED_FIELD_COUNT);
  const stat = lstatSync(file);
  return Object.entries(LISTED_FIELD).every(([field, offset]) => {
    return listed[at + offset] === stat[field as keyof typeof LISTED_FIELD];
  });
}
