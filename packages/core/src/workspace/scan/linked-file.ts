/** A file with more than one hard link. */
export interface LinkedFile {
  readonly ino: number;
  /** Milliseconds since 1970. Changes whenever a link is added or removed, and with each write. */
  readonly ctimeMs: number;
}
