/** The command that makes agents propose their edits. */

import { exactName, SavepointError, showText } from '@savepoint/core';
import { type InputOf, type OutputOf, VERBS } from '@savepoint/core/frontend';
import { loadAgents } from '../../agents.ts';
import { command, lines } from '../../command.ts';
import { localTime } from '../../show/format.ts';

type ModeJson = OutputOf<typeof VERBS.planMode>;

const SHELL =
  'Shell commands, and tools that may write anywhere, are refused. For an agent that needs them: ' +
  '`savepoint run --isolated --plan -- AGENT`.';
const NO_HOOKS =
  "No agent has hooks here, so only Savepoint's own tools are held back, and edits and shell commands run as always. Run " +
  '`savepoint install`, or use `savepoint run --isolated --plan -- AGENT`.';

export const planMode = command({
  verb: VERBS.planMode,
  operands: [['[mode]', 'on or off (default: show it)']],
  takesPaths: false,
  options: [{ flags: '--session <id>', description: 'only for this session: its id, or a unique prefix' }],
  examples: ['savepoint plan mode on', 'savepoint plan mode', 'savepoint plan mode off'],
  input: ({ operands: [mode], options: { session } }) => ({
    ...(mode === undefined ? {} : { set: onOrOff(mode) }),
    ...(typeof session === 'string' ? { session } : {}),
  }),
  async carryOut(input, _given, { savepoint, signal, agents }) {
    const output = await VERBS.planMode.handle(savepoint, input, { signal });
    const { AGENTS, isAgentName } = await loadAgents();
    const { root } = await savepoint.place({ orNew: true });
    const found = (await agents(exactName(root))).filter(({ installed }) => installed.length > 0);
    return {
      ...output,
      agents: found.map(({ agent, title }) => ({
        title,
        limit: (isAgentName(agent) ? AGENTS[agent].planLimit : undefined) ?? null,
      })),
    };
  },
  render(output) {
    const isOn = output.since !== null || output.sessions.length > 0;
    return lines(modeLines(output), isOn ? agentLines(output) : []);
  },
});

/** @throws SavepointError USAGE */
function onOrOff(mode: string): NonNullable<InputOf<typeof VERBS.planMode>['set']> {
  if (mode === 'on' || mode === 'off') return mode;
  throw new SavepointError('USAGE', `The mode is on or off, not ${JSON.stringify(mode)}.`, { argument: mode });
}

function modeLines({ since, sessions }: ModeJson): readonly string[] {
  if (since === null && sessions.length === 0) return ['Plan mode is off.'];
  return [
    ...(since === null ? [] : [`Plan mode is on for all sessions, since ${localTime(since)}.`]),
    ...sessions.map((one) => `Plan mode is on for session ${showText(one.session)}, since ${localTime(one.since)}.`),
  ];
}

function agentLines({ agents = [] }: ModeJson): readonly string[] {
  if (agents.length === 0) return [NO_HOOKS];
  return [...agents.map(({ title, limit }) => `${title}: ${limit ?? 'its edits of files become a plan.'}`), SHELL];
}
