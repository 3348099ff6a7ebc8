/**
 * Frozen paths, which agents must not change: `frozen.json` in the store (docs/format.md). A damaged file is an error;
 * it never means that nothing is frozen.
 */

import { showName } from '../../content/show-name.ts';
import { durableWrite } from '../../io/durable-write.ts';
import type { Ports } from '../../io/ports.ts';
import { SavepointError } from '../../model/errors.ts';
import {
  type DiskPath,
  diskChild,
  isWithin,
  type JsonName,
  nameToJson,
  type TreePath,
  treePathFromJson,
} from '../../model/names.ts';
import { formatProblem, isJsonName, listOf, objectOf, text } from '../json-shape.ts';
import type { StoreLayout } from '../layout.ts';
import { readDecided } from './decided-file.ts';

export interface FrozenPath {
  /** Includes everything below it; '' is the workspace itself. */
  readonly path: TreePath;
  /** Milliseconds since 1970. */
  readonly since: number;
}

interface FrozenJson {
  readonly format: 1;
  readonly paths: readonly { readonly path: JsonName; readonly since: string }[];
}

const FROZEN_BYTES = 16 * 1024 * 1024;
const MAX_PATHS = 1_000_000;

const FROZEN = objectOf({
  paths: listOf(
    objectOf({
      path: (value, at) => {
        if (!isJsonName(value)) throw formatProblem(at, 'is not a path');
      },
      since: text(100),
    }),
    MAX_PATHS,
  ),
});

/** @throws SavepointError STORE_DAMAGED */
export function readFrozen({ fs }: Ports, layout: StoreLayout): readonly FrozenPath[] {
  const json = readDecided<FrozenJson>(fs, {
    path: fileOf(layout),
    maxBytes: FROZEN_BYTES,
    shape: FROZEN,
    unknown: 'the frozen paths are unknown',
    hint: '`savepoint repair` moves the file aside. Then freeze the paths again.',
  });
  return json?.paths.map(({ path, since }) => ({ path: treePathFromJson(path), since: Date.parse(since) })) ?? [];
}

/** Durable on return. The caller holds the store's lock. */
export function writeFrozen({ fs }: Ports, layout: StoreLayout, frozen: readonly FrozenPath[]): void {
  const paths = [...frozen]
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, since }) => ({ path: nameToJson(path), since: new Date(since).toISOString() }));
  const json: FrozenJson = { format: 1, paths };
  durableWrite(fs, fileOf(layout), Buffer.from(`${JSON.stringify(json, null, 2)}\n`), 0o600);
}

/** Returns the frozen path that a write to `path` would affect: the same path, one above it, or one below it. */
export function frozenPathOf(frozen: readonly FrozenPath[], path: TreePath): TreePath | null {
  return frozen.find((each) => isWithin(path, each.path) || isWithin(each.path, path))?.path ?? null;
}

/** @throws SavepointError FROZEN */
export function assertNotFrozen(frozen: readonly FrozenPath[], paths: readonly TreePath[]): void {
  const hit = paths.flatMap((path) => {
    const by = frozenPathOf(frozen, path);
    return by === null ? [] : [{ path, by }];
  });
  const [first] = hit;
  if (first === undefined) return;
  const { path, by } = first;
  const more = hit.length === 1 ? '' : ` and ${hit.length - 1} more`;
  const itself = hit.length === 1 ? 'it is frozen' : 'they are frozen';
  const why = by === path ? itself : `${by === '' ? 'the entire workspace' : showName(by)} is frozen`;
  throw new SavepointError('FROZEN', `${showName(path)}${more} cannot be changed: ${why}.`, {
    paths: hit.map((one) => nameToJson(one.path)),
    frozen: [...new Set(hit.map((one) => nameToJson(one.by)))],
  });
}

function fileOf(layout: StoreLayout): DiskPath {
  return diskChild(layout.path, 'frozen.json');
}
