/** Commands that make plans and look at them. */

import { nameFromJson, SavepointError, showText } from '@savepoint/core';
import { type InputOf, VERBS } from '@savepoint/core/frontend';
import { JsonProblem, readJson } from '@savepoint/core/ports';
import { command, lines } from '../../command.ts';
import { readRequest } from '../../read-request.ts';
import { patchText } from '../../show/patch.ts';
import { planLine, planText } from '../../show/plan-text.ts';

const NEXT = 'The folder is not changed. Review it with';

export const planNew = command({
  verb: VERBS.planNew,
  operands: [['[file]', 'the request as JSON, as for `edit` (default: standard input)']],
  takesPaths: false,
  options: [{ flags: '-m, --message <text>', description: 'what the plan is for' }],
  examples: ['savepoint plan new edits.json -m "Rename the setting"'],
  async input({ operands, options }, { signal }) {
    const asked = requestIn(await readRequest(operands[0] ?? null, signal));
    const { message, ...request } = asked;
    return {
      ...request,
      intent: typeof options['message'] === 'string' ? options['message'] : (message ?? ''),
    } as InputOf<typeof VERBS.planNew>;
  },
  render: (plan, view) => lines(planText(plan, view), `${NEXT} \`savepoint plan review ${plan.id}\`.`),
});

export const planList = command({
  verb: VERBS.planList,
  operands: [],
  takesPaths: false,
  options: [{ flags: '--all', description: 'also those that are applied, rolled back or cancelled' }],
  examples: ['savepoint plan list', 'savepoint plan list --all'],
  input: ({ options }) => (options['all'] === true ? { all: true } : {}),
  render: ({ plans, warnings }, view) =>
    lines(
      plans.length === 0 ? 'No open plans.' : plans.map((one) => planLine(one, view)),
      warnings.map((one) => `warning: ${showText(one)}`),
    ),
});

export const planShow = command({
  verb: VERBS.planShow,
  operands: [['<id>', 'the plan']],
  takesPaths: false,
  isPaged: true,
  options: [{ flags: '--patch', description: 'also show a patch in git format' }],
  examples: ['savepoint plan show plan_1a2b3c4d --patch'],
  input: ({ operands: [id = ''], options }) => ({ id, ...(options['patch'] === true ? { patch: true } : {}) }),
  render(plan, view) {
    const text = lines(planText(plan, view));
    if (plan.patch === null) return text;
    const patch = patchText(nameFromJson(plan.patch.text), view);
    return Buffer.concat([Buffer.from(`${text}\n`), Buffer.from(patch)]);
  },
});

/** @throws SavepointError USAGE if it is not a JSON object */
function requestIn(text: string): { readonly message?: string } & Readonly<Record<string, unknown>> {
  try {
    const json = readJson(text);
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Record<string, unknown>;
    throw new SavepointError('USAGE', 'The request must be a JSON object with a field `files`.', {
      argument: 'request',
    });
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    throw new SavepointError('USAGE', `The request ${error.message}.`, { argument: 'request' }, { cause: error });
  }
}
