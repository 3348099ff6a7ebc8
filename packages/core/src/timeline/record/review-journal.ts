/**
 * What a review decided since the plan was written last. A review records each decision as it is made. Writing a plan means
 * a pack, so decisions are collected in a file and become part of the plan with its next change.
 */

import type { Ports } from '../../io/ports.ts';
import type { PlanId } from '../../model/ids.ts';
import type { PlanDecision } from '../../model/plan.ts';
import { matching, oneOf } from '../../store/json-shape.ts';
import type { StoreLayout } from '../../store/layout.ts';
import { readReviewFile, writeReviewFile } from '../../store/state/review-file.ts';
import { closedRecord, list, plain } from './codec.ts';
import { DECISION } from './plan-records.ts';
import { MAX_LISTED } from './values.ts';

export interface ReviewJournal {
  /** The fingerprint of everything that was proposed: the decisions count only for this. */
  readonly proposal: string;
  readonly decisions: readonly PlanDecision[];
}

/** @returns null if there is none @throws SavepointError STORE_DAMAGED */
export function readReview(ports: Pick<Ports, 'fs'>, layout: StoreLayout, id: PlanId): ReviewJournal | null {
  const json = readReviewFile(ports, layout, id, (value, at) => CODEC.check(value, at, 'linux'));
  return json === null ? null : CODEC.decode(json);
}

/** Durable on return. The caller holds the store's lock. */
export function writeReview(ports: Pick<Ports, 'fs'>, layout: StoreLayout, id: PlanId, review: ReviewJournal): void {
  writeReviewFile(ports, layout, id, CODEC.encode({ ...review, format: 1 }));
}

const CODEC = closedRecord<ReviewJournal & { readonly format: 1 }>({
  format: plain(oneOf(1)),
  proposal: plain(matching(/^[0-9a-f]{40}$/)),
  decisions: list(DECISION, MAX_LISTED),
});
