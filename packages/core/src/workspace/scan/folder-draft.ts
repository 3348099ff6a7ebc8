/** Collects what a scan finds in one folder, until the folder is written or turns out to be unchanged. */

import { type FolderListing, LISTED_FIELD, LISTED_FIELD_COUNT, type ListedStat, statOf } from '../../io/fs.ts';
import type { FileEntry, LinkEntry, Skip } from '../../model/entries.ts';
import type { ObjectId } from '../../model/ids.ts';
import type { Name } from '../../model/names.ts';
import type { ObjectBatch } from '../../store/objects/object-reader.ts';
import { ALL_OTHERS } from '../../store/snapshot/side.ts';
import { type FolderRef, writeFolder } from '../../store/snapshot/snapshot.ts';
import type { Findings } from './findings.ts';
import { KnownFolder, NameFlags, type ScannedFolder, type ScannedName } from './known-folder.ts';
import type { LinkedFile } from './linked-file.ts';
import { WrittenFolder } from './written-folder.ts';

export interface IgnoreMarks {
  /** An ignore rule covers the name. */
  readonly covered: boolean;
  /** Recorded as ignored. */
  readonly ignored: boolean;
}

/** The folder itself, before its names are scanned. */
export interface DraftedFolder extends Pick<ScannedFolder, 'path' | 'rules' | 'mode'> {
  /** The skip of everything in the folder that is not captured. Recorded only if there is something. */
  readonly dependency: Skip | null;
}

const PLAIN_LEAF = NameFlags.plain | NameFlags.provable;

export class FolderDraft {
  /** By position in the listing: the position in the known folder, or a new entry. Undefined: nothing is recorded. */
  readonly #found: (number | ScannedName | undefined)[];
  /** By position in the listing: the position in the known folder, or -1. */
  readonly #positions: Int32Array;
  readonly #refs = new Map<number, WrittenFolder>();
  readonly #unsettled = new Set<Name>();
  /** The known folder was scanned under the same rules. */
  readonly #hasKnownRules: boolean;
  #isSpecial = false;
  #linked: LinkedFile[] | null = null;
  #hasOthers = false;
  #absent: ReadonlySet<Name> = new Set();

  constructor(
    private readonly listing: FolderListing,
    private readonly drafted: DraftedFolder,
    private readonly known: KnownFolder | undefined,
  ) {
    this.#found = new Array(listing.names.length);
    this.#positions = positions(listing.names, known?.names() ?? []);
    this.#hasKnownRules = known?.rules === drafted.rules;
  }

  /** From now on, entries do not depend on the rules and the stat data alone. */
  markSpecial(): void {
    this.#isSpecial = true;
  }

  /** Files with further hard links, through which they can be written. Null if there are none. */
  get linked(): readonly LinkedFile[] | null {
    return this.#linked;
  }

