/**
 * Tokens that open the page once, for ten minutes. A token is in the address that a browser is opened with; the page exchanges it for a
 * session. Each token has a file in the private folder, named after its digest. Using it removes the file, and only one
 * process can do that, so a token works once, also after a restart of the server.
 */
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { removed, removeOlder, writePrivate } from './private-folder.ts';

/** Long enough to copy an address to a browser on another machine. */
const TOKEN_MS = 10 * 60_000;

const TOKEN = /^[\w-]{43}$/;

export class OneTimeTokens {
  readonly #folder: string;
  readonly #port: number;

  /** @param folder where the files of tokens are @param port of the server that accepts them */
  constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  issue(): string {
    const token = randomBytes(32).toString('base64url');
    writePrivate(this.#fileOf(token), '');
    return token;
  }

  /** @returns whether the token was valid; it no longer is */
  use(token: string): boolean {
    if (!TOKEN.test(token)) return false;
    removeOlder(this.#folder, TOKEN_MS, Date.now());
    return removed(this.#fileOf(token));
  }

  #fileOf(token: string): string {
    return join(this.#folder, `${this.#port}-${createHash('sha256').update(token).digest('hex')}`);
  }
}
