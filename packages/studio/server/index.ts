/** Studio: a page in the browser over the verbs, and the server for it. Only the command `studio` starts it. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DiskPath } from '@savepoint/core';
import { studioApp } from './app.ts';
import { type Fetch, httpServer, listen } from './http-server.ts';
import { writeOpeningFile } from './opening-file.ts';
import { PageFiles } from './page-files.ts';
import { privateFolder } from './private-folder.ts';
import { originOf } from './request-checks.ts';
import { Sessions } from './sessions.ts';
import { OneTimeTokens } from './tokens.ts';
import { type WorkspaceOptions, Workspaces } from './workspaces.ts';

export interface StudioOptions {
  /** The workspace of this folder is shown first. */
  readonly folder: DiskPath;
  readonly workspace: WorkspaceOptions;
  /** Savepoint's home, as text. */
  readonly home: string;
  /** The folder of the built page. */
  readonly page: string;
  /** 0: any free port. */
  readonly port: number;
  readonly isReadOnly: boolean;
  readonly version: string;
}

export interface Studio {
  /** Without a token: it lets no browser in. */
  readonly address: string;
  /** Returns an address that lets one browser in, once, within ten minutes. */
  newAddress(): Promise<string>;
  /** Returns a private file that leads a browser there. It is removed when the page was opened, or after a minute. */
  newOpeningFile(): Promise<string>;
  /** Ends the server orderly: all sessions end. */
  stop(): Promise<void>;
}

/** @throws SavepointError STORE_UNSAFE; the error of the system if it cannot listen */
export async function startStudio(options: StudioOptions): Promise<Studio> {
  const { version, isReadOnly } = options;
  const folder = privateFolder(options.home);
  const page = new PageFiles(options.page);
  const workspaces = new Workspaces(options.folder, options.workspace);
  let fetch: Fetch = () => new Response(null, { status: 503 });
  const server = httpServer((request) => fetch(request));
  const port = await listen(server, options.port);
  const tokens = new OneTimeTokens(folder, port);
  const sessions = new Sessions(join(folder, `sessions-${port}.json`));
  const openingFiles = new Set<string>();
  const removeOpeningFiles = (): void => {
    for (const file of openingFiles) rmSync(file, { force: true });
    openingFiles.clear();
  };
  const opened = removeOpeningFiles;
  fetch = studioApp({ version, isReadOnly, startedBy: null, page, tokens, sessions, workspaces, opened }).fetch;
  const address = `${originOf(port)}/`;
  const newAddress = async (): Promise<string> => `${address}#token=${tokens.issue()}`;
  return {
    address,
    newAddress,
    newOpeningFile: async () => {
      const file = writeOpeningFile(folder, await newAddress());
      openingFiles.add(file);
      setTimeout(() => rmSync(file, { force: true }), OPENING_FILE_MS).unref();
      return file;
    },
    stop: async () => {
      removeOpeningFiles();
      sessions.end();
      server.close();
      server.closeAllConnections();
      await workspaces.close();
    },
  };
}

const OPENING_FILE_MS = 60_000;
