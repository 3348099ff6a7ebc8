/**
 * Tokens that open the page once, for ten minutes. A token is in the address that a browser is opened with; the page exchanges it
 * for a session. Only this process knows its tokens: no file can stand for one, so a program that can only write files does not get in.
 */
import { createHash, randomBytes } from 'node:crypto';

/** Long enough to copy an address to a browser on another machine. */
const TOKEN_MS = 10 * 60_000;

const TOKEN = /^[\w-]{43}$/;

export class OneTimeTokens {
  /** When each expires, in milliseconds since 1970, by its digest. */
  readonly #expiries = new Map<string, number>();

  issue(): string {
    this.#removeExpired();
    const token = randomBytes(32).toString('base64url');
    this.#expiries.set(digestOf(token), Date.now() + TOKEN_MS);
    return token;
  }

  /** @returns whether the token was valid; it no longer is */
  use(token: string): boolean {
    if (!TOKEN.test(token)) return false;
    this.#removeExpired();
    return this.#expiries.delete(digestOf(token));
  }

  #removeExpired(): void {
    for (const [digest, expiry] of this.#expiries) if (expiry <= Date.now()) this.#expiries.delete(digest);
  }
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
