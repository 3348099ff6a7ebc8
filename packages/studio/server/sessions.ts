/**
 * The sessions of browsers. The server keeps only the digest of a session, so its file gives no access. The file
 * outlives a server that is killed: one that starts again on the same port knows the sessions, and can prove to a page that
 * it does before the page sends its own.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { readJson } from '@savepoint/core/ports';
import { hasCode, writePrivate } from './private-folder.ts';
import type { SessionAnswer } from './wire.ts';

export const SESSION_MS = 12 * 60 * 60_000;
/** The oldest one ends when another is opened. */
const MAX_SESSIONS = 32;
const MAX_FILE_BYTES = 64 * 1024;

const NONCE = /^[\w-]{43}$/;

interface Session {
  /** Public. */
  readonly id: string;
  /** SHA-256 of the secret. */
  readonly key: Buffer;
  /** In milliseconds since 1970. */
  readonly expires: number;
}

export class Sessions {
  readonly #file: string;
  #sessions: readonly Session[];

  /** @param file of the sessions of this port; other ports have their own */
  constructor(file: string) {
    this.#file = file;
    this.#sessions = readSessions(file);
  }

  open(): SessionAnswer {
    const session = randomBytes(32).toString('base64url');
    const opened = { id: randomBytes(16).toString('base64url'), key: digestOf(session), expires: now() + SESSION_MS };
    this.#sessions = [...this.#valid(), opened].slice(-MAX_SESSIONS);
    this.#write();
    return { id: opened.id, session, expires: new Date(opened.expires).toISOString() };
  }

  /** Whether the value of a header `Authorization` names a session. Takes the same time for every wrong one. */
  accepts(authorization: string | undefined): boolean {
    const given = digestOf(/^Bearer ([\w-]{43})$/.exec(authorization ?? '')?.[1] ?? '');
    return this.#valid().reduce((found, { key }) => timingSafeEqual(key, given) || found, false);
  }

  /** @returns null if there is no such session, or the nonce is none */
  prove(id: string, nonce: string): string | null {
    const session = this.#valid().find((one) => one.id === id);
    if (session === undefined || !NONCE.test(nonce)) return null;
    return createHmac('sha256', session.key).update(nonce).digest('base64url');
  }

  /** Ends all sessions. */
  end(): void {
    this.#sessions = [];
    rmSync(this.#file, { force: true });
  }

  #valid(): readonly Session[] {
    return this.#sessions.filter(({ expires }) => expires > now());
  }

  #write(): void {
    const sessions = this.#sessions.map(({ id, key, expires }) => ({ id, key: key.toString('hex'), expires }));
    writePrivate(this.#file, `${JSON.stringify({ sessions })}\n`);
  }
}

/** A file that is damaged or from another version counts as empty: the person opens the page again. */
function readSessions(file: string): readonly Session[] {
  let text: Buffer;
  try {
    text = readFileSync(file);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
  try {
    const { sessions } = readJson(text, { maxLength: MAX_FILE_BYTES }) as { readonly sessions?: unknown };
    return Array.isArray(sessions) ? sessions.flatMap(sessionOf) : [];
  } catch {
    return [];
  }
}

function sessionOf(given: unknown): readonly Session[] {
  const { id, key, expires } = (given ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof id !== 'string' || typeof key !== 'string' || typeof expires !== 'number') return [];
  if (!/^[0-9a-f]{64}$/.test(key) || expires > now() + SESSION_MS) return [];
  return [{ id, key: Buffer.from(key, 'hex'), expires }];
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function now(): number {
  return Date.now();
}
