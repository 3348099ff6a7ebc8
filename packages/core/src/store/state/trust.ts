/**
 * The checks of the project that a person trusts: `trust.json` in the store (docs/format.md). It is outside of the
 * workspace, so a repository cannot trust itself. A damaged file is an error; it never means that something is trusted.
 */

import { showName } from '../../content/show-name.ts';
import { durableWrite, readEntireFile } from '../../io/durable-write.ts';
import { isFsError } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import { SavepointError } from '../../model/errors.ts';
import { diskChild, nameToJson } from '../../model/names.ts';
import { listOf, matching, objectOf, text } from '../json-shape.ts';
import type { StoreLayout } from '../layout.ts';

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
  const file = diskChild(layout.path, 'trust.json');
  try {
    const json = JSON.parse(readEntireFile(fs, file, MAX_BYTES).toString()) as TrustJson;
    TRUST(json, '');
    return json.checks.map(({ name, digest, since }) => ({ name, digest, since: Date.parse(since) }));
  } catch (cause) {
    if (isFsError(cause, 'ENOENT')) return [];
    if (isFsError(cause) && !isFsError(cause, 'EINVAL', 'EFBIG', 'ELOOP', 'EISDIR')) throw cause;
    throw new SavepointError(
      'STORE_DAMAGED',
      `${showName(file)} cannot be read, so it is unknown which checks are trusted.`,
      { file: nameToJson(file) },
      { cause, hint: '`savepoint repair` moves the file aside. Then run `savepoint trust` again.' },
    );
  }
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
