import type { Name } from '../../model/names.ts';

/** inotify(7): bits of an event's mask, and of the flags for a new watch. */
export const IN = {
  modify: 0x2,
  attrib: 0x4,
  closeWrite: 0x8,
  movedFrom: 0x40,
  movedTo: 0x80,
  create: 0x100,
  delete: 0x200,
  deleteSelf: 0x400,
  moveSelf: 0x800,
  unmount: 0x2000,
  overflow: 0x4000,
  ignored: 0x8000,
  onlyFolders: 0x01000000,
  notThroughLinks: 0x02000000,
  isFolder: 0x40000000,
} as const;

/** The events that a watch requests. */
export const REPORTED =
  IN.modify |
  IN.attrib |
  IN.closeWrite |
  IN.movedFrom |
  IN.movedTo |
  IN.create |
  IN.delete |
  IN.deleteSelf |
  IN.moveSelf;

/** Events after which the entry is a different one, or none. */
export const REPLACED = IN.movedFrom | IN.movedTo | IN.create | IN.delete;

const UNDERSTOOD = REPORTED | IN.unmount | IN.overflow | IN.ignored | IN.isFolder;
const HEAD = 16;

export interface InotifyEvent {
  /** The system's number of the watch; -1 for events of the queue itself. */
  readonly watch: number;
  readonly mask: number;
  /** The name of the entry in the watched folder; empty for the folder itself. */
  readonly name: Name | '';
}

/**
 * Parses the events in the first `length` bytes of a read from the queue.
 * @returns null if they are not as inotify(7) describes
 */
export function parseEvents(bytes: Buffer, length: number): readonly InotifyEvent[] | null {
  const events: InotifyEvent[] = [];
  let at = 0;
  while (at < length) {
    if (length - at < HEAD) return null;
    const watch = bytes.readInt32LE(at);
    const mask = bytes.readUInt32LE(at + 4);
    const padded = bytes.readUInt32LE(at + 12);
    const start = at + HEAD;
    at = start + padded;
    if (at > length || (mask & ~UNDERSTOOD) !== 0) return null;
    const end = padded === 0 ? start : bytes.indexOf(0, start);
    if (end < 0 || (end >= at && padded > 0)) return null;
    events.push({ watch, mask, name: bytes.toString('latin1', start, end) as Name | '' });
  }
  return events;
}
