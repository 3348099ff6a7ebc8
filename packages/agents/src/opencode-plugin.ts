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

export const Savepoint = async ({ directory, client }) => {
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
      const { answer } = await tell({ ...about('chat.message', sessionID), messageID: id, text, model: name });
      if (typeof answer === 'string') throw new Error(answer);
    },
    'tool.execute.before': async ({ tool, sessionID, callID }, { args }) => {
      if (READING.has(tool)) return;
      const { deny } = await tell({ ...about('tool.execute.before', sessionID), tool, callID, args });
      if (typeof deny === 'string') throw new Error(deny);
    },
    'tool.execute.after': async ({ tool, sessionID, callID, args }, output) => {
      if (READING.has(tool)) return;
      const { context } = await tell({ ...about('tool.execute.after', sessionID), tool, callID, args });
      if (typeof context === 'string' && output) output.output = \`\${output.output ?? ''}\\n\\n\${context}\`;
    },
  };
};
`;
}
