/**
 * The checks of the project that a person trusts: `trust.json` in the store (docs/format.md). It is outside of the
 * workspace, so a repository cannot trust itself. A damaged file is an error; it never means that something is trusted.
 */

import { durableWrite } from '../../io/durable-write.ts';
import type { Ports } from '../../io/ports.ts';
import { diskChild } from '../../model/names.ts';
import { listOf, matching, objectOf, text } from '../json-shape.ts';
import type { StoreLayout } from '../layout.ts';
import { readDecided } from './decided-file.ts';

export interface TrustedCheck {
  readonly name: string;
  /** A hash of everything that says what the check runs. */
  readonly digest: string;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** More than one project needs, also with many versions of each check. */
const MAX_TRUSTED = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;

const TRUST = objectOf({
  checks: listOf(objectOf({ name: text(300), digest: matching(/^[0-9a-f]{64}$/), since: text(100) }), MAX_TRUSTED),
});

interface TrustJson {
  readonly format: 1;
  readonly checks: readonly { readonly name: string; readonly digest: string; readonly since: string }[];
}

/** @throws SavepointError STORE_DAMAGED */
export function readTrust({ fs }: Pick<Ports, 'fs'>, layout: Pick<StoreLayout, 'path'>): readonly TrustedCheck[] {
  const json = readDecided<TrustJson>(fs, {
    path: diskChild(layout.path, 'trust.json'),
    maxBytes: MAX_BYTES,
    shape: TRUST,
    unknown: 'it is unknown which checks are trusted',
    hint: '`savepoint repair` moves the file aside. Then run `savepoint trust` again.',
  });
  return json?.checks.map(({ name, digest, since }) => ({ name, digest, since: Date.parse(since) })) ?? [];
}

/** The newest ones are kept. Durable on return. The caller holds the store's lock. */
export function writeTrust(
  { fs }: Pick<Ports, 'fs'>,
  layout: Pick<StoreLayout, 'path'>,
  trusted: readonly TrustedCheck[],
): void {
  const checks = trusted
    .slice(-MAX_TRUSTED)
    .map(({ name, digest, since }) => ({ name, digest, since: new Date(since).toISOString() }));
  const json: TrustJson = { format: 1, checks };
  const file = diskChild(layout.path, 'trust.json');
  durableWrite(fs, file, Buffer.from(`${JSON.stringify(json, null, 2)}\n`), 0o600);
}
