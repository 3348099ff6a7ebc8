import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { open } from '@savepoint/core';
import { manifest, type SeededRandom, seededRandom, world } from '@savepoint/testkit';
import { expect, onTestFinished } from 'vitest';
import type { AgentName } from '../src/event.ts';
import { runHook } from '../src/hook/index.ts';
import { AGENTS } from '../src/table.ts';
import { claudeEvents } from './fixtures/claude.ts';
import { ONE_WRITE } from './fixtures/one-write.ts';
import { clineEvents, codexEvents, copilotEvents, cursorEvents, geminiEvents } from './fixtures/others.ts';

/** Malformed events of all agents. */

export class Chance {
  readonly #random: SeededRandom;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

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

export function templates(dir: string): readonly (readonly [AgentName, string | null, object])[] {
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
  const writes = Object.values(AGENTS).flatMap(({ name }) =>
    ONE_WRITE[name](dir, file).map(({ hint, event }) => [name, hint, event] as const),
  );
  return [
    ...writes,
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
    ['opencode', null, { event: 'session.created', sessionID: 's', directory: dir }],
    ['opencode', null, { event: 'permission.asked', sessionID: 's', directory: dir, callID: 'c' }],
    ['opencode', null, { event: 'permission.granted', sessionID: 's', directory: dir, callID: 'c', at: 1 }],
  ];
}

/** Returns the event with one field replaced, removed or duplicated. */
export function mangled(event: object, chance: Chance): string {
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

/** Runs the whole hook in a small folder: no crash, valid answers, and nothing is written outside the store. */
export async function allTheWay(cases: number, seed: number): Promise<void> {
  const chance = new Chance(seed);
  const w = world(onTestFinished);
  const dir = w.workspace.toString();
  writeFileSync(path.join(dir, 'f'), 'a\n');
  mkdirSync(path.join(dir, 'sub'));
  const outside = () => manifest(w.folder.toString(), { skip: (name) => name === 'home' });
  const before = outside();
  const all = templates(dir);
  for (let index = 0; index < cases; index++) {
    const [name, hint, event] = chance.one(all);
    const text = chance.below(2) === 0 ? JSON.stringify(event) : mangled(event, chance);
    const reply = await runHook({
      args: hint === null ? [name] : [name, hint],
      env: w.env,
      input: Readable.from([Buffer.from(text)]),
      script: '/nowhere/savepoint.js',
      sinceStart: () => 0,
    });
    expect(reply.exit, text).toBe(0);
    if (reply.stdout !== '') JSON.parse(reply.stdout);
  }
  expect(outside()).toEqual(before);
  const savepoint = open({ dir: w.workspace, ports: w.ports, places: w.places });
  expect((await savepoint.verify({ deep: true })).damage).toEqual([]);
}
