/** Plan mode: edits become a plan, nothing is written, and what cannot be recorded does not happen either. */
import { chmodSync, linkSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Savepoint } from '@savepoint/core';
import { manifest } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import type { AgentName } from '../src/event.ts';
import { AgentAtWork } from './driver.ts';
import { claudeEvents } from './fixtures/claude.ts';
import { ONE_WRITE } from './fixtures/one-write.ts';

const LINES = Array.from({ length: 30 }, (_, index) => `item ${String(index + 1).padStart(2, '0')}\n`);
const BOOK = LINES.join('');

async function scene() {
  const p = new AgentAtWork('claude');
  const e = claudeEvents(p.dir);
  p.write('book.txt', BOOK);
  await p.tell(e.start());
  await p.tell(e.prompt('Improve the book.\nPlease.', 'turn-1'));
  await p.open().setPlanMode('on');
  const call = (tool: string, input: Readonly<Record<string, unknown>>) => reasonOf(p, e.call(tool, input).pre);
  const edit = (old_string: string, new_string: string, file = 'book.txt') =>
    call('Edit', { file_path: p.at(file), old_string, new_string });
  return { p, e, call, edit };
}

/** Why a call is denied; null: it is not. */
async function reasonOf(p: AgentAtWork, event: object): Promise<string | null> {
  const answer = (await p.tell(event)) as { hookSpecificOutput?: Record<string, string> } | null;
  const { permissionDecision: decision, permissionDecisionReason: reason } = answer?.hookSpecificOutput ?? {};
  return decision === 'deny' ? (reason ?? '') : null;
}

/** The proposed files of the newest plan, as a patch. */
async function patchOf(savepoint: Savepoint): Promise<string> {
  const { patch } = await savepoint.plan('last', { patch: true });
  return patch?.text.toString() ?? '';
}

const contextOf = (answer: unknown): string =>
  (answer as { hookSpecificOutput?: { additionalContext?: string } } | null)?.hookSpecificOutput?.additionalContext ??
  '';

test('edits are recorded in one plan, whatever version of the file they are made on, and nothing is written', async () => {
  const { p, e, call, edit } = await scene();
  const before = manifest(p.dir);
  expect(await edit('item 02', 'TWO')).toMatch(/was recorded as a proposal in plan_\w+ \(revision 1, changes 1 file\)/);
  expect(await edit('item 20', 'TWENTY')).toContain('(revision 2, changes 1 file)');
  // The proposed text, and that on disk, which was proposed to be changed before.
  expect(await edit('TWENTY', 'VINGT')).toContain('revision 3');
  expect(await edit('item 02', 'DEUX')).toContain('revision 4');
  expect(await call('Write', { file_path: p.at('new/a.txt'), content: 'a\n' })).toContain('changes 2 files');
  expect(await edit('a', 'b', 'new/a.txt')).toContain('revision 6');
  expect(await edit('item 99', 'x')).toContain('nothing was recorded. 1 of 1 file cannot be edited');
  expect(await call('Write', { file_path: p.at('other.txt'), content: '' })).toContain('revision 7');
  const multi = {
    file_path: p.at('book.txt'),
    edits: [
      { old_string: 'item 10', new_string: 'TEN' },
      { old_string: 'TEN', new_string: 'DIX' },
    ],
  };
  expect(await call('MultiEdit', multi)).toContain('revision 8');
  expect(manifest(p.dir)).toEqual(before);

  const savepoint = p.open();
  const { plans } = await savepoint.plans();
  expect(plans.map(({ plan }) => [plan.intent, plan.session, plan.proposedBy.name])).toEqual([
    ['Improve the book.', e.session, 'claude'],
  ]);
  const patch = await patchOf(savepoint);
  for (const line of ['-item 02', '+DEUX', '-item 20', '+VINGT', '+DIX', '+b']) expect(patch).toContain(`\n${line}\n`);
  await savepoint.approvePlan('last', (await savepoint.plan('last')).fingerprint);
  const { checkpoint } = await savepoint.applyPlan('last');
  expect(
    checkpoint?.changes?.map(({ path: changed, by }) => `${changed} ${by.authors[0]?.actor.name} ${by.grade}`),
  ).toEqual(['book.txt claude sure', 'new/a.txt claude sure', 'other.txt claude sure']);
  // The next edit begins another plan.
  expect(await edit('item 05', 'FIVE')).toContain('revision 1,');
});

