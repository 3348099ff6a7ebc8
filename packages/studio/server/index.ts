/** Studio: a page in the browser over the verbs, and the server for it. Only the command `studio` starts it. */
import { basename } from 'node:path';
import type { DiskPath, OpenOptions } from '@savepoint/core';
import { Activity } from './activity.ts';
import { studioApp } from './app.ts';
import { Bundles } from './bundles.ts';
import { httpServer, listen, type StudioServer } from './http-server.ts';
import type { WorkspaceOptions } from './open-workspace.ts';
import { OpeningFiles } from './opening-files.ts';
import { PageFiles } from './page-files.ts';
import { originOf } from './request-checks.ts';
import type { Fetch } from './respond.ts';
import { Sessions } from './sessions.ts';
import { startedBy } from './started-by.ts';
import { type StudioFiles, studioFiles } from './studio-files.ts';
import { OneTimeTokens } from './tokens.ts';
import { Uploads } from './uploads.ts';
import type { HealthAnswer } from './wire.ts';
import { Workspaces } from './workspaces.ts';

export type { DaemonHealth, HealthAnswer } from './wire.ts';

export interface StudioOptions {
  /** The workspace of this folder is shown first. */
  readonly folder: DiskPath;
  readonly workspace: WorkspaceOptions;
  readonly caller: NonNullable<OpenOptions['caller']>;
  /** Savepoint's home, as text. */
  readonly home: string;
  /** The folder of the built page. */
  readonly page: string;
  /** Null: that of a server that was killed, else any free one. */
  readonly port: number | null;
  readonly isReadOnly: boolean;
  /** A bundle that is shown first, to review it: an absolute path. */
  readonly bundle?: string | null;
  readonly version: string;
  /** Whether hooks and the daemon work, for the workspace of this folder. */
  readonly health: (root: DiskPath) => Promise<HealthAnswer>;
  /** The server ends if no page was open for that long. */
  readonly idleMs: number;
  /** Default 15,000. */
  readonly heartbeatMs?: number;
}

export interface Studio {
  readonly port: number;
  /** Without a token: it lets no browser in. */
  readonly address: string;
  /** The agent below which the server was started; null for a person. */
  readonly startedBy: string | null;
  /** Resolves when no page was open for so long that the server should end. */
  readonly idle: Promise<void>;
  /** Returns an address that lets one browser in, once, within ten minutes. */
  newAddress(): string;
  /** Returns a private file that leads a browser there. It is removed when a page was opened, or after a minute. */
  newOpeningFile(): string;
  /** Ends the server, and all sessions. */
  stop(): Promise<void>;
}

const HEARTBEAT_MS = 15_000;

/**
 * @throws SavepointError STORE_UNSAFE; what `restoreBundle` throws, if there is a bundle; the error of the system if it cannot
 *   listen
 */
export async function startStudio(options: StudioOptions): Promise<Studio> {
  const { folder, version, isReadOnly, heartbeatMs = HEARTBEAT_MS } = options;
  const files = studioFiles(options.home);
  const { agent, caller } = await startedBy(folder, options.workspace, options.caller);
  const workspaceOptions = { ...options.workspace, caller };
  const bundles = new Bundles(files.bundles, workspaceOptions);
  const bundle = await openFirst(bundles, options.bundle ?? null);
  const workspaces = new Workspaces(folder, workspaceOptions, bundles, bundle);
  const page = new PageFiles(options.page);
  let fetch: Fetch = () => new Response(null, { status: 503 });
  const server = httpServer((request, parts) => fetch(request, parts));
  const port = await listenSomewhere(server, options.port, files).catch(async (error: unknown) => {
    await bundles.closeAll();
    throw error;
  });
  const address = `${originOf(port)}/`;
  const tokens = new OneTimeTokens();
  const opening = new OpeningFiles(files.opening);
  const sessions = new Sessions(files.sessionsOf(port));
  let becomesIdle = (): void => undefined;
  const idle = new Promise<void>((resolve) => {
    becomesIdle = resolve;
  });
  const activity = new Activity(options.idleMs, () => becomesIdle());
  fetch = studioApp({
    version,
    isReadOnly,
    startedBy: agent,
    heartbeatMs,
    page,
    tokens,
    sessions,
    workspaces,
    health: options.health,
    bundles,
    uploads: new Uploads(() => bundles.madeFolder()),
    activity,
    opened: () => opening.removeAll(),
  }).fetch;
  const newAddress = (): string => `${address}#token=${tokens.issue()}`;
  return {
    port,
    address,
    startedBy: agent,
    idle,
    newAddress,
    newOpeningFile: () => opening.write(newAddress()),
    stop: async () => {
      activity.stop();
      opening.removeAll();
      sessions.end();
      await server.close();
      await workspaces.close();
      await bundles.closeAll();
    },
  };
}

/** @returns the id of its workspace; null if there is no bundle */
async function openFirst(bundles: Bundles, file: string | null): Promise<string | null> {
  if (file === null) return null;
  try {
    return await bundles.open(file, basename(file), new AbortController().signal);
  } catch (error) {
    await bundles.closeAll();
    throw error;
  }
}

/** @returns the port */
async function listenSomewhere(server: StudioServer, port: number | null, files: StudioFiles): Promise<number> {
  if (port !== null) return listen(server, port);
  for (const known of files.ports()) {
    try {
      return await listen(server, known);
    } catch {
      // Its server still runs, or another program uses it by now.
    }
  }
  return listen(server, 0);
}
