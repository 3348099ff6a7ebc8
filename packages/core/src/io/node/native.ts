import { existsSync, lstatSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LISTED_FIELD, LISTED_FIELD_COUNT } from '../fs.ts';
import { errorCode } from './path.ts';

/**
 * The native add-on (packages/native): what node has no call for, or only dear ones. Each function gives a number: a
 * result, or -errno. Paths have one character per byte. What stands here must be what packages/native/src/module.c says.
 */
export interface Native {
  /** -1 in `at` is the working folder, and an empty path the open folder `at` itself; what `room` holds then says list.h. */
  listWithStats(at: number, path: string, buffer: Uint8Array): number;
  /** A promise where it is under way; where the listing is in `room`, and what nobody may do meanwhile: module.c. */
  listAside(path: string, buffer: Uint8Array): Promise<number> | number;
  watchInit(): number;
  watchAdd(fd: number, path: string, mask: number): number;
  watchRemove(fd: number, watch: number): number;
  watchRead(fd: number, buffer: Uint8Array): number;
  close(fd: number): number;
}

const INTERFACE_VERSION = 2;
const BUILT_FOR: readonly string[] = ['linux-x64'];
const FUNCTIONS = ['listWithStats', 'listAside', 'watchInit', 'watchAdd', 'watchRemove', 'watchRead', 'close'] as const;

let loaded: Native | null | undefined;

/** The add-on, loaded at the first call; null where there is none for this machine, or the one found does not work. */
export function native(): Native | null {
  if (loaded === undefined) {
    try {
      loaded = load();
    } catch {
      // Whatever is wrong with it: node's own calls do the same, slower.
      loaded = null;
    }
  }
  return loaded;
}

/** @returns null if it is another version's, or does not list its own folder as node does */
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

/** Beside the bundled command, or in the package of its own. */
function findFile(build: string): string | null {
  const beside = fileURLToPath(new URL(`./savepoint-${build}.node`, import.meta.url));
  if (existsSync(beside)) return beside;
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

/** A machine may refuse the add-on's calls and allow node's. */
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