test('a call that two hooks report is recorded once, and its end is not that of a call that ran', async () => {
  const { p, e } = await scene();
  const grow = e.call('Edit', { file_path: p.at('book.txt'), old_string: 'item 01', new_string: 'item 01\nnew' });
  const [first, second] = await Promise.all([reasonOf(p, grow.pre), reasonOf(p, grow.pre)]);
  expect(first).toContain('was recorded');
  expect(second).toContain('was recorded');
  expect((await patchOf(p.open())).match(/^\+/gm)).toHaveLength(2);
  p.write('mine.txt', 'mine\n');
  await p.tell(grow.fail('denied'));
  expect((await p.open().list()).checkpoints.filter(({ trigger }) => trigger === 'call')).toEqual([]);
});

test('calls that may write anywhere, or outside, are refused; own tools are not', async () => {
  const { p, call } = await scene();
  const outside = path.join(p.dir, '..', 'outside.txt');
  symlinkSync(p.at('book.txt'), path.join(p.dir, '..', 'link.txt'));
  expect(await call('Bash', { command: 'cat book.txt' })).toContain('run --isolated --plan');
  expect(await call('mcp__other__write', { path: 'book.txt' })).toContain('mcp__other__write was not run');
  expect(await call('NotebookEdit', { notebook_path: p.at('n.ipynb'), new_source: 'x' })).toContain(
    'does not say what',
  );
  expect(await call('Write', { file_path: p.at('.git/config'), content: 'x' })).toContain('nothing was recorded');
  expect(await call('Write', { file_path: path.join(p.dir, '..', 'link.txt'), content: 'x' })).toContain(
    'was recorded',
  );
  linkSync(p.at('book.txt'), path.join(p.dir, '..', 'hard.txt'));
  const store = path.join(storeOf(p), 'plan-mode.json');
  for (const file of [outside, path.join(p.dir, '..', 'hard.txt'), '../outside.txt'])
    expect(await call('Write', { file_path: file, content: 'x' })).toContain('is not in the workspace');
  for (const file of [store, '/proc/self/cwd/a.txt'])
    expect(await call('Write', { file_path: file, content: 'x' })).toContain('where Savepoint keeps its records');
  symlinkSync(path.join(p.dir, '..'), p.at('up'));
  expect(await call('Write', { file_path: p.at('up/outside.txt'), content: 'x' })).toContain('nothing was recorded');
  expect(await call('mcp__savepoint__plan_propose', { intent: 'x' })).toBeNull();
  const { plans } = await p.open().plans();
  expect(plans.flatMap(({ changes }) => changes.map(({ change }) => change.path))).toEqual(['book.txt']);
});

test.each<[string, string, (p: AgentAtWork, store: string) => void]>([
  ['its state is damaged', 'was recorded', (_, store) => writeFileSync(path.join(store, 'plan-mode.json'), '{')],
  ['the settings are invalid', 'nothing was recorded', (p) => p.write('.savepoint.json', '{ "enabled": 7')],
  [
    'the objects are gone',
    // Whether the store can still be written depends on what the process knows of it.
    'Savepoint plan mode: ',
    (_, store) => rmSync(path.join(store, 'objects.git', 'objects'), { recursive: true }),
  ],
])('it fails closed if %s', async (_, answer, harm) => {
  const { p, edit } = await scene();
  const before = await edit('item 02', 'TWO');
  expect(before).toContain('was recorded');
  harm(p, storeOf(p));
  const changed = manifest(p.dir);
  expect(await edit('item 03', 'THREE')).toContain(answer);
  expect(manifest(p.dir)).toEqual(changed);
});

