/** opencode (docs/agents.md): a plugin in its process sends events to the same hook that other agents use. */

import { pathToFileURL } from 'node:url';
import type { Agent } from './agent.ts';
import { EMPTY_REPLY, jsonReply } from './answer.ts';
import { type AgentEvent, type EventHeader, type IgnoredEvent, ignoreEvent } from './event.ts';
import { callIn, type Fields, field, idIn, numberIn, sessionIn, textIn, timeIn } from './fields.ts';
import { pluginText } from './opencode-plugin.ts';
import { withEntry } from './settings/json-edit.ts';
import { unknownOrigin } from './slash/expansion.ts';
import { SLASH_COMMANDS } from './slash/table.ts';
import { classifyCall, fileTool, isOwnTool, patchTool, readOnlyTools, SHELL, type ToolTable } from './tools.ts';

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
  ...readOnlyTools(...READING),
};

/** Events as our plugin sends them. */
function parse(event: Fields): AgentEvent | IgnoredEvent {
  const native = textIn(event, 'event');
  const own = sessionIn(event, 'sessionID');
  const cwd = textIn(event, 'directory');
  if (native === null || own === null || cwd === null) return ignoreEvent('it lacks an event, a session or a folder');
  const parent = sessionIn(event, 'parentID');
  const header: EventHeader = {
    agent: 'opencode',
    version: textIn(event, 'version'),
    model: textIn(event, 'model'),
    // In opencode, a sub-agent has its own session.
    session: parent ?? own,
    subAgentId: parent === null ? null : own,
    cwd,
    project: null,
    transcript: null,
    position: {
      messages: numberIn(event, 'messages'),
      lastAssistant: textIn(event, 'lastAssistant'),
      contextSize: numberIn(event, 'contextSize'),
    },
    nativeName: native,
    stamp: null,
  };
  switch (native) {
    case 'session.created':
      return parent === null ? { ...header, kind: 'session-started' } : ignoreEvent('a sub-agent started');
    case 'command.execute.before':
    case 'chat.message':
      if (parent !== null) return ignoreEvent('the prompt is for a sub-agent');
      return {
        ...header,
        kind: 'prompt-given',
        text: textIn(event, 'text') ?? '',
        messageId: idIn(event, 'messageID'),
        // A message is the text that a command of the project expands to.
        typedDoubt: native === 'chat.message' ? unknownOrigin('opencode') : null,
      };
    case 'session.idle':
      return { ...header, kind: 'turn-ended' };
    case 'session.deleted':
    case 'dispose':
      return parent === null ? { ...header, kind: 'session-ended' } : { ...header, kind: 'turn-ended' };
    case 'permission.asked':
    case 'permission.granted': {
      const call = callIn(event, 'callID');
      if (call === null) return ignoreEvent('it lacks a call');
      if (native === 'permission.granted')
        return { ...header, kind: 'permission-granted', call, at: timeIn(event, 'at') };
      const asked = { id: call, tool: '', input: null };
      return { ...header, kind: 'permission-asked', call: asked, isGrantReported: true };
    }
    case 'tool.execute.before':
    case 'tool.execute.after':
      break;
    default:
      return ignoreEvent(`${native} is not an event that changes files`);
  }
  const tool = textIn(event, 'tool');
  if (tool === null) return ignoreEvent('it lacks a tool');
  const input = field(event, 'args');
  const known = classifyCall(TOOLS, tool, input);
  if (known === null) return ignoreEvent(`${tool} only reads`);
  const call = { id: callIn(event, 'callID'), tool, input, own: isOwnTool(tool), ...known };
  if (native === 'tool.execute.before') return { ...header, kind: 'call-began', call };
  return { ...header, kind: 'call-ended', call, background: false, ranMs: null };
}

/** Settings as JSON, in addition to those in files. */
const CONFIG_VARIABLE = 'OPENCODE_CONFIG_CONTENT';

export const opencode: Agent = {
  name: 'opencode',
  variables: [],
  conversation: async () => (await import('./conversation/opencode.ts')).opencodeConversation,
  shell: { any: 'OPENCODE', session: null },
  title: 'opencode',
  parse,
  callEvent: 'tool.execute.before',
  reply: (_native, answer) => {
    if (answer.kind === 'nothing' || answer.kind === 'elsewhere' || answer.kind === 'continue') return EMPTY_REPLY;
    if (answer.kind === 'answered') return jsonReply({ answer: answer.text });
    return jsonReply(answer.kind === 'deny' ? { deny: answer.reason } : { context: answer.text });
  },
  // The plugin can only append to the result of a tool.
  continuesTurn: () => false,
  acceptsContext: (native) => native === 'tool.execute.after',
  answersPrompts: (native) => native === 'command.execute.before' || native === 'chat.message',
  limitMs: () => null,
  integration: {
    project: ['.opencode', 'plugin'],
    user: { variable: 'OPENCODE_CONFIG_DIR', folder: ['.config', 'opencode'], file: ['plugin'] },
    form: {
      kind: 'files',
      files: (command) => [
        { name: 'savepoint.js', content: pluginText(command.argv, READING, SLASH_COMMANDS), mode: 0o644 },
      ],
    },
    // The plugin adds the commands.
    commands: { files: [], project: [], user: [], prefix: '/savepoint:' },
    oneRun: ({ command, form, start: { args, env }, ownFile }) => {
      if (form.kind !== 'files') throw new TypeError('opencode has a plugin');
      const [plugin] = form.files(command);
      const file = ownFile('opencode-run.js', plugin?.content ?? '');
      const config = withEntry(env[CONFIG_VARIABLE] || '{}', ['plugin'], pathToFileURL(file).href);
      return { args, env: { [CONFIG_VARIABLE]: config } };
    },
    present: { folders: [['.config', 'opencode']], programs: ['opencode'] },
    notes: [],
  },
};
