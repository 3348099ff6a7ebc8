/** Plans that an agent applies over MCP without a review, because a person set a policy that allows it. */

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Project, project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';
import { type Answer, call, connect } from './mcp-server.ts';
import { approvePlan } from './plan-approval.ts';

const CHECKS = { own: { command: ['sh', '-c', '! grep -n bad a.txt b.txt'], kind: 'lint', format: 'lines' } };
const AGENT = { env: { CLAUDECODE: '1' } };

type Client = Awaited<ReturnType<typeof connect>>;

function trusted(): Project {
  const p = project();
  p.write('.savepoint.json', JSON.stringify({ checks: CHECKS }));
  p.write('a.txt', 'a\n');
  p.write('b.txt', 'b\n');
  p.ok('trust', '--yes');
  return p;
}

const writing = (content: string, ...names: readonly string[]) => ({
  files: names.map((file_path) => ({ file_path, edits: [{ op: 'write', content }] })),
});

async function propose(client: Client, changes: object): Promise<string> {
  return String((await call(client, 'plan_propose', { ...changes, intent: 'Try it' })).data['id']);
}

const apply = (client: Client, id: string): Promise<Answer> => call(client, 'plan_apply', { id });

async function why(client: Client, id: string): Promise<string> {
  const { error } = await apply(client, id);
  expect(error).toMatchObject({ code: 'NEEDS_CONFIRMATION' });
  return error.message;
}

function policyFile(p: Project): string | undefined {
  const stores = join(p.store, 'workspaces');
  const found = (readdirSync(stores, { recursive: true }) as readonly string[]).find((name) =>
    /^\w+\/plan-policy\.json$/.test(name),
  );
  return found === undefined ? undefined : join(stores, found);
}

it('applies what the checks found good, and says that no person looked at it', async () => {
  const p = trusted();
  const client = await connect(p, '2025-11-25');
  const id = await propose(client, writing('good\n', 'a.txt'));
  await call(client, 'plan_check', { id });
  expect(await why(client, id)).toBe(`${id} is not approved.`);

  const set = JSON.parse(p.ok('plan', 'policy', 'checked', '--max-files', '1', '--json').stdout);
  expect(set).toMatchObject({ apply: 'checked', checks: ['own'], maxFiles: 1 });
  expect(p.ok('plan', 'policy').stdout).toContain('these checks found nothing new: own');
  expect((await apply(client, id)).data).toMatchObject({ outcome: 'done' });
  expect(p.read('a.txt')).toBe('good\n');
  expect(JSON.parse(p.ok('plan', 'show', id, '--json').stdout)).toMatchObject({
    status: 'applied',
    approval: { by: { kind: 'user' }, by_policy: true },
  });
  expect(p.ok('plan', 'show', id).stdout).toContain('approved by the policy of user');
  const seen = await call(client, 'plan_status', { id });
  expect(seen.data).toMatchObject({ status: 'applied', approved_by: 'a policy of the user' });
  expect(seen.text).toContain('Approved by a policy of the user.');

  // A person who rolled it back wants to be asked.
  p.ok('plan', 'rollback', id, '--yes');
  await call(client, 'plan_check', { id });
  expect(await why(client, id)).toContain('it was rolled back before');
  approvePlan(p, id);
  expect((await apply(client, id)).data).toMatchObject({ outcome: 'done' });
  p.ok('plan', 'policy', 'approved');
  expect(p.ok('plan', 'policy').stdout).toBe('Agents apply only plans that a person approved.\n');
});