/** A field that no reader takes. */
const DEEP = `${'['.repeat(600)}${']'.repeat(600)}`;

test.each<[string, (p: AgentAtWork, store: string) => unknown]>([
  ['the event cannot be read', () => DEEP],
  ['the home is open to others', (p) => chmodSync(path.dirname(path.dirname(storeOf(p))), 0o755)],
  [
    'the records are damaged',
    (_, store) => {
      for (const name of ['workspace.json', 'workspace.copy.json']) writeFileSync(path.join(store, name), '{');
    },
  ],
])('if %s, calls are denied in plan mode only', async (_, harm) => {
  const { p, e } = await scene();
  const event = JSON.stringify(e.call('Write', { file_path: p.at('new.txt'), content: 'x' }).pre);
  const denied = async (extra: unknown) => {
    const { stdout, exit } = await p.send(extra === DEEP ? event.replace('{', `{"deep":${DEEP},`) : event);
    expect(exit).toBe(0);
    return /"permissionDecision":"deny".*Savepoint plan mode: nothing was changed/.test(stdout);
  };
  await p.open().setPlanMode('off');
  await p.open().setPlanMode('on', { session: e.session });
  const store = storeOf(p);
  const extra = harm(p, store);
  expect(await denied(extra)).toBe(true);
  rmSync(path.join(store, 'plan-mode.json'));
  expect(await denied(extra)).toBe(false);
});

test('it also holds while recording is off', async () => {
  const { p, edit } = await scene();
  p.env['SAVEPOINT'] = 'off';
  expect(await edit('item 02', 'TWO')).toContain('was recorded');
});

