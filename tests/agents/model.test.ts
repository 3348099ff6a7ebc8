import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Conversation, Plan, Script, ToolResult } from './model/plan.ts';
import { nextStep, startModel } from './model/server.mjs';

const bash = (command: string) => ({ name: 'Bash', input: { command } });
const plan: Plan = [
  { marker: '', steps: [{ calls: [bash('a')] }, { calls: [bash('b'), bash('c')] }, { text: 'Done.' }] },
  { marker: 'sub:', steps: [{ text: 'Sub.' }] },
];

function conversation(results: number, firstUserText = 'go'): Conversation {
  const one: ToolResult = { call: 'x', text: '', isError: false };
  const reported = { model: 'm', tools: ['Bash'], allText: '', userTexts: [], streams: false };
  return { ...reported, results: Array.from({ length: results }, () => one), firstUserText };
}

it('continues by the number of results, whatever the earlier requests', () => {
  expect([0, 1, 2, 3, 4, 0].map((results) => nextStep(plan, conversation(results)).at)).toEqual([0, 1, 1, 2, 2, 0]);
  expect(nextStep(plan, conversation(0, 'please sub: it')).step).toEqual({ text: 'Sub.' });
  expect(nextStep(plan, { ...conversation(0), tools: [] }).step).toEqual({ text: 'ok' });
});

it('may have steps for each prompt of a conversation', () => {
  const steps = (name: string): Script => ({
    marker: name,
    isForPrompt: true,
    steps: [{ calls: [bash(name)] }, { text: `${name} is done.` }],
  });
  const userTexts = [
    { text: 'first, please', results: 0 },
    { text: 'a reminder', results: 1 },
    { text: 'second, please', results: 1 },
    { text: 'a reminder', results: 1 },
  ];
  const answers = [1, 2, 3, 4].map((texts) => {
    const known = { ...conversation(texts === 4 ? 2 : texts === 1 ? 0 : 1), userTexts: userTexts.slice(0, texts) };
    return nextStep([steps('first'), steps('second')], known).step;
  });
  expect(answers).toEqual([
    { calls: [bash('first')] },
    { text: 'first is done.' },
    { calls: [bash('second')] },
    { text: 'second is done.' },
  ]);
});

it('gives the same answers in four protocols, at once and as a stream', async () => {
  const model = await startModel({ plan, folder: '.' });
  onTestFinished(() => model.stop());
  const asked = { role: 'user', content: 'go' };
  const functions = [{ type: 'function', function: { name: 'Bash' } }];
  const bodies = {
    '/v1/messages': { messages: [asked], tools: [{ name: 'Bash' }] },
    '/v1/responses': { input: [asked], tools: [{ type: 'function', name: 'Bash' }] },
    '/v1/chat/completions': { messages: [asked], tools: functions },
    '/v1beta/models/m:generateContent': {
      contents: [{ role: 'user', parts: [{ text: 'go' }] }],
      tools: [{ functionDeclarations: [{ name: 'Bash' }] }],
    },
  };
  for (const [path, body] of Object.entries(bodies)) {
    const ask = async (where: string, more: object): Promise<string> => {
      const answer = await fetch(`${model.url}${where}`, {
        method: 'POST',
        body: JSON.stringify({ ...body, ...more }),
      });
      expect([where, answer.status]).toEqual([where, 200]);
      return answer.text();
    };
    const streamed = await ask(path.replace(':generate', ':streamGenerate'), { stream: true });
    for (const said of [await ask(path, {}), streamed]) expect(said.replaceAll('\\', '')).toContain('{"command":"a"}');
    expect(streamed).toMatch(/^data: /m);
  }
  expect(model.seen.map(({ protocol, step, tools }) => [protocol, step, tools])).toEqual(
    ['anthropic', 'responses', 'chat', 'gemini'].flatMap((name) => [
      [name, 0, ['Bash']],
      [name, 0, ['Bash']],
    ]),
  );
  expect(await fetch(`${model.url}/elsewhere`)).toMatchObject({ status: 404 });
  expect(model.trouble).toEqual(['no route for GET /elsewhere']);
});

it('asks for the steps that somebody else decides', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const asking: Plan = [{ marker: '', steps: [], asks: { prefix: join(folder, 'one') } }];
  const model = await startModel({ plan: asking, folder });
  onTestFinished(() => model.stop());
  writeFileSync(join(folder, 'one.0.go'), JSON.stringify({ calls: [bash('asked')] }));
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'go' }], tools: [{ name: 'Bash' }] });
  const answer = await fetch(`${model.url}/v1/messages`, { method: 'POST', body });
  expect(await answer.text()).toContain('"command":"asked"');
  expect(model.trouble).toEqual([]);
});