it('does not apply what was not checked, is not good, is large, or is under review', async () => {
  const p = trusted();
  p.ok('plan', 'policy', 'checked', '--max-files', '1');
  const client = await connect(p, '2025-11-25');
  const id = await propose(client, writing('bad\n', 'a.txt'));
  expect(await why(client, id)).toBe(
    `${id} is not approved. The policy of the user does not allow it either: not checked by own.`,
  );
  await call(client, 'plan_check', { id });
  expect(await why(client, id)).toContain('new failures, or no answer, of own');

  await call(client, 'plan_revise', { id, ...writing('good\n', 'a.txt', 'b.txt') });
  expect(await why(client, id)).toContain('it changes 2 paths, and at most 1 may be');
  await call(client, 'plan_revise', { id, ...writing('good\n', 'a.txt') });
  expect(await why(client, id)).toContain('not checked by own');
  await call(client, 'plan_check', { id });
  p.ok('comment', 'add', 'a.txt:1', '--plan', id, 'Better');
  expect(await why(client, id)).toContain('the user commented on it');
  p.ok('comment', 'delete', 'last');
  p.ok('plan', 'revise', id, '-m', 'Say more');
  expect(await why(client, id)).toContain('the user asked for changes of it');
  await call(client, 'plan_revise', { id, ...writing('good and more\n', 'a.txt') });
  await call(client, 'plan_check', { id });
  // No checkpoint has this yet.
  p.write('b.txt', 'of somebody else\n');
  expect(await why(client, id)).toBe(`${id} is not approved, and the folder changed since its checks ran.`);
  expect([p.read('a.txt'), p.read('b.txt')]).toEqual(['a\n', 'of somebody else\n']);
  await call(client, 'plan_check', { id });
  expect((await apply(client, id)).data).toMatchObject({ outcome: 'done' });
});

it('is asked at each phase: not if it ended, or the folder changed, since the phase before', async () => {
  const p = trusted();
  const client = await connect(p, '2025-11-25');
  const lines = (first: string, last: string): string => [first, ...'12345678', last, ''].join('\n');
  const phases = [
    { name: 'A', paths: ['a.txt'] },
    { name: 'B', paths: ['b.txt'] },
  ];
  /** Phase A is applied, and B waits, because it has to be merged. */
  const halfApplied = async (): Promise<string> => {
    p.ok('plan', 'policy', 'checked');
    p.write('a.txt', 'a\n');
    p.write('b.txt', lines('b', 'b'));
    const files = [
      { file_path: 'a.txt', edits: [{ op: 'write', content: 'good\n' }] },
      { file_path: 'b.txt', edits: [{ op: 'write', content: lines('good', 'b') }] },
    ];
    const id = await propose(client, { files, phases });
    p.write('b.txt', lines('b', 'of the user'));
    await call(client, 'plan_check', { id });
    await apply(client, id);
    expect([p.read('a.txt'), p.read('b.txt')]).toEqual(['good\n', lines('b', 'of the user')]);
    return id;
  };
  const rest = (id: string): Promise<Answer> => call(client, 'plan_apply', { id, rebase: true });

  const allowed = await halfApplied();
  expect((await rest(allowed)).data).toMatchObject({ outcome: 'done' });
  expect(p.read('b.txt')).toBe(lines('good', 'of the user'));

  const ended = await halfApplied();
  p.ok('plan', 'policy', 'approved');
  expect((await rest(ended)).error).toMatchObject({ code: 'NEEDS_CONFIRMATION' });

  const moved = await halfApplied();
  p.write('a.txt', 'changed since\n');
  expect((await rest(moved)).error.message).toContain('the folder changed since its checks ran');
  expect(p.read('b.txt')).toBe(lines('b', 'of the user'));
});

