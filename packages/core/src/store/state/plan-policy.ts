/**
 * What agents may apply without a review: `plan-policy.json` in the store (docs/format.md). A damaged file is an error; it
 * never means that something is allowed.
 */

import { durableWrite } from '../../io/durable-write.ts';
import { removeIfExists } from '../../io/if-exists.ts';
import type { Ports } from '../../io/ports.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import { integer, listOf, matching, objectOf, oneOf, text } from '../json-shape.ts';
import type { StoreLayout } from '../layout.ts';
import { readDecided } from './decided-file.ts';

/** Agents may apply plans that no person approved, if checks found nothing new. */
export interface PlanPolicy {
  /** The names of all checks that must have run. */
  readonly checks: readonly string[];
  /** The most paths that such a plan may change. */
  readonly maxFiles: number;
  /** When a person set it, in milliseconds since 1970. */
  readonly since: number;
}

interface PolicyJson extends Omit<PlanPolicy, 'since'> {
  readonly format: 1;
  readonly since: string;
}

const MAX_BYTES = 1024 * 1024;

const POLICY = objectOf({
  format: oneOf(1),
  checks: listOf(text(300), 1_000),
  maxFiles: integer(1),
  since: matching(/^\d{4}-/),
});

/** @returns null: agents apply only what a person approved. @throws SavepointError STORE_DAMAGED */
export function readPlanPolicy({ fs }: Pick<Ports, 'fs'>, layout: StoreLayout): PlanPolicy | null {
  const json = readDecided<PolicyJson>(fs, {
    path: fileOf(layout),
    maxBytes: MAX_BYTES,
    shape: POLICY,
    unknown: 'it is unknown what agents may apply',
    hint: 'Set it again with `savepoint plan policy`.',
  });
  return json === null ? null : { checks: json.checks, maxFiles: json.maxFiles, since: Date.parse(json.since) };
}

/** Durable on return. The caller holds the store's lock. */
export function writePlanPolicy({ fs }: Pick<Ports, 'fs'>, layout: StoreLayout, policy: PlanPolicy | null): void {
  if (policy === null) {
    removeIfExists(fs, fileOf(layout));
    return;
  }
  const { checks, maxFiles, since } = policy;
  const json: PolicyJson = { format: 1, checks, maxFiles, since: new Date(since).toISOString() };
  durableWrite(fs, fileOf(layout), Buffer.from(`${JSON.stringify(json, null, 2)}\n`), 0o600);
}

function fileOf(layout: StoreLayout): DiskPath {
  return diskChild(layout.path, 'plan-policy.json');
}
