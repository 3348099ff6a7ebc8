/** The verb that makes agents propose their edits. */

import { SavepointError } from '../../model/errors.ts';
import { NO_PLAN_MODE, type PlanMode } from '../../store/state/plan-mode.ts';
import { nullIfNoWorkspace } from '../input/no-workspace.ts';
import { timeToJson } from '../shapes/to-json.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const planMode = verb({
  name: 'plan mode',
  summary: 'let agents only propose their edits, as a plan',
  description:
    'While it is on, the hooks of agents record each edit in a plan of its session, and do not let it happen. The agent ' +
    'reads that. Review the plan, ask for changes with `plan revise`, approve it and apply it. Only a person may turn it on ' +
    'or off.\n\n' +
    'Shell commands, and other tools that may write anywhere, cannot be recorded, so they are refused. An agent that needs a ' +
    'shell runs isolated, in a copy (`savepoint run`), which makes a plan of what it changed. Without hooks ' +
    '(`savepoint install`), plan mode only refuses the tools of Savepoint that change files.',
  changes: 'store',
  schemas: ({ z }) => ({
    input: z.strictObject({
      set: z.enum(['on', 'off']).optional().describe('default: only show it'),
      session: z
        .string()
        .optional()
        .describe('only for this session: its id, or a unique prefix. Default: for all sessions'),
    }),
    output: z.strictObject({
      since: z.iso.datetime().nullable().describe('since when it is on for all sessions; null: it is not'),
      sessions: z
        .array(z.strictObject({ session: z.string(), since: z.iso.datetime() }))
        .describe('sessions for which it is on'),
      agents: z
        .array(
          z.strictObject({
            title: z.string(),
            limit: z.string().nullable().describe('what its hooks cannot hold back; null: nothing that is known'),
          }),
        )
        .optional()
        .describe('agents that have hooks of Savepoint here; set by the command line only'),
    }),
  }),
  async handle(savepoint, { set, session }, { signal, toolCall }) {
    const options = withoutUndefined({ session, signal, toolCall });
    if (set === undefined && session !== undefined) {
      const message = '--session needs on or off. Without it, plan mode is shown for all sessions.';
      throw new SavepointError('USAGE', message, { argument: '--session' });
    }
    if (set !== undefined) return planModeToJson(await savepoint.setPlanMode(set, options));
    return planModeToJson((await nullIfNoWorkspace(savepoint.planMode(withoutUndefined({ signal })))) ?? NO_PLAN_MODE);
  },
});

function planModeToJson({ workspace, sessions }: PlanMode) {
  return {
    since: workspace === null ? null : timeToJson(workspace),
    sessions: sessions.map(({ session, since }) => ({ session, since: timeToJson(since) })),
  };
}
