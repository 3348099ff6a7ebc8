/** Checks a request that was typed as JSON, and lists what is wrong with it. */

import { SavepointError } from '@savepoint/core';
import { editProblemText, type InputOf, requestProblems, schemasOf, type Verb } from '@savepoint/core/frontend';
import { JsonProblem, readJson } from '@savepoint/core/ports';

/** How many problems of a request are listed. */
const LISTED = 20;

type Others = Awaited<ReturnType<NonNullable<Verb['otherProblems']>>>;

/**
 * @param others finds other problems, to be reported in the same answer
 * @throws SavepointError USAGE
 */
export async function checkedRequest<V extends Verb>(
  verb: V,
  input: unknown,
  hint: string,
  others: () => Promise<Others> = async () => null,
): Promise<InputOf<V>> {
  const schemas = await schemasOf(verb);
  const checked = schemas.input.safeParse(input);
  if (checked.success) return checked.data as InputOf<V>;
  const problems = requestProblems(checked.error.issues, input, schemas.input);
  const texts = problems.slice(0, LISTED).map((problem) => editProblemText(problem, input));
  const more = problems.length > LISTED ? [`… and ${problems.length - LISTED} more (all with --json)`] : [];
  const issues = problems.map(({ path, message }) => ({ at: path.map(String).join('.'), message }));
  const found = await others();
  const text = ['The request is invalid:', ...texts, ...more].join(problems.length === 1 ? ' ' : '\n');
  throw new SavepointError(
    'USAGE',
    found === null ? text : `${text}\n${found.message}`,
    { argument: 'request', issues, ...(found === null ? {} : { details: found.details }) },
    { hint },
  );
}

/**
 * @param expected what the text should be, after "The request must be"
 * @throws SavepointError USAGE if it is not a JSON object
 */
export function requestIn(text: string, expected: string, hint?: string): Readonly<Record<string, unknown>> {
  const options = hint === undefined ? {} : { hint };
  try {
    const json = readJson(text);
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    const message = `The request ${error.message}.`;
    throw new SavepointError('USAGE', message, { argument: 'request' }, { ...options, cause: error });
  }
  throw new SavepointError('USAGE', `The request must be ${expected}.`, { argument: 'request' }, options);
}
