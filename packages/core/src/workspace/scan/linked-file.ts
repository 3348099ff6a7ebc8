/** A file of which a stat says that it has several names. */
export interface LinkedFile {
  readonly ino: number;
  /** Milliseconds since 1970; moves with each name that comes or goes, and with each write. */
  readonly ctimeMs: number;
}
