import type { Finding } from '../../check/check.ts';
import { isAnswer, isFailing } from '../../check/compare.ts';
import type { CheckReport, RunCheckResult } from '../../engine/copies/check-state.ts';
import { COMPARISONS, OUTCOMES } from '../../model/check-outcome.ts';
import { type Shapes, verb, withoutUndefined } from '../verb.ts';

const MB = 1024 * 1024;

export const check = verb({
  name: 'check',
  summary: 'run the checks of the project in a copy, and show new failures',
  description:
    'Runs the checks of the project (types, lint, tests) on a copy of the folder, so that they change nothing in it. ' +
    'Failures are compared with the same checks on an earlier state: by default the one at the last prompt. Without ' +
    'prompts, it is the newest earlier checkpoint whose tests are known to have passed, or else the previous one. Only ' +
    'failures that are new there count. Lines that move and files that are renamed make no failure new. A new failure of a test ' +
    'counts if it fails again in a second run.\n\n' +
    'A check that does not finish, crashes, or runs no tests is not a success. The commands of a project run only after ' +
    '`savepoint trust`. If all tests ran, the checkpoint gets their result, which `list`, `show` and `turns` show. Before it ' +
    'makes the copy, Savepoint takes a checkpoint if anything changed.',
  changes: 'store',
  schemas: (shapes) => {
    const { z, checkpointName } = shapes;
    return {
      input: z.strictObject({
        at: checkpointName.optional().describe('check this checkpoint; default: the folder as it is'),
        fork: z.string().optional().describe('check this fork, and compare with what it started from'),
        base: checkpointName
          .optional()
          .describe(
            'compare with it; default: the last checkpoint before the current turn, else the last whose tests passed',
          ),
        ...checkFields(shapes),
      }),
      output: reportShape(shapes),
    };
  },

  async handle(savepoint, { at, fork, base, ...input }, { signal, toolCall, onOutput }) {
    const options = { at, fork, base, ...checkOptionsOf(input), signal, toolCall, onOutput };
    return reportToJson(await savepoint.check(withoutUndefined(options)), fork);
  },

  status: statusOfReport,
});

export const forkCheck = verb({
  name: 'fork check',
  summary: 'run the checks of the project on a fork, and show new failures',
  description:
    'Runs the checks of the project on what a merge of the fork would bring, in a copy. Their failures are compared with those ' +
    'on what the fork started from: where it left the workspace, or what was merged last. Only new failures count.\n\n' +
    'Ignored files and installed dependencies are those of the workspace. The results are kept with the fork: `fork list`, ' +
    '`fork show` and `fork compare` show them. If the fork changes what a check runs, that needs to be ' +
    'trusted first.',
  changes: 'store',
  schemas: (shapes) => ({
    input: shapes.z.strictObject({ name: shapes.z.string(), ...checkFields(shapes) }),
    output: reportShape(shapes),
  }),
  async handle(savepoint, { name, ...input }, { signal, toolCall, onOutput }) {
    const options = { fork: name, ...checkOptionsOf(input), signal, toolCall, onOutput };
    return reportToJson(await savepoint.check(withoutUndefined(options)), name);
  },
  status: statusOfReport,
});

interface CheckInput {
  readonly only?: string[] | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly maxMemoryMb?: number | undefined;
  readonly dependencies?: 'auto' | 'copy' | 'link' | 'none' | undefined;
}

/** Fields of the input of verbs that run checks. */
export function checkFields({ z, dependencies }: Shapes) {
  return {
    only: z.array(z.string()).optional().describe('names of checks, tools or kinds'),
    timeoutSeconds: z.int().min(1).optional().describe('for each check; default 600'),
    maxMemoryMb: z.int().min(1).optional().describe('for each check; default 8192'),
    dependencies,
  };
}

export function checkOptionsOf({ only, timeoutSeconds, maxMemoryMb, dependencies }: CheckInput) {
  return {
    only,
    timeoutMs: timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000,
    maxMemory: maxMemoryMb === undefined ? undefined : maxMemoryMb * MB,
    dependencies,
  };
}

/** The output of one check. */
export function checkResultShape({ z }: Shapes) {
  const finding = z.strictObject({
    path: z.string().nullable(),
    rule: z.string().nullable().describe('a rule, an error code, or the name of a test'),
    message: z.string(),
    shown: z.string().describe('one line, with the position and the message'),
  });
  const outcome = z.enum(OUTCOMES);
  return z.strictObject({
    name: z.string(),
    comparison: z.enum(COMPARISONS),
    outcome,
    baseOutcome: outcome.nullable().describe('null: it did not run on the base'),
    why: z.string().nullable(),
    new: z.array(finding),
    flaky: z.array(finding).describe('new failures of tests that passed in a second run'),
    fixed: z.int(),
    remaining: z.int(),
    took: z.int().describe('milliseconds'),
    output: z.string().describe('the end of its output, if it gave no answer'),
  });
}

/** 0 only if checks ran and all of them gave an answer without new failures. */
export function statusOfReport({
  checks,
}: {
  readonly checks: readonly { readonly comparison: RunCheckResult['comparison'] }[];
}): 0 | 1 {
  return checks.length > 0 && !checks.some(isFailing) ? 0 : 1;
}

export function checkResultToJson({ base, output, new: added, flaky, ...result }: RunCheckResult) {
  return {
    ...result,
    baseOutcome: base,
    new: added.map(findingToJson),
    flaky: flaky.map(findingToJson),
    output: isAnswer(result.outcome) ? '' : output,
  };
}

function reportShape(shapes: Shapes) {
  const { z, checkpointId } = shapes;
  return z.strictObject({
    checkpoint: checkpointId.nullable().describe('null: the fork'),
    fork: z.string().nullable(),
    base: checkpointId.nullable().describe('null: there is no earlier state; for a fork: what was merged of it last'),
    baseReason: z
      .enum(['given', 'prompt', 'tests-passed', 'previous', 'fork'])
      .nullable()
      .describe('why it is compared with the base; tests-passed: without prompts, its tests are known to have passed'),
    checks: z.array(checkResultShape(shapes)),
    notRun: z.array(z.string()).describe('checks that were found and not run'),
    notes: z.array(z.string()),
    notIsolated: z.array(z.string()).describe('what the copy did not isolate'),
  });
}

function reportToJson(report: CheckReport, fork: string | undefined) {
  return {
    checkpoint: report.checkpoint?.id ?? null,
    fork: fork ?? null,
    base: report.base?.id ?? null,
    baseReason: report.baseReason,
    checks: report.checks.map(checkResultToJson),
    notRun: [...report.notRun],
    notes: [...report.notes],
    notIsolated: [...report.notIsolated],
  };
}

function findingToJson({ path, rule, message, shown }: Finding) {
  return { path, rule, message, shown };
}
