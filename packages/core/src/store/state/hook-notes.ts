/**
 * What hooks of agents noted in `<home>/agents/`: failures, and paths that are in no checkpoint. The package of the agents
 * writes these files; only their times are read here.
 */

import type { Fs } from '../../io/fs.ts';
import { listIfExists } from '../../io/if-exists.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import { readCacheJson } from './cache-file.ts';

export interface HookNote {
  readonly agent: string;
  readonly kind: 'failure' | 'uncovered';
  /** Milliseconds since 1970: of the newest one. */
  readonly time: number;
}

const NAME = /^([a-z][a-z0-9-]{0,40})\.(failure|uncovered)\.json$/;
const MAX_BYTES = 1024 * 1024;

export function hookNotesIn(home: DiskPath): DiskPath {
  return diskChild(home, 'agents');
}

export function readHookNotes(fs: Fs, home: DiskPath): readonly HookNote[] {
  const folder = hookNotesIn(home);
  return listIfExists(fs, folder).flatMap((name): readonly HookNote[] => {
    const [, agent = '', kind = ''] = NAME.exec(name) ?? [];
    if (kind !== 'failure' && kind !== 'uncovered') return [];
    const time = readCacheJson(fs, diskChild(folder, name), MAX_BYTES, newestTime);
    return time === null ? [] : [{ agent, kind, time }];
  });
}

function newestTime(json: unknown): number | null {
  const times = (Array.isArray(json) ? json : [json]).flatMap((one: { readonly time?: unknown } | null) =>
    typeof one?.time === 'number' ? [one.time] : [],
  );
  return times.length === 0 ? null : Math.max(...times);
}