  /** Records the known entry of the name, if nothing about it can have changed. */
  keepKnown(index: number, findings: Findings): boolean {
    const position = this.#positions[index]!;
    const { known } = this;
    if (position < 0 || known === undefined || !this.#hasKnownRules) return false;
    const what = known.what(position);
    const at = index * LISTED_FIELD_COUNT;
    const { numbers } = this.listing;
    if ((what & PLAIN_LEAF) !== PLAIN_LEAF || !known.provesListed(position, numbers, at)) return false;
    this.#found[index] = position;
    const isLink = (what & NameFlags.kind) === NameFlags.link;
    findings.count(isLink ? 'link' : 'file', numbers[at + LISTED_FIELD.size]!);
    if (numbers[at + LISTED_FIELD.nlink]! > 1) this.#noteLinked(statOf(this.listing, index));
    return true;
  }

  /** Returns whether the ignore rules cover the name. Null if unknown. */
  knownVerdict(index: number, isFolder: boolean): boolean | null {
    const position = this.#positions[index]!;
    const { known } = this;
    if (position < 0 || known === undefined || !this.#hasKnownRules) return null;
    const what = known.what(position);
    const kind = what & NameFlags.kind;
    if (kind === NameFlags.skip || (kind === NameFlags.folder) !== isFolder) return null;
    return (what & NameFlags.covered) !== 0;
  }

  /** Returns the id of a file or link, if its stat data proves that it is unchanged. */
  provenId(index: number, stat: ListedStat): ObjectId | null {
    const position = this.#positions[index]!;
    const { known } = this;
    if (position < 0 || known === undefined) return null;
    return known.proves(position, stat) ? known.id(position) : null;
  }

  addLeaf(
    index: number,
    entry: FileEntry | LinkEntry,
    stat: ListedStat,
    marks: IgnoreMarks & { readonly young: boolean; readonly stable: boolean },
  ): void {
    const name = this.#name(index);
    if (!marks.stable) this.#unsettled.add(name);
    if (stat.nlink > 1) this.#noteLinked(stat);
    const provable = !marks.young && marks.stable ? NameFlags.provable : 0;
    const plain = this.#isSpecial || marks.covered ? 0 : NameFlags.plain;
    const kind = entry.kind === 'link' ? NameFlags.link : NameFlags.file;
    this.#found[index] = { name, flags: kind | provable | plain | markFlags(marks), stat, id: entry.id, skip: null };
  }

  addFolder(index: number, written: WrittenFolder, marks: IgnoreMarks): void {
    this.#refs.set(index, written);
    const flags = NameFlags.folder | markFlags(marks);
    this.#found[index] = { name: this.#name(index), flags, stat: null, id: null, skip: null };
  }

  addSkip(index: number, skip: Skip): void {
    this.#found[index] = { name: this.#name(index), flags: NameFlags.skip, stat: null, id: null, skip };
  }

  /** In a dependency folder: it contains something that is not captured. */
  markOthers(): void {
    this.#hasOthers = true;
  }

  /** In a dependency folder: names that do not exist. Without this, the skip of all others would cover them. */
  setAbsent(names: ReadonlySet<Name>): void {
    if (this.#hasOthers) this.#absent = names;
  }

  /** Nothing would be recorded but the skip of all others. */
  get hasOnlyOthers(): boolean {
    return this.#hasOthers && this.#absent.size === 0 && this.#found.every((found) => found === undefined);
  }

  write(batch: ObjectBatch): WrittenFolder {
    const { known } = this;
    const { path, rules, mode, dependency } = this.drafted;
    const isWhole = dependency === null && !this.#isSpecial && this.#unsettled.size === 0;
    const reusable =
      isWhole && known !== undefined && known.mode === mode && this.#matchesWritten(known) ? known.ref : null;
    const ref = reusable ?? this.#write(batch);
    const names = this.#names();
    const isKnown = reusable !== null && known !== undefined && this.#matchesKnown();
    const record = isKnown
      ? known
      : KnownFolder.of({ path, rules, mode, ref: isWhole ? ref : null, names: [...names] });
    return new WrittenFolder(ref, record, reusable !== null);
  }

  #noteLinked({ ino, ctimeMs }: ListedStat): void {
    this.#linked ??= [];
    this.#linked.push({ ino, ctimeMs });
  }

  #matchesWritten(known: KnownFolder): boolean {
    let count = 0;
    for (const [index, found] of this.#found.entries()) {
      if (found === undefined) continue;
      count += 1;
      if (typeof found === 'number') continue;
      const position = this.#positions[index]!;
      if (position < 0 || !isRecordedSame(found, known.at(position, found.name))) return false;
      if (this.#refs.get(index)?.isUnchanged === false) return false;
    }
    return count === known.count;
  }

  /** Called if the folder matches the written trees: whether its record is unchanged, too. */
  #matchesKnown(): boolean {
    return (
      this.#hasKnownRules &&
      this.#found.every((found) => found === undefined || typeof found === 'number' || found.id === null)
    );
  }

  *#names(): Generator<ScannedName> {
    for (const [index, found] of this.#found.entries()) {
      if (typeof found === 'number') yield this.known!.at(found, this.#name(index));
      else if (found !== undefined) yield found;
    }
  }

  #write(batch: ObjectBatch): FolderRef {
    const entries = new Map<Name, FileEntry | LinkEntry | FolderRef>();
    const skips = new Map<Name, Skip>();
    const ignored = new Set<Name>();
    const { mode, dependency } = this.drafted;
    if (dependency !== null && this.#hasOthers) skips.set(ALL_OTHERS, dependency);
    for (const [index, { ref }] of this.#refs) entries.set(this.#name(index), ref);
    for (const { name, flags: what, stat, id, skip } of this.#names()) {
      if ((what & NameFlags.ignored) !== 0) ignored.add(name);
      if (skip !== null) skips.set(name, skip);
      if (id === null || stat === null) continue;
      const isLink = (what & NameFlags.kind) === NameFlags.link;
      entries.set(name, isLink ? { kind: 'link', id } : { kind: 'file', id, mode: stat.mode & 0o7777 });
    }
    const note = { mode, skips, ignored, unsettled: this.#unsettled, absent: this.#absent };
    return writeFolder(batch, { note, entries });
  }

  #name(index: number): Name {
    return this.listing.names[index]!;
  }
}

function markFlags({ covered, ignored }: IgnoreMarks): number {
  return (covered ? NameFlags.covered : 0) | (ignored ? NameFlags.ignored : 0);
}

const RECORDED_FLAGS = NameFlags.kind | NameFlags.ignored;

/** Whether both entries are written the same. For folders, their contents are not compared. */
function isRecordedSame(a: ScannedName, b: ScannedName): boolean {
  return (
    (a.flags & RECORDED_FLAGS) === (b.flags & RECORDED_FLAGS) &&
    a.id === b.id &&
    a.stat?.mode === b.stat?.mode &&
    JSON.stringify(a.skip) === JSON.stringify(b.skip)
  );
}

/** Both lists are sorted. */
function positions(names: readonly Name[], known: readonly Name[]): Int32Array {
  const found = new Int32Array(names.length);
  let at = 0;
  for (let index = 0; index < names.length; index++) {
    const name = names[index]!;
    while (at < known.length && known[at]! < name) at += 1;
    found[index] = at < known.length && known[at] === name ? at : -1;
  }
  return found;
}
