/** What the record of a copy contains. */

import { BELOW_ID, PLAN_ID } from '../model/ids.ts';
import { diskPathFromJson } from '../model/names.ts';
import {
  formatProblem,
  integer,
  isJsonName,
  listOf,
  matching,
  objectOf,
  oneOf,
  optional,
  orNull,
  type Shape,
  text,
} from '../store/json-shape.ts';

const MAX_TEXT = 1_000;

const PROCESS = objectOf({
  pid: integer(1),
  startedAt: orNull(text(MAX_TEXT)),
  bootId: orNull(text(MAX_TEXT)),
  pidNamespace: orNull(text(MAX_TEXT)),
  host: text(MAX_TEXT),
});

const FORK = objectOf({
  branch: orNull(text(MAX_TEXT)),
  worktrees: listOf(
    objectOf({
      path: (value, at) => {
        if (!isJsonName(value)) throw formatProblem(at, 'is not a name');
      },
      commit: matching(/^[0-9a-f]{40,64}$/),
      createdBranch: oneOf(true, false),
    }),
    10_000,
  ),
  port: integer(1, 65_535),
  plan: orNull(matching(PLAN_ID)),
  planFingerprint: optional(orNull(matching(/^[0-9a-f]{40}$/))),
});

/** Throws FormatProblem for anything else. */
export const COPY_RECORD: Shape = objectOf({
  format: oneOf(1),
  purpose: oneOf('try', 'isolated', 'check', 'fork', 'bisect', 'replay', 'guard', 'plan'),
  rung: oneOf('overlay', 'reflink', 'copy'),
  workspace: matching(/^[0-9a-f]{32}$/),
  root: (value, at) => {
    if (!isJsonName(value) || !diskPathFromJson(value).startsWith('/')) throw formatProblem(at, 'is not a path');
  },
  base: matching(/^cp_[1-9]\d{0,8}$/),
  created: matching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  name: orNull(text(MAX_TEXT)),
  owner: orNull(PROCESS),
  holder: orNull(PROCESS),
  bytes: integer(0),
  below: orNull(matching(BELOW_ID)),
  fork: orNull(FORK),
  hasLinkedPackages: optional(oneOf(true, false)),
  plan: optional(orNull(objectOf({ plan: matching(PLAN_ID), revision: integer(1) }))),
});
