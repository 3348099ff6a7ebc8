/** Bundles that a page sends, part by part, so that no request is large. Each is a private file until it is opened. */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { RequestProblem } from './request-body.ts';

export interface Upload {
  readonly name: string;
  readonly file: string;
}

interface Unfinished extends Upload {
  readonly size: number;
  received: number;
}

/** In bytes, of one bundle. A larger one is opened with `--bundle`. */
export const MAX_UPLOAD = 256 * 1024 * 1024;
/** In bytes, before they are encoded. */
export const UPLOAD_PART = 1024 * 1024;
/** If there are more, the oldest was given up. */
const MOST = 2;

export class Uploads {
  readonly #folder: () => string;
  readonly #unfinished = new Map<string, Unfinished>();

  /** @param folder returns a private folder that is only of this server */
  constructor(folder: () => string) {
    this.#folder = folder;
  }

  /** @returns the id of the upload. @throws RequestProblem */
  begin(name: string, size: number): string {
    if (!Number.isSafeInteger(size) || size < 1) throw new RequestProblem(400, 'A bundle has at least one byte.');
    if (size > MAX_UPLOAD) throw new RequestProblem(413, TOO_LARGE);
    for (const oldest of [...this.#unfinished.keys()].slice(0, this.#unfinished.size - MOST + 1)) this.#giveUp(oldest);
    const id = randomBytes(16).toString('hex');
    const file = join(this.#folder(), `upload-${id}`);
    closeSync(openSync(file, 'wx', 0o600));
    this.#unfinished.set(id, { name, file, size, received: 0 });
    return id;
  }

  /**
   * @param offset must be the number of bytes that have arrived
   * @returns the number of bytes that have arrived then
   * @throws RequestProblem
   */
  add(id: string, offset: number, bytes: Buffer): number {
    const upload = this.#find(id);
    if (offset !== upload.received) throw new RequestProblem(400, `The next part begins at ${upload.received}.`);
    if (bytes.length === 0 || bytes.length > UPLOAD_PART || offset + bytes.length > upload.size)
      throw new RequestProblem(400, 'This part is empty or too large.');
    const file = openSync(upload.file, 'r+');
    try {
      for (let done = 0; done < bytes.length; )
        done += writeSync(file, bytes, done, bytes.length - done, offset + done);
    } finally {
      closeSync(file);
    }
    upload.received += bytes.length;
    return upload.received;
  }

  /** Returns a complete upload. The caller removes its file. @throws RequestProblem */
  take(id: string): Upload {
    const upload = this.#find(id);
    if (upload.received < upload.size) throw new RequestProblem(400, 'A part of the bundle is missing.');
    this.#unfinished.delete(id);
    return upload;
  }

  #find(id: string): Unfinished {
    const upload = this.#unfinished.get(id);
    if (upload === undefined) throw new RequestProblem(404, 'There is no such upload, or it was given up.');
    return upload;
  }

  #giveUp(id: string): void {
    const upload = this.#unfinished.get(id);
    this.#unfinished.delete(id);
    if (upload !== undefined) rmSync(upload.file, { force: true });
  }
}

const TOO_LARGE = 'A page can send bundles of at most 256 MB. Open this one with `savepoint studio --bundle FILE`.';
