import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { manifest, seededRandom, world } from '@savepoint/testkit';
import { expect, onTestFinished, test } from 'vitest';
import type { AgentName } from '../src/event.ts';
import { runHook } from '../src/hook/index.ts';
import { parseEvent } from '../src/hook/read-event.ts';
import { AGENTS } from '../src/table.ts';
import { claudeEvents } from './fixtures/claude.ts';
import { clineEvents, codexEvents, copilotEvents, cursorEvents, geminiEvents } from './fixtures/others.ts';

/** Whatever comes on standard input: no crash, no hang, and nothing is written outside the store. */

const CASES = 10_000;
const WHOLE = 100;
const seed = Number(process.env['SAVEPOINT_SEED'] ?? Date.now() % 1_000_000);

class Chance {
  readonly #random = seededRandom(seed);
  below(limit: number): number {
    return Number.parseInt(this.#random.hex(4), 16) % limit;
  }
  one<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
}

const HOSTILE: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  2 ** 53 + 1,
  '',
  '..',
  '/',
  '/etc/passwd',
  '../../../../etc/passwd',
  'a\0b',
  '\ud800',
  '\u202e',
  '-rf',
  'x'.repeat(5_000),
  [],
  {},
  [[[[]]]],
  { __proto__x: 1, constructor: { prototype: 1 }, toString: 1, hasOwnProperty: 1 },
  '*** Begin Patch\n*** Add File: ../../out\n*** Update File: \n*** End Patch',
];

function templates(dir: string): readonly (readonly [AgentName, string | null, object])[] {
  const [claude, gemini, codex, copilot, cline, cursor] = [
    claudeEvents(dir),
    geminiEvents(dir),
    codexEvents(dir),
    copilotEvents(dir),
    clineEvents(dir),
    cursorEvents(dir),
  ];
  const file = path.join(dir, 'f');
  const edit = claude.call('Edit', { file_path: file, old_string: 'a', new_string: 'b' });
  return [
    ['claude', null, claude.start()],
    ['claude', null, claude.prompt('hello', 'p')],
    ['claude', null, edit.pre],
    ['claude', null, edit.post({ backgroundTaskId: 'x' })],
    ['claude', null, claude.stop()],
    ['gemini', null, gemini.before('write_file', { file_path: file })],
    ['gemini', null, gemini.after('write_file', { file_path: file })],
    ['codex', null, codex.pre('apply_patch', '*** Add File: f\n', 'c')],
    ['copilot', 'preToolUse', copilot.pre('create', { path: file })],
    ['copilot', 'postToolUse', copilot.post('bash', { command: 'x' })],
    ['claude', null, copilot.asClaude('PreToolUse', 'Write', { path: file })],
    ['cline', null, cline.pre('editor', { path: file }, 'c')],
    ['cline', 'PostToolUse', cline.post('editor', { path: file }, 'c')],
    ['cursor', null, cursor.afterFileEdit(file)],
    ['cursor', null, cursor.pre('Shell', { command: 'x' }, 'c')],
    [
      'opencode',
      null,
      {
        event: 'tool.execute.before',
        sessionID: 's',
        directory: dir,
        tool: 'write',
        callID: 'c',
        args: { filePath: file },
      },
    ],
    ['opencode', null, { event: 'session.created', sessionID: 's', directory: dir }],
  ];
}

/** One field somewhere is something else, is gone, or comes twice. */
function mangled(event: object, chance: Chance): string {
  const copy = JSON.parse(JSON.stringify(event)) as Record<string, unknown>;
  let at = copy;
  for (;;) {
    const key = chance.one(Object.keys(at));
    if (key === undefined) break;
    const inner = at[key];
    if (typeof inner === 'object' && inner !== null && !Array.isArray(inner) && chance.below(2) === 0) {
      at = inner as Record<string, unknown>;
      continue;
    }
    if (chance.below(5) === 0) delete at[key];
    else at[key] = chance.one(HOSTILE);
    break;
  }
  const text = JSON.stringify(copy);
  switch (chance.below(8)) {
    case 0:
      return text.slice(0, chance.below(text.length + 1));
    case 1:
      return `${text.slice(0, -1)},"cwd":${JSON.stringify(chance.one(HOSTILE))},"__proto__":{"tool_name":"Bash"}}`;
    default:
      return text;
  }
}

test(`${CASES} events, mangled (SAVEPOINT_SEED=${seed})`, async () => {
  const chance = new Chance();
  const all = templates('/nowhere/project');
  for (let index = 0; index < CASES; index++) {
    const [name, hint, event] = chance.one(all);
    const bytes = Buffer.from(mangled(event, chance));
    if (chance.below(20) === 0 && bytes.length > 0) bytes[chance.below(bytes.length)] = chance.below(256);
    const read = parseEvent(bytes);
    if ('problem' in read) continue;
    const parsed = AGENTS[name].parse(read.event, {}, hint);
    if (parsed.kind === 'ignored') continue;
    expect(parsed.session.length).toBeLessThanOrEqual(200);
    AGENTS[name].reply(parsed.native, { kind: 'context', text: 'x' });
  }
  expect(({} as { tool_name?: unknown }).tool_name).toBeUndefined();
});

test(`${WHOLE} of them go all the way, and write nothing outside the store (SAVEPOINT_SEED=${seed})`, async () => {
  const chance = new Chance();
  const w = world(onTestFinished);
  const dir = w.workspace.toString();
  writeFileSync(path.join(dir, 'f'), 'a\n');
  mkdirSync(path.join(dir, 'sub'));
  const before = manifest(dir);
  const all = templates(dir);
  for (let index = 0; index < WHOLE; index++) {
    const [name, hint, event] = chance.one(all);
    const text = chance.below(2) === 0 ? JSON.stringify(event) : mangled(event, chance);
    const reply = await runHook({
      args: hint === null ? [name] : [name, hint],
      env: w.env,
      input: Readable.from([Buffer.from(text)]),
      script: '/nowhere/savepoint.js',
      sinceStart: () => 0,
    });
    expect(reply.exit).toBe(0);
    if (reply.stdout !== '') JSON.parse(reply.stdout);
  }
  expect(manifest(dir)).toEqual(before);
});

test('what is huge or deep is answered', () => {
  expect(parseEvent(Buffer.from('['.repeat(100_000)))).toHaveProperty('problem');
  expect(parseEvent(Buffer.from(`{"a":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_001)}`))).toHaveProperty('problem');
  const huge = Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(100 * 1024 * 1024, 0x78), Buffer.from('"}')]);
  expect(parseEvent(huge)).toHaveProperty('event');
  expect(parseEvent(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toHaveProperty('event');
  expect(parseEvent(Buffer.alloc(0))).toEqual({ problem: 'no event came' });
});
