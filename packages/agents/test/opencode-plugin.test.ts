/** The plugin that opencode loads, with the events that opencode sends. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { pluginText } from '../src/opencode-plugin.ts';

interface Plugin {
  event(sent: { readonly event: object }): Promise<void>;
  'chat.message'(input: object, output: object): Promise<void>;
  'tool.execute.before'(input: object, output: object): Promise<void>;
}

interface LoadedPlugin {
  readonly plugin: Plugin;
  readonly told: () => readonly Record<string, unknown>[];
}

async function load(client?: object): Promise<LoadedPlugin> {
  const folder = mkdtempSync(path.join(tmpdir(), 'savepoint-plugin-'));
  const [log, hook, file] = ['log', 'hook.mjs', 'plugin.mjs'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(
    hook,
    `import fs from 'node:fs'; fs.appendFileSync(${JSON.stringify(log)}, fs.readFileSync(0) + '\\n');`,
  );
  writeFileSync(file, pluginText([process.execPath, hook], [], []));
  const { Savepoint } = (await import(pathToFileURL(file).href)) as {
    Savepoint: (given: { readonly directory: string; readonly client?: object }) => Promise<Plugin>;
  };
  const told = () =>
    readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { plugin: await Savepoint({ directory: folder, ...(client && { client }) }), told };
}

test('what a call waits for is reported in order, and a refusal is not', async () => {
  const { plugin, told: reported } = await load();
  const { event } = plugin;
  const asked = (id: string, callID: string) => {
    const properties = { id, sessionID: 's', permission: 'bash', patterns: [], tool: { messageID: 'm', callID } };
    return event({ event: { type: 'permission.asked', properties } });
  };
  const replied = (requestID: string, reply: string) =>
    event({ event: { type: 'permission.replied', properties: { sessionID: 's', requestID, reply } } });
  await Promise.all([asked('p1', 'c1'), replied('p1', 'once'), asked('p2', 'c2'), replied('p2', 'reject')]);
  await event({
    event: { type: 'permission.replied', properties: { sessionID: 's', requestID: 'old', reply: 'once' } },
  });
  const told = reported();
  expect(told.map(({ event: name, sessionID, callID }) => [name, sessionID, callID])).toEqual([
    ['permission.asked', 's', 'c1'],
    ['permission.granted', 's', 'c1'],
    ['permission.asked', 's', 'c2'],
  ]);
  expect(told[1]?.['at']).toBeGreaterThan(Date.now() - 60_000);
});

test('the version of opencode and the model of a prompt are reported, and left out if they are not known', async () => {
  const { plugin, told } = await load();
  await plugin['chat.message']({ sessionID: 's' }, { message: { id: 'm0' }, parts: [] });
  await plugin.event({ event: { type: 'session.created', properties: { info: { id: 's', version: '1.2.3' } } } });
  const model = { providerID: 'anthropic', modelID: 'large' };
  await plugin['chat.message']({ sessionID: 's', messageID: 'm1', model }, { message: {}, parts: [] });
  await plugin['chat.message']({ sessionID: 's' }, { message: { id: 'm2', model }, parts: [] });
  expect(told().map(({ event, version, model: name }) => [event, version, name])).toEqual([
    ['chat.message', undefined, undefined],
    ['session.created', '1.2.3', undefined],
    ['chat.message', '1.2.3', 'anthropic/large'],
    ['chat.message', '1.2.3', 'anthropic/large'],
  ]);
});

test('the position in the conversation: its messages are read once, and later ones are events', async () => {
  let asked = 0;
  const info = (id: string, role: string, input = 0) => ({
    id,
    role,
    sessionID: 's',
    tokens: { input, cache: { read: 1 } },
  });
  const text = (messageID: string, words: string) => ({ type: 'text', text: words, messageID, sessionID: 's' });
  const messages = () => {
    asked += 1;
    const answers = [
      { info: info('m1', 'user'), parts: [text('m1', 'Do it.')] },
      { info: info('m2', 'assistant', 8), parts: [text('m2', 'Done.')] },
    ];
    return Promise.resolve({ data: answers });
  };
  const { plugin, told } = await load({ session: { messages } });
  const event = (type: string, properties: object) => plugin.event({ event: { type, properties } });
  await plugin['chat.message']({ sessionID: 's', messageID: 'm3' }, { parts: [] });
  await event('message.updated', { info: info('m3', 'user') });
  await event('message.updated', { info: info('m4', 'assistant', 20) });
  await event('message.part.updated', { part: text('m3', 'Not of the agent.') });
  await event('message.part.updated', { part: text('m4', 'x'.repeat(3_000)) });
  await plugin['tool.execute.before']({ sessionID: 's', tool: 'bash', callID: 'c' }, { args: {} });
  await event('message.removed', { sessionID: 's', messageID: 'm4' });
  await plugin['tool.execute.before']({ sessionID: 's', tool: 'bash', callID: 'd' }, { args: {} });
  const positions = told().map(({ messages: count, lastAssistant, contextSize }) => [
    count,
    lastAssistant,
    contextSize,
  ]);
  expect(positions).toEqual([
    [2, 'Done.', 9],
    [4, 'x'.repeat(2_000), 21],
    [3, 'x'.repeat(2_000), 21],
  ]);
  expect(asked).toBe(1);
});

test('if its messages cannot be read, their number is not known', async () => {
  const { plugin, told } = await load({ session: { messages: () => Promise.reject(new Error('no')) } });
  await plugin['chat.message']({ sessionID: 's', messageID: 'm1' }, { parts: [] });
  expect(told()).toHaveLength(1);
  expect(told()[0]).not.toHaveProperty('messages');
});
