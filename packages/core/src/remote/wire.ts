/** The protocol between `openRemote` and the Savepoint in the sandbox: one JSON request per process. */

import type * as z from 'zod';
import { JsonProblem, readJson } from '../content/strict-json.ts';
import type { OpenOptions } from '../engine/options.ts';
import { SavepointError } from '../model/errors.ts';
import { diskPathFromJson } from '../model/names.ts';
import type { Savepoint } from '../savepoint.ts';
import { requestProblems } from '../verbs/input/request-problems.ts';
import { VERBS } from '../verbs/table.ts';
import {
  type AnswerStatus,
  answerStatus,
  type OtherProblems,
  type Shapes,
  schemasOf,
  type Verb,
  type VerbContext,
} from '../verbs/verb.ts';
import { SESSION_VERBS } from './session-verbs.ts';
import { SURVEY_VERBS } from './structures-verb.ts';

/** All verbs that may be requested remotely. */
export const REMOTE_VERBS = { ...VERBS, ...SESSION_VERBS, ...SURVEY_VERBS } as const;

export type RemoteVerb = keyof typeof REMOTE_VERBS;

export function requestShape({ z, jsonName }: Shapes) {
  return z.strictObject({
    verb: z.string(),
    input: z.unknown(),
    dir: jsonName.describe('absolute'),
    here: z.boolean(),
    agent: z.string().nullable().describe('the agent that calls; null: the user'),
    toolCall: z.string().nullable(),
  });
}

/** The result of a request in the sandbox. */
export interface RequestResult {
  readonly output: unknown;
  /** Exit status: 0, or 1 if the verb reports a failure in its output. */
  readonly status: AnswerStatus;
}

/**
 * Answers one request.
 * @param text JSON
 * @throws SavepointError USAGE if the request is invalid, and the errors of the verb
 */
export async function answerRequest(
  text: string,
  open: (options: Pick<OpenOptions, 'dir' | 'here' | 'actor'>) => Savepoint,
  signal: AbortSignal,
): Promise<RequestResult> {
  const shapes = await import('../verbs/shapes/shapes.ts');
  const given = parseRequest(text);
  const asked = check(requestShape(shapes), given);
  if (!asked.ok) throw invalidRequest(asked.issues, null);
  const { verb: name, input, dir, here, agent, toolCall } = asked.value;
  if (!Object.hasOwn(REMOTE_VERBS, name)) {
    throw new SavepointError('USAGE', `Unknown verb ${JSON.stringify(name)}.`, { argument: 'verb' });
  }
  const it: Verb = REMOTE_VERBS[name as RemoteVerb];
  const schemas = await schemasOf(it);
  const savepoint = open({
    dir: diskPathFromJson(dir),
    here,
    ...(agent === null ? {} : { actor: { kind: 'agent', name: agent } }),
  });
  const context = { signal, ...(toolCall === null ? {} : { toolCall }) };
  const checked = check(schemas.input, input);
  if (!checked.ok) throw invalidRequest(checked.issues, await otherProblems(it, savepoint, input, context));
  const output = await it.handle(savepoint, checked.value, context);
  return { output, status: answerStatus(it, output) };
}

const MAX_ISSUES = 20;

interface Issue {
  readonly at: string;
  readonly message: string;
}

type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly issues: readonly Issue[] };

function check<T>(schema: z.ZodType<T>, value: unknown): Checked<T> {
  const checked = schema.safeParse(value);
  if (checked.success) return { ok: true, value: checked.data };
  const issues = requestProblems(checked.error.issues, value, schema).map(({ path, message }) => ({
    at: path.map(String).join('.'),
    message,
  }));
  return { ok: false, issues };
}

function invalidRequest(issues: readonly Issue[], others: OtherProblems | null): SavepointError {
  const texts = issues.slice(0, MAX_ISSUES).map(({ at, message }) => (at === '' ? message : `${at}: ${message}`));
  const message = `The request is invalid. ${texts.join('; ')}`;
  return new SavepointError('USAGE', others === null ? message : `${message}. ${others.message}`, {
    argument: issues[0]?.at || 'request',
    issues,
    ...(others === null ? {} : { details: others.details }),
  });
}

async function otherProblems(
  it: Verb,
  savepoint: Savepoint,
  input: unknown,
  context: VerbContext,
): Promise<OtherProblems | null> {
  try {
    return (await it.otherProblems?.(savepoint, input, context)) ?? null;
  } catch (error) {
    // The request is invalid in any case, and that is the better answer.
    if (error instanceof SavepointError) return null;
    throw error;
  }
}

function parseRequest(text: string): unknown {
  try {
    return readJson(text, { keys: 'once-any-name' });
  } catch (error) {
    const why = error instanceof JsonProblem ? error.message : 'is not valid JSON';
    throw new SavepointError('USAGE', `The request ${why}.`, { argument: 'request' }, { cause: error });
  }
}
