/** One call of a verb by the page: from the body of its request to the answer, in the form of the commands' --json. */
import { SavepointError } from '@savepoint/core';
import { answerStatus, requestProblems, schemasOf } from '@savepoint/core/frontend';
import { refusedField, verbOf } from './callable-verbs.ts';
import { asFailure } from './failure.ts';
import type { OpenWorkspace } from './open-workspace.ts';
import type { VerbAnswer, VerbName } from './wire.ts';

const MAX_ISSUES = 100;

/**
 * @param given the parsed body; checked here
 * @param signal ends the call, if it has not changed anything yet
 * @param onOutput receives what checks print
 */
export async function callVerb(
  { savepoint, changes }: OpenWorkspace,
  name: VerbName,
  given: unknown,
  signal: AbortSignal,
  onOutput?: (check: string, part: Buffer) => void,
): Promise<VerbAnswer> {
  const verb = verbOf(name);
  const warned = new Set<string>();
  const end = savepoint.on('warning', ({ message }) => void warned.add(message));
  try {
    const input = await checkedInput(name, given);
    const context = { signal, ...(onOutput === undefined ? {} : { onOutput }) };
    const handle = (): Promise<unknown> => verb.handle(savepoint, input, context);
    const output = await (verb.changes === 'nothing' ? handle() : changes.run(signal, handle));
    const warnings = warned.size === 0 ? {} : { warnings: [...warned] };
    return { status: answerStatus(verb, output), output, ...warnings };
  } catch (error) {
    return { error: asFailure(error).toJSON() };
  } finally {
    end();
  }
}

/** @throws SavepointError USAGE with everything that is wrong */
async function checkedInput(name: VerbName, given: unknown): Promise<unknown> {
  const schema = (await schemasOf(verbOf(name))).input;
  const refused = typeof given === 'object' && given !== null ? refusedField(name, given) : null;
  if (refused !== null) throw new SavepointError('USAGE', refused.message, { argument: refused.field });
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issues = requestProblems(parsed.error.issues, given, schema)
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => ({ argument: path.map(String).join('.'), why: message }));
  const problems = issues.map(({ argument, why }) => (argument === '' ? why : `${argument}: ${why}`)).join('; ');
  throw new SavepointError('USAGE', `The input of ${name} is invalid: ${problems}.`, {
    argument: issues[0]?.argument ?? '',
    issues,
  });
}