describe('what a person changes meanwhile', () => {
  test('is part of the next revision, and stays', async () => {
    const { p, edit } = await scene();
    await edit('item 02', 'TWO');
    p.write('book.txt', BOOK.replace('item 25', 'MINE'));
    p.write('mine.txt', 'mine\n');
    expect(await edit('item 10', 'TEN')).toContain('revision 2, changes 1 file');
    const patch = await patchOf(p.open());
    expect(patch).not.toContain('-MINE');
    expect(patch).not.toContain('mine.txt');
    const savepoint = p.open();
    await savepoint.approvePlan('last', (await savepoint.plan('last')).fingerprint);
    await savepoint.applyPlan('last');
    expect(BOOK.replace('item 25', 'MINE').replace('item 02', 'TWO').replace('item 10', 'TEN')).toBe(
      readFileSync(p.at('book.txt'), 'utf8'),
    );
  });

  test('on the same lines stops the agent, until it writes the whole file', async () => {
    const { p, call, edit } = await scene();
    await edit('item 02', 'TWO');
    p.write('book.txt', BOOK.replace('item 02', 'MINE'));
    expect(await edit('item 10', 'TEN')).toContain('Read it again, then write the whole file');
    expect(await call('Write', { file_path: p.at('book.txt'), content: 'all new\n' })).toContain('revision 2');
    expect(await patchOf(p.open())).toContain('-MINE');
  });

  test('on the same lines of another file is said once, and stays open until it is settled', async () => {
    const { p, call, edit } = await scene();
    p.write('other.txt', 'one\n');
    await edit('item 02', 'TWO');
    await edit('one', 'ONE', 'other.txt');
    const mine = BOOK.replace('item 02', 'MINE');
    p.write('book.txt', mine);
    const write = (file: string, content: string) => call('Write', { file_path: p.at(file), content });
    const first = await write('new.txt', 'x\n');
    expect(first).toMatch(/revision 3, changes 3 files.*The user changed the same lines as the plan in book\.txt\./s);
    expect(await write('new.txt', 'y\n')).not.toContain('The user changed');
    // The proposal is on the file that it was made on, and not on what the person wrote.
    const patch = await patchOf(p.open());
    for (const line of ['-item 02', '+TWO', '+ONE', '+y']) expect(patch).toContain(`\n${line}\n`);
    expect(patch).not.toContain('MINE');
    const savepoint = p.open();
    const approve = async () => savepoint.approvePlan('last', (await savepoint.plan('last')).fingerprint);
    await approve();
    for (const rebase of [false, true])
      await expect(savepoint.applyPlan('last', { rebase })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect([readFileSync(p.at('book.txt'), 'utf8'), readdirSync(p.dir)]).toEqual([mine, ['book.txt', 'other.txt']]);
    // Another change of the person is said again.
    p.write('book.txt', BOOK.replace('item 02', 'MY OWN'));
    expect(await write('new.txt', 'z\n')).toContain('The user changed the same lines as the plan in book.txt.');
    expect(await edit('item 10', 'TEN')).toContain('Read it again, then write the whole file');
    expect(await write('book.txt', BOOK.replace('item 02', 'BOTH'))).not.toContain('The user changed');
    expect(await patchOf(p.open())).toContain('-MY OWN');
    await approve();
    await savepoint.applyPlan('last');
    expect(readFileSync(p.at('book.txt'), 'utf8')).toBe(BOOK.replace('item 02', 'BOTH'));
  });

  test('is no conflict any more if they take it back', async () => {
    const { p, call, edit } = await scene();
    await edit('item 02', 'TWO');
    p.write('book.txt', BOOK.replace('item 02', 'MINE'));
    await call('Write', { file_path: p.at('new.txt'), content: 'x\n' });
    p.write('book.txt', BOOK);
    const savepoint = p.open();
    await savepoint.approvePlan('last', (await savepoint.plan('last')).fingerprint);
    await savepoint.applyPlan('last');
    expect(readFileSync(p.at('book.txt'), 'utf8')).toBe(BOOK.replace('item 02', 'TWO'));
  });
});

describe('what a person says about a plan', () => {
  test('reaches its agent once, at the next prompt', async () => {
    const { p, e, edit } = await scene();
    await edit('item 02', 'TWO');
    await edit('item 20', 'TWENTY');
    const savepoint = p.open();
    const { id } = (await savepoint.plan('last')).plan;
    await savepoint.decidePlan(id, [{ path: 'book.txt', hunk: 2, accepted: false }]);
    await savepoint.notePlan(id, 'Say DEUX.\x1b[31m');
    const text = contextOf(await p.tell(e.prompt('Go on.', 'turn-2')));
    expect(text).toContain('Savepoint plan mode is on');
    expect(text).toContain(
      `the user asks for changes of your plan ${id} (Improve the book.), revision 2:\nSay DEUX.\\x1b`,
    );
    expect(text).toMatch(/rejected these parts of your plan .*:\n- book\.txt hunk 2 \(proposed lines 17-23\)/);
    expect(contextOf(await p.tell(e.prompt('Go on.', 'turn-3')))).not.toContain('DEUX');
    await savepoint.notePlan(id, 'And TROIS.');
    const third = await edit('item 03', 'TROIS');
    expect(third).toContain('\nAnd TROIS.\n');
    expect(third).not.toContain('DEUX');
    expect((await savepoint.plan(id)).plan).toMatchObject({ revision: 3, decisions: [{ accepted: false }] });

    await savepoint.setPlanMode('off');
    await savepoint.approvePlan(id, (await savepoint.plan(id)).fingerprint);
    await savepoint.applyPlan(id);
    const after = contextOf(await p.tell(e.prompt('Go on.', 'turn-4')));
    expect(after).toMatch(new RegExp(`your plan ${id} .* was applied \\(cp_\\d+\\)`));
    expect(after).not.toContain('plan mode is on');
    expect(readFileSync(p.at('book.txt'), 'utf8')).toContain('item 20');
    expect(await edit('item 05', 'FIVE')).toBeNull();
  });

  test('is not said to other sessions', async () => {
    const { p, edit } = await scene();
    await edit('item 02', 'TWO');
    await p.open().notePlan('last', 'Only for the first.');
    const other = claudeEvents(p.dir, 'session-2');
    const heard = [contextOf(await p.tell(other.start())), contextOf(await p.tell(other.prompt('Hello', 'p')))];
    expect(heard.join()).not.toContain('Only for');
  });
});

test('for one session, others are not held back', async () => {
  const { p, e } = await scene();
  const savepoint = p.open();
  await savepoint.setPlanMode('off');
  await savepoint.setPlanMode('on', { session: e.session });
  const other = claudeEvents(p.dir, 'session-2');
  await p.tell(other.start());
  const write = { file_path: p.at('new.txt'), content: 'x' };
  expect(await reasonOf(p, other.call('Write', write).pre)).toBeNull();
  expect(await reasonOf(p, e.call('Write', write).pre)).toContain('was recorded');
});

test.each(Object.keys(ONE_WRITE) as AgentName[])('%s is held back', async (name) => {
  const p = new AgentAtWork(name);
  await p.open().checkpoint();
  await p.open().setPlanMode('on');
  const [begun] = ONE_WRITE[name](p.dir, p.at('new.txt'));
  p.args = begun.hint === null ? [] : [begun.hint];
  const { stdout, exit } = await p.send(begun.event);
  expect(exit).toBe(0);
  expect(stdout).toMatch(/"(?:deny|permissionDecision|permission|decision|cancel)":/);
  expect(stdout).toContain('Savepoint plan mode');
  expect(await p.open().session({ agent: name, id: 's' }).openCalls()).toEqual([]);
});

test('a patch of several files is recorded as a whole, or not at all', async () => {
  const p = new AgentAtWork('codex');
  p.write('book.txt', BOOK);
  p.write('old.txt', 'old\n');
  await p.open().checkpoint();
  await p.open().setPlanMode('on');
  const patch = (...body: readonly string[]) => {
    const command = ['*** Begin Patch', ...body, '*** End Patch', ''].join('\n');
    const about = { session_id: 's', cwd: p.dir, hook_event_name: 'PreToolUse', tool_use_id: `call-${body.length}` };
    return reasonOf(p, { ...about, tool_name: 'apply_patch', tool_input: { command } });
  };
  const update = ['*** Update File: book.txt', '@@', ' item 01', '-item 02', '+TWO', '@@', '-item 20', '+TWENTY'];
  const bad = ['*** Update File: old.txt', '@@', '-nothing', '+x'];
  expect(await patch(...update, ...bad)).toContain('nothing was recorded. 1 of 2 files cannot be edited');
  expect((await p.open().plans()).plans).toEqual([]);
  expect(await patch(...update, '*** Delete File: old.txt', '*** Add File: sub/new.txt', '+new')).toContain(
    'changes 3 files',
  );
  expect(await patch('*** Update File: book.txt', '*** Move to: moved.txt', '@@', '-TWO', '+2')).toContain(
    'Instead of moving',
  );
  // Codex takes any white space around a header.
  for (const space of ['\u00a0', '\u000b', '\u0085', '\u3000', '\t'])
    expect(await patch('*** Add File: a.txt', '+x', `${space}*** Delete File: /tmp/gone.txt${space}`)).toContain(
      '/tmp/gone.txt is not in the workspace',
    );
  for (const line of ['\u200b*** Delete File: old.txt', 'x', '*** Other: old.txt'])
    expect(await patch('*** Add File: a.txt', '+x', line)).toContain('does not say what');
  const text = await patchOf(p.open());
  for (const line of ['+TWO', '+TWENTY', '-old', '+new']) expect(text).toContain(`\n${line}\n`);
});

/** The folder of the only store. */
function storeOf(p: AgentAtWork): string {
  const stores = path.join(Buffer.from(p.world.places.home, 'latin1').toString(), 'workspaces');
  const [only = ''] = readdirSync(stores);
  return path.join(stores, only);
}
