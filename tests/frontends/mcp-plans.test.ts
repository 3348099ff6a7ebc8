/** Plans over MCP: a client proposes and revises, a person decides at a terminal, and the client applies what was approved. */
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { type Answer, call, connect, ERAS, missingInText } from './mcp-server.ts';
import { approvePlan, fingerprintOf } from './plan-approval.ts';

const REVISION = '2025-11-25';
const AGENT = { env: { CLAUDECODE: '1' } };
const LINES = Array.from({ length: 30 }, (_, index) => `line ${index + 1}\n`);
const NAMES = Array.from({ length: 12 }, (_, index) => `src/file ${index + 1}.txt`);

type Client = Awaited<ReturnType<typeof connect>>;

const replace = (line: number, to: string): object => ({ old_string: LINES[line - 1], new_string: `${to}\n` });
const edits = (last: string): readonly object[] =>
  NAMES.map((file_path) => ({ file_path, edits: [replace(2, 'TWO'), replace(25, last)] }));

function projectOf12(): Project {
  const p = project();
  for (const name of NAMES) p.write(name, LINES.join(''));
  return p;
}

/** Calls a tool that succeeds, and whose text says what its fields say. */
async function use(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Answer> {
  const answer = await call(client, name, args);
  expect([name, answer.isError ?? false, answer.isError === true ? answer.text : '']).toEqual([name, false, '']);
  expect([name, missingInText(answer)]).toEqual([name, []]);
  return answer;
}

async function refusalOf(client: Client, name: string, args: Record<string, unknown>): Promise<Answer['error']> {
  const { isError, error } = await call(client, name, args);
  expect([name, isError]).toEqual([name, true]);
  return error;
}

const contents = (p: Project): readonly string[] => NAMES.map((name) => p.read(name));

describe.each(ERAS)('a client of %s', (revision) => {
  it('proposes 12 files, revises them as the person says, and applies what the person approved', async () => {
    const p = projectOf12();
    const before = contents(p);
    const client = await connect(p, revision, { name: 'claude-code' });
    const proposed = await use(client, 'plan_propose', { files: edits('LAST'), intent: 'Spell the numbers' });
    const id = String(proposed.data['id']);
    expect(proposed.data).toMatchObject({
      status: 'pending',
      revision: 1,
      by: 'agent claude',
      files: 12,
      fingerprint: expect.stringMatching(/^[0-9a-f]{40}$/),
      next: expect.stringContaining(`\`savepoint plan review ${id}\``),
    });
    expect(proposed.data['changes']).toContainEqual(
      expect.objectContaining({ path: 'src/file 7.txt', hunks: ['1 -1,5 +1,5', '2 -22,7 +22,7'] }),
    );
    expect(proposed.text.length).toBeLessThan(2500);
    expect(contents(p)).toEqual(before);

    const early = await refusalOf(client, 'plan_apply', { id });
    expect(early).toMatchObject({ code: 'NEEDS_CONFIRMATION', message: `${id} is not approved.` });
    expect(early.hint).toContain(`Ask the user to run \`savepoint plan review ${id}\``);

    p.ok('plan', 'review', id, '--reject', 'src/file 7.txt:2');
    p.ok('plan', 'revise', id, '-m', 'Not "LAST": say END');
    const seen = await use(client, 'plan_status', { id });
    expect(seen.data).toMatchObject({
      status: 'pending',
      rejected: 1,
      words: [{ by: 'the user', revision: 1, text: 'Not "LAST": say END' }],
      next: expect.stringContaining('plan_revise'),
    });
    expect(seen.text).toContain('hunk 2 -22,7 +22,7 rejected');
    expect((await use(client, 'plan_status')).data).toMatchObject({ plans: [{ id, rejected: 1 }] });

    const revised = await use(client, 'plan_revise', { id, files: edits('END') });
    expect(revised.data).toMatchObject({ id, status: 'pending', revision: 2 });
    expect(revised.data).not.toHaveProperty('rejected');
    expect((await refusalOf(client, 'plan_apply', { id })).code).toBe('NEEDS_CONFIRMATION');

    // What an agent runs in its shell approves nothing.
    expect(p.run(['plan', 'review', id, '--approve', fingerprintOf(p, id)], AGENT).stderr).toContain(
      'Only a person may run',
    );
    expect((await refusalOf(client, 'plan_apply', { id })).code).toBe('NEEDS_CONFIRMATION');

    approvePlan(p, id);
    expect((await use(client, 'plan_status', { id })).data).toMatchObject({
      status: 'approved',
      approved_by: 'the user',
      next: `Exactly this is approved. Call plan_apply with id ${id}.`,
    });
    const applied = await use(client, 'plan_apply', { id });
    expect(applied.data).toMatchObject({ outcome: 'done', checkpoint_after: expect.stringMatching(/^cp_/) });
    const wanted = LINES.with(1, 'TWO\n').with(24, 'END\n').join('');
    expect(contents(p)).toEqual(NAMES.map(() => wanted));
    expect((await use(client, 'plan_status', { id })).data).toMatchObject({ status: 'applied' });

    const undo = await use(client, 'undo');
    await use(client, 'undo', { preview_id: undo.data['preview_id'] });
    expect(contents(p)).toEqual(before);
    // The approval was for one application.
    const again = await refusalOf(client, 'plan_apply', { id });
    expect(again).toMatchObject({ code: 'NEEDS_CONFIRMATION', message: expect.stringContaining('rolled back after') });
    approvePlan(p, id);
    await use(client, 'plan_apply', { id });
    expect(contents(p)).toEqual(NAMES.map(() => wanted));
  });
});

it('answers with what a plan breaks elsewhere, the worst first, until a revision keeps it whole', async () => {
  const p = project();
  p.write('src/price.ts', 'export const price = 1;\n');
  for (let nth = 1; nth <= 12; nth++) {
    p.write(`src/use${nth}.ts`, "import { price } from './price';\n\nexport const total = price;\n");
  }
  const client = await connect(p, REVISION);
  const files = (content: string) => [{ file_path: 'src/price.ts', edits: [{ op: 'write', content }] }];
  const proposed = await use(client, 'plan_propose', { files: files('export const cost = 1;\n'), intent: 'Rename' });
  const { id, findings, more_findings: more, next } = proposed.data;
  expect(findings).toHaveLength(10);
  expect(findings).toContainEqual(expect.stringMatching(/^breaks src\/use1\.ts:1: .*price/));
  expect(more).toBe(2);
  expect(next).toMatch(/^It breaks other code\. Fix that with plan_revise\. Nothing is applied yet\./);
  expect(proposed.text).toContain('  2 more findings\n');
  const both = files('export const cost = 1;\nexport const price = cost;\n');
  const revised = await use(client, 'plan_revise', { id, files: both });
  expect(revised.data).not.toHaveProperty('findings');
  expect(revised.data).not.toHaveProperty('notes');
  expect(revised.data['next']).toMatch(/^Nothing is applied yet\./);
});

it('a plan is proposed with phases, which are applied in their order', async () => {
  const p = projectOf12();
  const client = await connect(p, REVISION);
  const [first = '', second = ''] = NAMES;
  const phases = [
    { name: 'second file', paths: [second] },
    { name: 'others', paths: ['src'] },
  ];
  const { data } = await use(client, 'plan_propose', { files: edits('LAST'), intent: 'x', phases });
  const id = String(data['id']);
  expect(data).toMatchObject({ phases: [{ name: 'second file' }, { name: 'others' }] });
  approvePlan(p, id);
  expect((await use(client, 'plan_apply', { id })).data).not.toHaveProperty('left');
  expect(JSON.parse(p.ok('list', '--json').stdout).checkpoints.slice(0, 2)).toMatchObject([
    { trigger: 'apply', totals: { files: 11 } },
    { trigger: 'apply', totals: { files: 1 } },
  ]);
  const twice = [...phases, { name: 'again', paths: [first] }];
  const refused = await refusalOf(client, 'plan_propose', { files: edits('more'), intent: 'x', phases: twice });
  expect(refused.code).toMatch(/^(?:USAGE|EDITS_REFUSED)$/);
});

it('a revision after the approval needs another one', async () => {
  const p = projectOf12();
  const client = await connect(p, REVISION);
  const { data } = await use(client, 'plan_propose', { files: edits('LAST'), intent: 'x' });
  approvePlan(p, String(data['id']));
  await use(client, 'plan_revise', { id: data['id'], files: edits('more') });
  const refused = await refusalOf(client, 'plan_apply', { id: data['id'] });
  expect(refused.message).toContain('is not what was approved');
  expect(p.read(NAMES[0] ?? '')).toBe(LINES.join(''));
});

it('a patch of many files is a plan, too; what changed meanwhile is a conflict, or is merged', async () => {
  const p = project();
  p.write('a.txt', LINES.join(''));
  const client = await connect(p, REVISION);
  const patch = [
    '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n line 1\n-line 2\n+TWO\n line 3\n',
    '--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n',
  ].join('');
  const { data } = await use(client, 'plan_propose', { patch, intent: 'Two files' });
  expect(data).toMatchObject({ files: 2 });
  expect((await use(client, 'plan_status', { id: data['id'], patch: true })).text).toContain('+TWO');
  approvePlan(p, String(data['id']));
  const later = LINES.with(29, 'mine\n');
  p.write('a.txt', later.join(''));
  expect((await refusalOf(client, 'plan_apply', { id: data['id'] })).code).toBe('CONFLICT');
  await use(client, 'plan_apply', { id: data['id'], rebase: true });
  expect([p.read('a.txt'), p.read('new.txt')]).toEqual([later.with(1, 'TWO\n').join(''), 'new\n']);
});

it('checks run only if a person trusts them, and a plan that breaks one is not applied', async () => {
  const p = project();
  const checks = { bad: { command: ['sh', '-c', '! grep -n bad a.txt'], kind: 'lint', format: 'lines' } };
  p.write('.savepoint.json', JSON.stringify({ checks }));
  p.write('a.txt', 'good\n');
  const client = await connect(p, REVISION);
  const to = (content: string) => ({ files: [{ file_path: 'a.txt', edits: [{ op: 'write', content }] }] });
  const { data } = await use(client, 'plan_propose', { ...to('bad\n'), intent: 'Try it' });
  const id = String(data['id']);
  const untrusted = (await use(client, 'plan_check', { id })).data;
  expect(untrusted).toMatchObject({
    checks: [],
    next: expect.stringContaining('the user has not trusted these: bad.'),
  });
  p.ok('trust', '--yes');
  const checked = await use(client, 'plan_check', { id });
  expect(checked.data).toMatchObject({ id, checks: [{ name: 'bad', comparison: 'worse' }] });
  expect(checked.data['next']).toContain('plan_revise');
  approvePlan(p, id);
  const refused = await refusalOf(client, 'plan_apply', { id });
  expect(refused.code).toBe('CHECKS_FAILED');
  expect((await refusalOf(client, 'plan_apply', { id, override: 'I want it' })).code).toBe('USAGE');
  await use(client, 'plan_revise', { id, ...to('better\n') });
  expect((await use(client, 'plan_check', { id })).data).toMatchObject({ checks: [{ comparison: 'ok' }] });
  // A plan that changes what a check runs needs trust of its own.
  const other = { checks: { bad: { ...checks.bad, command: ['sh', '-c', 'touch ../ran'] } } };
  const files = [{ file_path: '.savepoint.json', edits: [{ op: 'write', content: JSON.stringify(other) }] }];
  await use(client, 'plan_revise', { id, files });
  expect((await use(client, 'plan_check', { id })).data).toMatchObject({ checks: [], not_run: ['bad'] });
  expect(p.has('../ran')).toBe(false);
});

it('no tool approves, overrides or trusts, and hostile input changes nothing', async () => {
  const p = project();
  p.write('a.txt', 'one\n');
  p.checkpoint();
  const client = await connect(p, REVISION);
  const { tools } = await client.listTools();
  expect(JSON.stringify(tools.map(({ inputSchema }) => inputSchema))).not.toMatch(
    /"(?:approve|decisions|override|trust|validate|words|policy)":/,
  );
  const create = { op: 'create', content: 'x' };
  const codeOf = async (name: string, args: Record<string, unknown>) => (await refusalOf(client, name, args)).code;
  const proposing = (more: object) => codeOf('plan_propose', { intent: 'x', ...more });
  for (const file_path of ['../out.txt', '/etc/passwd', '.git/config', 'a\0b', '']) {
    expect([file_path, await proposing({ files: [{ file_path, edits: [create] }] })]).toEqual([
      file_path,
      expect.stringMatching(/^(?:EDITS_REFUSED|USAGE|PATH_REFUSED)$/),
    ]);
  }
  for (const more of [
    {},
    { files: [] },
    { files: [{ file_path: 'a.txt' }] },
    { files: [{ file_path: 'a.txt', edits: [{ op: 'rm' }] }] },
    { files: [{ file_path: 'b.txt', edits: [create] }], patch: 'x' },
    { files: [{ file_path: 'b.txt', edits: [create] }], approve: 'any' },
    { branch: 'main' },
    { patch: 'nonsense' },
  ]) {
    expect([more, await proposing(more)]).toEqual([more, expect.stringMatching(/^(?:USAGE|EDITS_REFUSED)$/)]);
  }
  const outside = '--- /dev/null\n+++ b/../../out.txt\n@@ -0,0 +1 @@\n+x\n';
  expect(await proposing({ patch: outside })).toMatch(/^(?:USAGE|EDITS_REFUSED|PATH_REFUSED)$/);
  for (const id of ['plan_00000000', '../../x', '', 'last', '__proto__']) {
    for (const tool of ['plan_status', 'plan_apply', 'plan_check']) {
      expect([tool, id, await codeOf(tool, { id })]).toEqual([tool, id, 'UNKNOWN_PLAN']);
    }
  }
  expect(await codeOf('plan_apply', { id: 'x'.repeat(1000) })).toBe('USAGE');
  expect((await use(client, 'plan_status')).data).toEqual({ plans: [] });

  const inGit = { files: [{ file_path: 'new/.GIT/config', edits: [create] }], intent: 'x' };
  expect(await codeOf('plan_propose', inGit)).toBe('EDITS_REFUSED');

  // Long and unsafe text is cut and escaped.
  const content = `${'long '.repeat(20)}\n`.repeat(20_000);
  const files = Array.from({ length: 400 }, (_, index) => ({
    file_path: `${'n'.repeat(100)}\u001b[2J${index}`,
    edits: [create],
  }));
  const intent = `red\u001b[31m${'y'.repeat(20_000)}`;
  const { data, text } = await call(client, 'plan_propose', {
    files: [...files, { file_path: 'a.txt', edits: [{ op: 'write', content }] }],
    intent,
  });
  expect(data).toMatchObject({ status: 'pending', files: 401, left_out: expect.anything() });
  expect(JSON.stringify(data).length).toBeLessThan(68 * 1024);
  expect(text.length).toBeLessThan(33 * 1024);
  expect(text).not.toContain('\u001b');
  expect(p.read('a.txt')).toBe('one\n');
});
