import type { Finding } from '../../check/check.ts';
import type { RunCheckResult } from '../../engine/copies/check-state.ts';
import { verb, withoutUndefined } from '../verb.ts';

const MB = 1024 * 1024;

export const check = verb({
  name: 'check',
  summary: 'run the checks of the project in a copy, and show new failures',
  description:
    'Runs the checks of the project (types, lint, tests) on a copy of the folder, so that they change nothing in it. ' +
    'Failures are compared with the same checks on an earlier state: by default the one at the last prompt. Only failures ' +
    'that are new there count. Lines that move and files that are renamed make no failure new. A new failure of a test ' +
    'counts if it fails again in a second run.\n\n' +
    'A check that does not finish, crashes, or runs no tests is not a success. The commands of a project run only after ' +
    '`savepoint trust`. If all tests ran, the checkpoint gets their result, which `list`, `show` and `turns` show. Before it ' +
    'makes the copy, Savepoint takes a checkpoint if anything changed.',
  changes: 'store',
  schemas: ({ z, checkpointId, checkpointName }) => {
    const finding = z.strictObject({
      path: z.string().nullable(),
      rule: z.string().nullable().describe('a rule, an error code, or the name of a test'),
      message: z.string(),
      shown: z.string().describe('one line, with the position and the message'),
    });
    const outcome = z.enum(['passed', 'failed', 'did-not-finish', 'crashed', 'collected-nothing', 'not-installed']);
    return {
      input: z.strictObject({
        at: checkpointName.optional().describe('check this checkpoint; default: the folder as it is'),
        base: checkpointName
          .optional()
          .describe('compare with it; default: the last checkpoint before the current turn'),
        only: z.array(z.string()).optional().describe('names of checks, tools or kinds'),
        timeoutSeconds: z.int().min(1).optional().describe('for each check; default 600'),
        maxMemoryMb: z.int().min(1).optional().describe('for each check; default 8192'),
      }),
      output: z.strictObject({
        checkpoint: checkpointId,
        base: checkpointId.nullable(),
        checks: z.array(
          z.strictObject({
            name: z.string(),
            comparison: z.enum(['ok', 'same', 'worse', 'unknown']),
            outcome,
            baseOutcome: outcome.nullable().describe('null: it did not run on the base'),
            why: z.string().nullable(),
            new: z.array(finding),
            flaky: z.array(finding).describe('new failures of tests that passed in a second run'),
            fixed: z.int(),
            remaining: z.int(),
            took: z.int().describe('milliseconds'),
            output: z.string().describe('the end of its output, if it gave no answer'),
          }),
        ),
        notRun: z.array(z.string()).describe('checks that were found and not run'),
        notes: z.array(z.string()),
        notIsolated: z.array(z.string()).describe('what the copy did not isolate'),
      }),
    };
  },

  async handle(savepoint, { at, base, only, timeoutSeconds, maxMemoryMb }, { signal, toolCall }) {
    const report = await savepoint.check(
      withoutUndefined({
        at,
        base,
        only,
        timeoutMs: timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000,
        maxMemory: maxMemoryMb === undefined ? undefined : maxMemoryMb * MB,
        signal,
        toolCall,
      }),
    );
    return {
      checkpoint: report.checkpoint.id,
      base: report.base?.id ?? null,
      checks: report.checks.map(resultToJson),
      notRun: [...report.notRun],
      notes: [...report.notes],
      notIsolated: [...report.notIsolated],
    };
  },

  status: ({ checks }) =>
    checks.length > 0 && checks.every(({ comparison }) => comparison === 'ok' || comparison === 'same') ? 0 : 1,
});

function resultToJson({ base, output, new: added, flaky, ...result }: RunCheckResult) {
  const isAnswered = result.outcome === 'passed' || result.outcome === 'failed';
  return {
    ...result,
    baseOutcome: base,
    new: added.map(findingToJson),
    flaky: flaky.map(findingToJson),
    output: isAnswered ? '' : output,
  };
}

function findingToJson({ path, rule, message, shown }: Finding) {
  return { path, rule, message, shown };
}
