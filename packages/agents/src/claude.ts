/** Claude Code (docs/agents.md). */

import type { Agent } from './agent.ts';
import { claudeHearsContext, claudeReply, type Dialect, parseClaudeShape } from './claude-protocol.ts';
import { hookGroups } from './settings/integration.ts';
import { fileTool, reading, SHELL } from './tools.ts';

const DIALECT: Dialect = {
  agent: 'claude',
  projectVariable: 'CLAUDE_PROJECT_DIR',
  tools: {
    Write: fileTool('write', 'file_path'),
    Edit: fileTool('edit', 'file_path'),
    MultiEdit: fileTool('edit', 'file_path'),
    NotebookEdit: fileTool('edit', 'notebook_path', 'file_path'),
    Bash: SHELL,
    PowerShell: SHELL,
    // Calls of a sub-agent are reported one by one.
    ...reading('Task', 'Agent', 'Read', 'Glob', 'Grep', 'LS', 'NotebookRead', 'WebFetch', 'WebSearch'),
    ...reading('TodoWrite', 'TodoRead', 'BashOutput', 'TaskOutput', 'AskUserQuestion', 'ExitPlanMode', 'ToolSearch'),
  },
};

/** Tools that may write. `Skill` and similar tools run other tools, which are reported separately. */
const WRITING = 'Write|Edit|MultiEdit|NotebookEdit|Bash|PowerShell|mcp__.*';
/** The shortest timeout that Claude Code has for hooks when it exits. */
const AT_THE_END_MS = 1_500;

export const claude: Agent = {
  name: 'claude',
  variables: ['CLAUDE_PROJECT_DIR'],
  title: 'Claude Code',
  parse: (event, env) => parseClaudeShape(event, env, DIALECT),
  reply: claudeReply,
  hearsContext: claudeHearsContext,
  limitMs: (native) => (native === 'SessionEnd' ? AT_THE_END_MS : null),
  integration: {
    // The local settings of the project, because the command may have a path of this machine.
    project: ['.claude', 'settings.local.json'],
    user: { variable: 'CLAUDE_CONFIG_DIR', folder: ['.claude'], file: ['settings.json'] },
    form: hookGroups({
      SessionStart: null,
      UserPromptSubmit: null,
      PreToolUse: WRITING,
      PostToolUse: WRITING,
      PostToolUseFailure: WRITING,
      Stop: null,
      SubagentStop: null,
      SessionEnd: null,
    }),
    present: { folders: [['.claude']], programs: ['claude'] },
    notes: [],
  },
};
