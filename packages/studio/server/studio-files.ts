/**
 * The files of Studio in Savepoint's home: `studio/sessions-PORT.json`, `studio/opening/` for files that open a page, and
 * `studio/bundles/` for bundles under review.
 */
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { privateFolder } from './private-folder.ts';
import { SESSION_MS } from './sessions.ts';

export interface StudioFiles {
  /** Files that lead a browser to the page. */
  readonly opening: string;
  /** A folder of each server for the bundles that it shows. */
  readonly bundles: string;
  sessionsOf(port: number): string;
  /**
   * The ports of servers that left sessions: they run, or were killed. The newest first. A server that starts on the port of
   * one that was killed lets its pages go on.
   */
  ports(): readonly number[];
}

const SESSIONS = /^sessions-([1-9]\d{0,4})\.json$/;

/** @throws SavepointError STORE_UNSAFE; the error of the system */
export function studioFiles(home: string): StudioFiles {
  const folder = privateFolder(home);
  const opening = join(folder, 'opening');
  mkdirSync(opening, { recursive: true, mode: 0o700 });
  return {
    opening,
    bundles: join(folder, 'bundles'),
    sessionsOf: (port) => join(folder, `sessions-${port}.json`),
    ports: () => portsIn(folder),
  };
}

/** Removes the files of servers that were killed so long ago that no session of them is left. */
function portsIn(folder: string): readonly number[] {
  return readdirSync(folder)
    .flatMap((name) => {
      const port = Number(SESSIONS.exec(name)?.[1] ?? Number.NaN);
      const time = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs;
      return Number.isNaN(port) || time === undefined ? [] : [{ name, port, time }];
    })
    .filter(({ name, time }) => {
      const isOld = Date.now() - time > SESSION_MS;
      if (isOld) rmSync(join(folder, name), { force: true });
      return !isOld;
    })
    .sort((a, b) => b.time - a.time)
    .map(({ port }) => port);
}
