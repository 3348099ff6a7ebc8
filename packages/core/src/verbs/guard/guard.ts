import type { GuardReport } from '../../engine/calls/guard.ts';
import type { GuardVerdict } from '../../session/guarded-work.ts';
import { timeToJson } from '../shapes/to-json.ts';
import { type Shapes, verb, withoutUndefined } from '../verb.ts';

const SECOND = 1_000;

const statusFields = ({ z, checkpointId }: Shapes) => ({
  guard: z
    .strictObject({
      checks: z.array(z.string()),
      every: z.union([z.literal('turn'), z.int().min(1)]).describe('`turn`, or also after that many calls'),
      attempts: z.int().min(1).describe('how often work is taken back in a row before it is left'),
      timeoutSeconds: z.number(),
      outsideSandbox: z.boolean(),
      since: z.iso.datetime(),
      base: checkpointId.nullable().describe('the last state in which nothing was worse'),
    })
    .nullable()
    .describe('null if nothing is guarded'),
  events: z
    .array(
      z.strictObject({
        time: z.iso.datetime(),
        session: z.string(),
        agent: z.string(),
        outcome: z.enum(['good', 'repaired', 'taken-back', 'left', 'unknown']),
        checkpoint: checkpointId.nullable().describe('the rollback, or the state that was checked'),
        text: z.string(),
      }),
    )
    .describe('what became of turns, oldest first'),
});

export const guardOn = verb({
  name: 'guard on',
  summary: 'take back turns of agents that break checks',
  description:
    'Runs the checks on the current state. From then on, they run in a copy after each turn of an agent with hooks. If ' +
    'a check has new failures or works no longer, what the session changed since the last good state is rolled back, ' +
    'also what is only likely its work. What others changed stays, also in the same files. The agent reads what ' +
    'failed, and goes on if its program allows that. After `attempts` times in a row, the work is left. Only a person ' +
    'may turn it on, and the checks must be trusted: see `savepoint trust`.',
  changes: 'store',
  schemas: (shapes) => {
    const { z } = shapes;
    return {
      input: z.strictObject({
        checks: z.array(z.string()).min(1).describe('names, tools or kinds of checks'),
        every: z
          .union([z.literal('turn'), z.int().min(1)])
          .optional()
          .describe('default: turn'),
        attempts: z.int().min(1).optional().describe('default: 3'),
        timeoutSeconds: z.number().positive().max(540).optional().describe('for all checks together; default: 300'),
        outsideSandbox: z
          .boolean()
          .optional()
          .describe(
            'also check for agents whose program runs commands in a sandbox, although the checks are outside of it',
          ),
      }),
      output: z.strictObject({
        ...statusFields(shapes),
        failing: z.array(z.string()).describe('checks that fail already; only new failures of them count'),
      }),
    };
  },

  async handle(savepoint, { timeoutSeconds, ...input }, { signal }) {
    const timeoutMs = timeoutSeconds === undefined ? undefined : Math.round(timeoutSeconds * SECOND);
    const { checks, every, attempts, outsideSandbox } = input;
    const options = withoutUndefined({ every, attempts, outsideSandbox, timeoutMs, signal });
    const report = await savepoint.guardOn({ checks, ...options });
    const failing = report.checks.filter(({ outcome }) => outcome !== 'passed').map(({ name }) => name);
    return { ...statusToJson(report), failing };
  },
});

export const guardOff = verb({
  name: 'guard off',
  summary: 'let turns of agents stay, whatever they break',
  description:
    'Turns the guard of this workspace off. Only a person may do this. What was taken back stays taken back.',
  changes: 'store',
  schemas: ({ z }) => ({
    input: z.strictObject({}),
    output: z.strictObject({ wasOn: z.boolean() }),
  }),

  async handle(savepoint, _input, { signal }) {
    return { wasOn: await savepoint.guardOff(withoutUndefined({ signal })) };
  },
});

