/**
 * Bundles that were opened for review: each is a timeline in a store of its own, below a private folder that is removed when
 * the server ends. Its files are not written anywhere, so nothing of what a stranger has put into a bundle can take effect.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { bytesFromText, type DiskPath, nameToJson, open, SavepointError } from '@savepoint/core';
import type { ProcessIdentity } from '@savepoint/core/ports';
import { SerialQueue } from '@savepoint/core/tools';
import type { OpenWorkspace, WorkspaceOptions } from './open-workspace.ts';
import { hasCode } from './private-folder.ts';
import { RequestProblem } from './request-body.ts';
import type { WorkspaceRow } from './wire.ts';

interface OpenBundle {
  readonly row: WorkspaceRow;
  readonly workspace: OpenWorkspace;
  readonly folder: string;
}

/** Each takes space on disk, and some memory. */
const MOST = 4;

export class Bundles {
  readonly #parent: string;
  readonly #folder: string;
  #isMade = false;
  readonly #options: WorkspaceOptions;
  readonly #open = new Map<string, OpenBundle>();
  /** One is opened after the other: that needs the most memory. */
  readonly #opening = new SerialQueue();

  /** @param parent a folder below a private one, which other servers use as well; made when it is needed */
  constructor(parent: string, options: WorkspaceOptions) {
    removeLeftOvers(parent, (owner) => options.ports.processes.state(owner) === 'dead');
    this.#parent = parent;
    this.#folder = join(parent, randomBytes(8).toString('hex'));
    this.#options = options;
  }

  /** Returns the folder for files of this server, which exists then. */
  madeFolder(): string {
    if (this.#isMade) return this.#folder;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const owner = JSON.stringify(this.#options.ports.processes.self());
    writeFileSync(join(this.#folder, OWNER), owner, { mode: 0o600, flag: 'wx' });
    this.#isMade = true;
    return this.#folder;
  }

  rows(): readonly WorkspaceRow[] {
    return [...this.#open.values()].map(({ row }) => row);
  }

  find(id: string): OpenWorkspace | null {
    return this.#open.get(id)?.workspace ?? null;
  }

  /**
   * Opens a bundle, or returns what was opened before.
   * @param name to show
   * @returns the id of its workspace
   * @throws SavepointError BUNDLE_REFUSED, BUNDLE_INCOMPLETE, NO_SPACE, IO, CANCELLED; RequestProblem
   */
  open(file: string, name: string, signal: AbortSignal): Promise<string> {
    return this.#opening.run(signal, async () => {
      const id = await idOf(file);
      if (this.#open.has(id)) return id;
      if (this.#open.size >= MOST) throw new RequestProblem(400, `${MOST} bundles are open. Close one of them first.`);
      this.#open.set(id, await this.#import(id, { file, name, signal }));
      return id;
    });
  }

  /** @returns whether there was such a bundle */
  async close(id: string): Promise<boolean> {
    const found = this.#open.get(id);
    if (found === undefined) return false;
    this.#open.delete(id);
    await found.workspace.savepoint.idle();
    found.workspace.savepoint.close();
    rmSync(found.folder, { recursive: true, force: true });
    return true;
  }

  async closeAll(): Promise<void> {
    for (const id of [...this.#open.keys()]) await this.close(id);
    rmSync(this.#folder, { recursive: true, force: true });
    try {
      rmdirSync(this.#parent);
    } catch (error) {
      // Another server uses it, or it was never made.
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].some((code) => hasCode(error, code))) throw error;
    }
  }

  async #import(
    id: string,
    { file, name, signal }: { readonly file: string; readonly name: string; readonly signal: AbortSignal },
  ): Promise<OpenBundle> {
    const folder = join(this.madeFolder(), id);
    const [home, empty] = [diskPath(join(folder, 'home')), diskPath(join(folder, 'files'))];
    mkdirSync(join(folder, 'files'), { recursive: true, mode: 0o700 });
    // Without settings: those of the user are not about it, such as where checkpoints are exported to.
    const { ports, places, caller } = this.#options;
    const savepoint = open({
      dir: empty,
      here: true,
      ports,
      places: { ...places, home },
      ...(caller === undefined ? {} : { caller }),
    });
    try {
      await savepoint.restoreBundle(nameToJson(diskPath(file)), nameToJson(empty), { timelineOnly: true, signal });
    } catch (error) {
      savepoint.close();
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
    const row = { id, path: name, created: new Date().toISOString(), present: true, isBundle: true };
    return { row, folder, workspace: { savepoint, changes: new SerialQueue(), isBundle: true } };
  }
}

export function isBundleId(id: string): boolean {
  return id.startsWith(ID_START);
}

const ID_START = 'bundle-';
const OWNER = 'owner.json';
const OLD_MS = 24 * 60 * 60 * 1000;

/** Removes what servers left that were killed. */
function removeLeftOvers(parent: string, isDead: (owner: ProcessIdentity) => boolean): void {
  for (const name of existsSync(parent) ? readdirSync(parent) : []) {
    const folder = join(parent, name);
    try {
      if (isDead(JSON.parse(readFileSync(join(folder, OWNER), 'utf8')) as ProcessIdentity))
        rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      // It has no owner yet, or the server was killed while it wrote it.
      if (!(error instanceof SyntaxError) && !hasCode(error, 'ENOENT')) throw error;
      const age = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > OLD_MS) rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** The same bundle has the same id in each server, so that addresses lead there again. */
async function idOf(file: string): Promise<string> {
  const digest = createHash('sha256');
  try {
    // Others may never end.
    if (!statSync(file).isFile()) throw Object.assign(new Error(), { code: 'EINVAL' });
    for await (const part of createReadStream(file)) digest.update(part as Buffer);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'UNKNOWN';
    const data = { path: nameToJson(bytesFromText(file)), operation: 'read', code };
    throw new SavepointError('IO', `The bundle ${JSON.stringify(file)} cannot be read (${code}).`, data);
  }
  return `${ID_START}${digest.digest('hex').slice(0, 24)}`;
}

function diskPath(text: string): DiskPath {
  return bytesFromText(text) as DiskPath;
}