it('asks about the paths of a plan that a person rejected, cancelled, commented on or rolled back', async () => {
  const p = trusted();
  p.ok('plan', 'policy', 'checked');
  const client = await connect(p, '2025-11-25');
  let content = 0;
  const again = async (...names: readonly string[]): Promise<string> => {
    const id = await propose(client, writing(`good ${content++}\n`, ...names));
    await call(client, 'plan_check', { id });
    return id;
  };
  /** A person approves and applies one, which settles it. */
  const settle = async (): Promise<void> => {
    const id = await again('a.txt');
    expect(await why(client, id)).toContain('a.txt is in');
    approvePlan(p, id);
    expect((await apply(client, id)).data).toMatchObject({ outcome: 'done' });
  };
  const of = ['a.txt', 'b.txt'];
  p.ok('plan', 'revise', await again(...of), '-m', 'No');
  expect((await apply(client, await again('c.txt'))).data).toMatchObject({ outcome: 'done' });
  expect(await why(client, await again('a.txt'))).toContain('which the user asked for changes of');
  await settle();
  expect((await apply(client, await again('a.txt'))).data).toMatchObject({ outcome: 'done' });
  expect(await why(client, await again('b.txt'))).toContain('b.txt is in');

  p.ok('plan', 'review', await again(...of), '--reject', 'a.txt');
  expect(await why(client, await again('a.txt'))).toContain('which the user rejected there');
  await settle();
  p.ok('plan', 'cancel', await again('a.txt'));
  expect(await why(client, await again('a.txt'))).toContain('which the user cancelled');
  await settle();
  const applied = await again('a.txt');
  await apply(client, applied);
  p.ok('plan', 'rollback', applied, '--yes');
  expect(await why(client, await again('a.txt'))).toContain('which was rolled back');
  await settle();
});

it('only a person can set it: no agent in a shell, no tool, no file of the project', async () => {
  const p = trusted();
  const refused = p.run(['plan', 'policy', 'checked'], AGENT);
  expect([refused.status, refused.stderr]).toEqual([
    1,
    expect.stringContaining('Only a person may run `savepoint plan policy`'),
  ]);
  expect(policyFile(p)).toBeUndefined();
  const policy = { format: 1, checks: ['own'], maxFiles: 20, since: new Date().toISOString() };
  const inProject = { checks: CHECKS, plans: { apply_over_mcp: 'checked' }, plan_policy: policy };
  p.write('.savepoint.json', JSON.stringify(inProject));
  p.write('plan-policy.json', JSON.stringify(policy));
  const client = await connect(p, '2025-11-25');
  const { tools } = await client.listTools();
  expect(JSON.stringify(tools.map(({ name, inputSchema }) => [name, inputSchema]))).not.toContain('policy');
  const id = await propose(client, writing('good\n', 'a.txt'));
  expect((await call(client, 'plan_check', { id })).data).toMatchObject({ checks: [{ comparison: 'ok' }] });
  expect(await why(client, id)).toBe(`${id} is not approved.`);

  // It holds for tools, not for the shell of an agent.
  p.ok('plan', 'policy', 'checked');
  expect(p.run(['plan', 'apply', id, '--yes'], AGENT).stderr).toContain(`${id} is not approved.`);
  // A project that leaves out its checks does not get around it.
  p.write('.savepoint.json', JSON.stringify({ checks: { own: false } }));
  const other = await propose(client, writing('good\n', 'b.txt'));
  await call(client, 'plan_check', { id: other });
  expect(await why(client, other)).toContain('not checked by own');
  expect([p.read('a.txt'), p.read('b.txt')]).toEqual(['a\n', 'b\n']);
  // Damage allows nothing.
  writeFileSync(policyFile(p) ?? '', '{');
  expect((await apply(client, id)).error).toMatchObject({ code: 'STORE_DAMAGED' });
  expect(p.run(['verify']).stdout).toContain('plan-policy.json');
  p.ok('repair');
  expect(policyFile(p)).toBeUndefined();
  expect(await why(client, id)).toBe(`${id} is not approved.`);
});

it('needs checks that a person trusts', () => {
  const p = project();
  expect(p.run(['plan', 'policy', 'checked']).stderr).toContain('No checks were found');
  p.write('.savepoint.json', JSON.stringify({ checks: CHECKS }));
  expect(p.run(['plan', 'policy', 'checked']).stderr).toContain('are not trusted');
  p.ok('trust', '--yes');
  expect(p.run(['plan', 'policy', 'checked', '--check', 'none']).stderr).toContain('There is no check "none"');
  expect(p.run(['plan', 'policy', 'any']).status).toBe(2);
  expect(p.run(['plan', 'policy', 'approved', '--max-files', '3']).status).toBe(2);
});