export const guardStatus = verb({
  name: 'guard status',
  summary: 'show what is guarded, and what became of turns',
  description: 'Shows the guard of this workspace, and which turns were good, repaired, taken back or left.',
  changes: 'nothing',
  schemas: (shapes) => ({
    input: shapes.z.strictObject({}),
    output: shapes.z.strictObject(statusFields(shapes)),
  }),

  async handle(savepoint) {
    return statusToJson(await savepoint.guardStatus());
  },
});

export const guardSteps = verb({
  name: 'guard steps',
  summary: "take back an agent's own steps if they break checks",
  description:
    'For an agent or its program, in two calls. The first one runs the checks on the current state and returns `since`. ' +
    'After the steps, the second one, with `since`, runs them again. If a check has new failures or works no longer, what ' +
    'the agent changed since is rolled back, and the answer lists what failed. What others changed stays, also in the same ' +
    "files. Without hooks, whatever changes between the calls counts as the agent's, except what is known to be by others. " +
    'The checks run in a copy and must be trusted, which only a person may do: see `savepoint trust`.',
  changes: 'files',
  schemas: ({ z, checkpointId }) => ({
    input: z.strictObject({
      checks: z.array(z.string()).min(1).describe('names, tools or kinds of checks'),
      since: checkpointId.optional().describe('from the first call: the steps have ended'),
      timeoutSeconds: z.number().positive().optional().describe('for all checks of one state together; default: 600'),
    }),
    output: z.strictObject({
      since: checkpointId.describe('the state before the steps'),
      failing: z.array(z.string()).describe('checks that fail already; only new failures of them count'),
      verdict: z
        .strictObject({
          outcome: z.enum(['good', 'unchanged', 'taken-back', 'left', 'unknown']),
          why: z.string().nullable().describe('why the steps stay, or why there was no answer'),
          failures: z.array(
            z.strictObject({
              check: z.string(),
              path: z.string().nullable(),
              shown: z.string().describe('one line, with the position and the message'),
            }),
          ),
          checkpoint: checkpointId.nullable().describe('the state that was checked'),
          operation: checkpointId.nullable().describe('the rollback'),
          kept: z.array(z.strictObject({ path: z.string(), why: z.string() })),
        })
        .nullable()
        .describe('null: the steps begin'),
    }),
  }),

  async handle(savepoint, { checks, since, timeoutSeconds }, { signal, toolCall, isSandboxed }) {
    const timeoutMs = timeoutSeconds === undefined ? undefined : Math.round(timeoutSeconds * SECOND);
    const steps = await savepoint.guardSteps({
      checks,
      ...withoutUndefined({ since, timeoutMs, signal, toolCall, sandboxed: await isSandboxed?.() }),
    });
    return {
      since: steps.since,
      failing: [...steps.failing],
      verdict: steps.verdict === null ? null : verdictToJson(steps.verdict),
    };
  },

  status: ({ verdict }) => (verdict === null || ['good', 'unchanged'].includes(verdict.outcome) ? 0 : 1),
});

function verdictToJson({ outcome, why, failures, checkpoint, operation, kept }: GuardVerdict) {
  return {
    outcome,
    why,
    failures: failures.map(({ check, path, shown }) => ({ check, path, shown })),
    checkpoint: checkpoint?.id ?? null,
    operation: operation?.id ?? null,
    kept: kept.map(({ path, why: reason }) => ({ path, why: reason })),
  };
}

function statusToJson({ settings, base, events }: GuardReport) {
  return {
    guard:
      settings === null
        ? null
        : {
            checks: [...settings.checks],
            every: settings.every,
            attempts: settings.attempts,
            timeoutSeconds: settings.timeoutMs / SECOND,
            outsideSandbox: settings.outsideSandbox,
            since: timeToJson(settings.since),
            base,
          },
    events: events.map(({ time, session, agent, outcome, checkpoint, text }) => {
      return { time: timeToJson(time), session, agent, outcome, checkpoint, text };
    }),
  };
}
