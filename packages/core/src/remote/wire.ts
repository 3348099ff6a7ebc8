/** The protocol between `openRemote` and the Savepoint in the sandbox: one JSON request per process. */

import type * as z from 'zod';
import { JsonProblem, readJson } from '../content/strict-json.ts';
import type { OpenOptions } from '../engine/options.ts';
import { SavepointError } from '../model/errors.ts';
import { diskPathFromJson } from '../model/names.ts';
import type { Savepoint } from '../savepoint.ts';
import { requestProblems } from '../verbs/input/request-problems.ts';
import { VERBS } from '../verbs/table.ts';
import { type AnswerStatus, answerStatus, type Shapes, schemasOf, type Verb } from '../verbs/verb.ts';
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
  const { verb: name, input, dir, here, agent, toolCall } = checkedBy(requestShape(shapes), parseRequest(text));
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
  const output = await it.handle(savepoint, checkedBy(schemas.input, input), context);
  return { output, status: answerStatus(it, output) };
}

const MAX_ISSUES = 20;

function checkedBy<T>(schema: z.ZodType<T>, value: unknown): T {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const issues = requestProblems(checked.error.issues, value, schema).map(({ path, message }) => ({
    at: path.map(String).join('.'),
    message,
  }));
  const problems = issues.slice(0, MAX_ISSUES).map(({ at, message }) => (at === '' ? message : `${at}: ${message}`));
  const message = `The request is invalid. ${problems.join('; ')}`;
  throw new SavepointError('USAGE', message, { argument: 'request', issues });
}

function parseRequest(text: string): unknown {
  try {
    return readJson(text, { keys: 'once-any-name' });
  } catch (error) {
    const why = error instanceof JsonProblem ? error.message : 'is not valid JSON';
    throw new SavepointError('USAGE', `The request ${why}.`, { argument: 'request' }, { cause: error });
  }
}
