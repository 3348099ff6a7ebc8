/** The source of the plugin that opencode loads. */

import type { SlashCommand } from './slash/table.ts';

/** Milliseconds; longer than the budget of the hook. */
const MAX_MS = 10_000;

/**
 * @param argv the command that runs a hook
 * @param reading tools that only read
 * @param commands what users can type
 */
export function pluginText(
  argv: readonly string[],
  reading: readonly string[],
  commands: readonly Pick<SlashCommand, 'name' | 'summary'>[],
): string {
  const menu = Object.fromEntries(
    commands.map(({ name, summary }) => [
      `savepoint:${name}`,
      { description: summary, template: `/savepoint:${name} $ARGUMENTS` },
    ]),
  );
  return `// Created by \`savepoint install opencode\`; \`savepoint uninstall opencode\` removes it. It runs: savepoint hook opencode
import { spawn } from 'node:child_process';

const COMMAND = ${JSON.stringify(argv)};
const READING = new Set(${JSON.stringify(reading)});
const COMMANDS = ${JSON.stringify(menu)};
const MAX_MS = ${MAX_MS};
const MAX_READ_MS = 2_000;
/** In characters. */
const MAX_WORDS = 2_000;

/** Never fails, so that opencode continues. */
function tell(event) {
  return new Promise((resolve) => {
    let said = '';
    const done = () => {
      clearTimeout(timer);
      try {
        resolve(said === '' ? {} : JSON.parse(said));
      } catch {
        resolve({});
      }
    };
    const child = spawn(COMMAND[0], COMMAND.slice(1), { stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true });
    const timer = setTimeout(() => child.kill(), MAX_MS);
    child.on('error', done);
    child.on('close', done);
    child.stdin.on('error', () => undefined);
    child.stdout.on('data', (part) => {
      said += part;
    });
    child.stdin.end(JSON.stringify(event));
  });
}

/** What is known of the conversation of a session. Reads its messages once; later ones come as events. */
class Conversation {
  constructor(client, sessionID) {
    this.roles = new Map();
    this.words = undefined;
    this.tokens = undefined;
    this.read = Promise.race([
      Promise.resolve(client?.session?.messages({ path: { id: sessionID } })),
      new Promise((resolve) => setTimeout(resolve, MAX_READ_MS).unref()),
    ])
      .then((answer) => {
        if (!Array.isArray(answer?.data)) return;
        const later = [...this.roles];
        this.roles = new Map();
        for (const { info, parts } of answer.data) {
          this.noteMessage(info);
          for (const part of parts ?? []) this.notePart(part);
        }
        for (const [id, role] of later) this.roles.set(id, role);
        this.isRead = true;
      })
      .catch(() => undefined);
  }
  noteMessage(info) {
    if (typeof info?.id !== 'string') return;
    this.roles.set(info.id, info.role);
    const { input = 0, cache } = info.tokens ?? {};
    const tokens = input + (cache?.read ?? 0) + (cache?.write ?? 0);
    if (info.role === 'assistant' && tokens > 0) this.tokens = tokens;
  }
  notePart(part) {
    if (part?.type !== 'text' || !part.text || this.roles.get(part.messageID) !== 'assistant') return;
    this.words = part.text.slice(0, MAX_WORDS);
  }
  /** Without a prompt that is only being given. */
  async position(prompt) {
    await this.read;
    const messages = this.isRead ? this.roles.size - (this.roles.has(prompt) ? 1 : 0) : undefined;
    return { messages, lastAssistant: this.words, contextSize: this.tokens };
  }
}

export const Savepoint = async ({ client, directory }) => {
  const conversations = new Map();
  const conversationOf = (sessionID) => {
    if (!conversations.has(sessionID)) conversations.set(sessionID, new Conversation(client, sessionID));
    return conversations.get(sessionID);
  };
  const parents = new Map();
  const asking = new Map();
  // opencode does not wait for events, so a session may still be starting when its first message comes.
  let started = Promise.resolve();
  let permissions = Promise.resolve();
  // Of opencode itself, which says it when it creates a session.
  let version;
  const tellInOrder = (event) => (permissions = permissions.then(() => tell(event)));
  const about = (event, sessionID) => {
    let parentID = parents.get(sessionID);
    while (parents.has(parentID)) parentID = parents.get(parentID);
    return { event, sessionID, directory, version, ...(parentID === undefined ? {} : { parentID }) };
  };
  /** Shows a text in the conversation that the model does not get, and ends the prompt. */
  const show = async (sessionID, text, more) => {
    const part = { type: 'text', text, ignored: true };
    await client.session.prompt({ path: { id: sessionID }, body: { noReply: true, parts: [part], ...more } }).catch(() => undefined);
    throw new Error(text);
  };
  return {
    config: async (config) => {
      config.command = { ...COMMANDS, ...config.command };
    },
    'command.execute.before': async ({ command, arguments: args, sessionID }) => {
      if (!Object.hasOwn(COMMANDS, command)) return;
      await started;
      const typed = { messageID: crypto.randomUUID(), text: \`/\${command} \${args}\` };
      const { answer } = await tell({ ...about('command.execute.before', sessionID), ...typed });
      if (typeof answer === 'string') await show(sessionID, answer);
    },
    event: async ({ event }) => {
      const { info, sessionID = info?.id, id, requestID, reply, tool } = event.properties ?? {};
      const { part, messageID } = event.properties ?? {};
      if (event.type === 'message.updated') conversations.get(info?.sessionID)?.noteMessage(info);
      if (event.type === 'message.part.updated') conversations.get(part?.sessionID)?.notePart(part);
      if (event.type === 'message.removed') conversations.get(sessionID)?.roles.delete(messageID);
      if (event.type === 'session.deleted') conversations.delete(sessionID);
      if (event.type === 'session.created' && info?.parentID) parents.set(info.id, info.parentID);
      if (event.type === 'session.created') version = info?.version;
      if (['session.created', 'session.idle', 'session.deleted'].includes(event.type)) {
        const reported = tell(about(event.type, sessionID));
        if (event.type === 'session.created') started = reported;
        await reported;
      }
      if (event.type === 'permission.asked' && tool?.callID) {
        asking.set(id, tool.callID);
        await tellInOrder({ ...about(event.type, sessionID), callID: tool.callID });
      }
      const callID = event.type === 'permission.replied' ? asking.get(requestID) : undefined;
      asking.delete(requestID);
      if (callID === undefined || reply === 'reject') return;
      await tellInOrder({ ...about('permission.granted', sessionID), callID, at: Date.now() });
    },
    'chat.message': async ({ sessionID, messageID, model }, { message, parts }) => {
      if (parts?.length > 0 && parts.every((part) => part.ignored)) return;
      const { providerID, modelID } = model ?? message?.model ?? {};
      const name = providerID && modelID ? \`\${providerID}/\${modelID}\` : undefined;
      const text = (parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
      await started;
      const id = messageID ?? message?.id;
      const position = await conversationOf(sessionID).position(id);
      const { answer } = await tell({ ...about('chat.message', sessionID), ...position, messageID: id, text, model: name });
      if (typeof answer === 'string') throw new Error(answer);
    },
    'tool.execute.before': async ({ tool, sessionID, callID }, { args }) => {
      if (READING.has(tool)) return;
      const position = await conversationOf(sessionID).position();
      const { deny } = await tell({ ...about('tool.execute.before', sessionID), ...position, tool, callID, args });
      if (typeof deny === 'string') throw new Error(deny);
    },
    'tool.execute.after': async ({ tool, sessionID, callID, args }, output) => {
      if (READING.has(tool)) return;
      const position = await conversationOf(sessionID).position();
      const { context } = await tell({ ...about('tool.execute.after', sessionID), ...position, tool, callID, args });
      if (typeof context === 'string' && output) output.output = \`\${output.output ?? ''}\\n\\n\${context}\`;
    },
  };
};
`;
}
