/** opencode (docs/agents.md): a plugin in its process sends events to the same hook that other agents use. */

import type { Agent } from './agent.ts';
import { jsonReply, SILENCE } from './answer.ts';
import { type AgentEvent, type Ignored, ignored, type Told } from './event.ts';
import { callIn, type Fields, field, idIn, sessionIn, textIn } from './fields.ts';
import { pluginText } from './opencode-plugin.ts';
import { fileTool, isOwnTool, patchTool, reading, SHELL, type ToolTable, toolCalled } from './tools.ts';

/** Also in the plugin, so that it does not start a process for them. */
const READING = [
  'read',
  'glob',
  'grep',
  'list',
  'webfetch',
  'websearch',
  'todowrite',
  'todoread',
  'task',
  'question',
  'skill',
  'lsp',
];

const TOOLS: ToolTable = {
  write: fileTool('write', 'filePath'),
  edit: fileTool('edit', 'filePath'),
  multiedit: fileTool('edit', 'filePath'),
  patch: patchTool('patchText', 'patch'),
  apply_patch: patchTool('patchText', 'patch', 'input'),
  bash: SHELL,
  ...reading(...READING),
};

/** Events as our plugin sends them. */
function parse(event: Fields): AgentEvent | Ignored {
  const native = textIn(event, 'event');
  const own = sessionIn(event, 'sessionID');
  const cwd = textIn(event, 'directory');
  if (native === null || own === null || cwd === null) return ignored('it lacks an event, a session or a folder');
  const parent = sessionIn(event, 'parentID');
  const told: Told = {
    agent: 'opencode',
    version: null,
    // In opencode, a sub-agent has its own session.
    session: parent ?? own,
    sub: parent === null ? null : own,
    cwd,
    project: null,
    transcript: null,
    native,
    stamp: null,
  };
  switch (native) {
    case 'session.created':
      return parent === null ? { ...told, kind: 'session-started' } : ignored('a sub-agent started');
    case 'chat.message':
      if (parent !== null) return ignored('the prompt is for a sub-agent');
      return { ...told, kind: 'prompt-given', text: textIn(event, 'text') ?? '', messageId: idIn(event, 'messageID') };
    case 'session.idle':
      return { ...told, kind: 'turn-ended' };
    case 'session.deleted':
    case 'dispose':
      return parent === null ? { ...told, kind: 'session-ended' } : { ...told, kind: 'turn-ended' };
    case 'tool.execute.before':
    case 'tool.execute.after':
      break;
    default:
      return ignored(`${native} is not an event that changes files`);
  }
  const tool = textIn(event, 'tool');
  if (tool === null) return ignored('it lacks a tool');
  const input = field(event, 'args');
  const known = toolCalled(TOOLS, tool, input);
  if (known === null) return ignored(`${tool} only reads`);
  const call = { id: callIn(event, 'callID'), tool, input, own: isOwnTool(tool), ...known };
  if (native === 'tool.execute.before') return { ...told, kind: 'call-began', call };
  return { ...told, kind: 'call-ended', call, background: false };
}

export const opencode: Agent = {
  name: 'opencode',
  variables: [],
  title: 'opencode',
  parse,
  reply: (_native, answer) => {
    if (answer.kind === 'nothing') return SILENCE;
    return jsonReply(answer.kind === 'deny' ? { deny: answer.reason } : { context: answer.text });
  },
  // The plugin can only append to the result of a tool.
  hearsContext: (native) => native === 'tool.execute.after',
  limitMs: () => null,
  integration: {
    project: ['.opencode', 'plugin'],
    user: { variable: 'OPENCODE_CONFIG_DIR', folder: ['.config', 'opencode'], file: ['plugin'] },
    form: {
      kind: 'files',
      files: (command) => [{ name: 'savepoint.js', content: pluginText(command.argv, READING), mode: 0o644 }],
    },
    present: { folders: [['.config', 'opencode']], programs: ['opencode'] },
    notes: [],
  },
};
