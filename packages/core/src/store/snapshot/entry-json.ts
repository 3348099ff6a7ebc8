/** Entries in the store's JSON files: `["f", permissions, blob]`, `["l", blob]`, `["d", permissions]`. */
import type { Entry } from '../../model/entries.ts';
import { isObjectId } from '../../model/ids.ts';

export type StoredEntryJson = readonly ['f', number, string] | readonly ['l', string] | readonly ['d', number] | null;

export function entryToJson(entry: Entry | null): StoredEntryJson {
  if (entry === null) return null;
  if (entry.kind === 'file') return ['f', entry.mode, entry.id];
  return entry.kind === 'link' ? ['l', entry.id] : ['d', entry.mode];
}

/** @throws TypeError for anything else; callers add the name of the file */
export function entryFromJson(json: StoredEntryJson): Entry | null {
  if (json === null) return null;
  if (json[0] === 'f' && isObjectId(json[2])) return { kind: 'file', mode: json[1] & 0o7777, id: json[2] };
  if (json[0] === 'l' && isObjectId(json[1])) return { kind: 'link', id: json[1] };
  if (json[0] === 'd' && typeof json[1] === 'number') return { kind: 'folder', mode: json[1] & 0o7777 };
  throw new TypeError('not an entry');
}
