/** Claude Code (docs/agents.md). */

import type { Agent } from './agent.ts';
import { jsonReply } from './answer.ts';
import { claudeAcceptsContext, claudeReply, type Dialect, parseClaudeEvent } from './claude-protocol.ts';
import { GivenSettingsError, hookGroups } from './settings/integration.ts';
import { parseJsonText, plainValueOf } from './settings/json-text.ts';
import { hasValue } from './settings/kept-options.ts';
import { withHooks } from './settings/with-hooks.ts';
import { claudeCommands } from './slash/files.ts';
import { fileTool, readOnlyTools, SHELL } from './tools.ts';
import { claudeRow } from './transcript/claude.ts';

const DIALECT: Dialect = {
  agent: 'claude',
  projectVariable: 'CLAUDE_PROJECT_DIR',
  asksBeforeRunning: true,
  tools: {
    Write: fileTool('write', 'file_path'),
    Edit: fileTool('edit', 'file_path'),
    MultiEdit: fileTool('edit', 'file_path'),
    NotebookEdit: fileTool('edit', 'notebook_path', 'file_path'),
    Bash: SHELL,
    PowerShell: SHELL,
    // Its command always runs in the background.
    Monitor: SHELL,
    // `Task` and `Agent` start a sub-agent. Its own calls are reported one by one.
    ...readOnlyTools('Task', 'Agent', 'Read', 'Glob', 'Grep', 'LS', 'NotebookRead', 'WebFetch', 'WebSearch'),
    ...readOnlyTools(
      'TodoWrite',
      'TodoRead',
      'BashOutput',
      'TaskOutput',
      'AskUserQuestion',
      'ExitPlanMode',
      'ToolSearch',
    ),
  },
};

/** Tools that may write. `Skill` and similar tools run other tools, which are reported separately. */
const WRITE_MATCHER = 'Write|Edit|MultiEdit|NotebookEdit|Bash|PowerShell|Monitor|EnterWorktree|ExitWorktree|mcp__.*';
/** The shortest timeout that Claude Code has for hooks when it exits. */
const SESSION_END_MS = 1_500;

/**
 * Takes the option `--settings` with its value out of arguments. The last one counts. After `--` there are no options.
 * @throws GivenSettingsError if it has no value
 */
function withoutSettings(args: readonly string[]): readonly [value: string | null, rest: readonly string[]] {
  const rest: string[] = [];
  let value: string | null = null;
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    const next = args[at + 1];
    if (arg === '--') return [value, [...rest, ...args.slice(at)]];
    if (arg === '--settings') {
      if (next === undefined) throw new GivenSettingsError('the option --settings has no value');
      value = next;
      at += 1;
    } else if (arg.startsWith('--settings=')) value = arg.slice('--settings='.length);
    else if (next !== undefined && hasValue('claude', arg)) {
      // Whatever it looks like.
      rest.push(arg, next);
      at += 1;
    } else rest.push(arg);
  }
  return [value, rest];
}

export const claude: Agent = {
  name: 'claude',
  variables: ['CLAUDE_PROJECT_DIR'],
  transcript: claudeRow,
  conversation: async () => (await import('./conversation/claude.ts')).claudeConversation,
  shell: { any: 'CLAUDECODE', session: 'CLAUDE_CODE_SESSION_ID' },
  title: 'Claude Code',
  parse: (event, env) => parseClaudeEvent(event, env, DIALECT),
  callEvent: 'PreToolUse',
  reply: (native, answer) => {
    if (answer.kind !== 'answered') return claudeReply(native, answer);
    const hookSpecificOutput = { hookEventName: native, suppressOriginalPrompt: true };
    return jsonReply({ decision: 'block', reason: answer.text, hookSpecificOutput });
  },
  acceptsContext: claudeAcceptsContext,
  continuesTurn: (native) => native === 'Stop',
  answersPrompts: (native) => native === 'UserPromptSubmit',
  limitMs: (native) => (native === 'SessionEnd' ? SESSION_END_MS : null),
  integration: {
    // The local settings of the project, because the command may have a path of this machine.
    project: ['.claude', 'settings.local.json'],
    user: { variable: 'CLAUDE_CONFIG_DIR', folder: ['.claude'], file: ['settings.json'] },
    form: hookGroups({
      SessionStart: null,
      UserPromptSubmit: null,
      PreToolUse: WRITE_MATCHER,
      PermissionRequest: WRITE_MATCHER,
      PostToolUse: WRITE_MATCHER,
      PostToolUseFailure: WRITE_MATCHER,
      Stop: null,
      SubagentStop: null,
      SessionEnd: null,
    }),
    commands: {
      files: claudeCommands(),
      project: ['.claude', 'commands', 'savepoint'],
      user: ['commands', 'savepoint'],
      prefix: '/savepoint:',
    },
    oneRun: ({ command, form, start: { args }, read }) => {
      if (form.kind !== 'json') throw new TypeError('Claude Code has JSON settings');
      const [given, rest] = withoutSettings(args);
      const settings = given === null || given.trimStart().startsWith('{') ? given : read(given);
      const hooked = JSON.stringify(plainValueOf(parseJsonText(withHooks(settings, form, command))));
      return { args: ['--settings', hooked, ...rest], env: {} };
    },
    present: { folders: [['.claude']], programs: ['claude'] },
    notes: [],
  },
};
