import type { WorkspaceId } from '../model/ids.ts';
import type { DiskPath } from '../model/names.ts';

/** What a scan asks a process that watches the workspace. */
export interface WatcherQuestion {
  readonly id: WorkspaceId;
  readonly root: DiskPath;
  readonly globalIgnore: DiskPath | null;
  /** What every part of a scan depends on, as one text. The answer is for a scan with the same. */
  readonly dependencies: string;
}

/**
 * Another process of the same user that watches the workspace, as a port: it knows folders in which nothing has changed,
 * so that a scan in this process need not visit them. See docs/decisions/0053-commands-ask-the-daemon.md.
 */
export interface Watcher {
  /**
   * @returns the answer as it came, for the caller to check; null if there is none. The other process has seen all that
   *   happened before the question. Never fails, and takes a second at most
   */
  ask(question: WatcherQuestion): Promise<string | null>;
}
