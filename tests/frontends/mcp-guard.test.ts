import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { call, connect, missingInText } from './mcp-server.ts';

/** The tool `guard`: a client does steps by itself, and they are taken back if they break a check. */

const CHECKS = { sums: { command: ['sh', 'sums.sh'], kind: 'tests', format: 'lines' } };
const TEST = '. ./lib.sh\nsum=$(add 1 2)\n[ "$sum" = 3 ] || { echo "FAIL add: $sum is not 3"; exit 1; }\n';
const LIB = 'add() { echo $(($1 + $2)); }\n\n# one\n# two\n# three\n\n# notes\n';
const BROKEN = LIB.replace('$1 +', '$1 -');
const REVISION = '2025-11-25';

function checkedProject({ isTrusted = true } = {}): Project {
  const p = project();
  p.write('.savepoint.json', JSON.stringify({ checks: CHECKS }));
  p.write('sums.sh', TEST);
  p.write('lib.sh', LIB);
  p.ok('checkpoint', '-m', 'start');
  if (isTrusted) p.ok('trust', '--yes');
  return p;
}

type Client = Awaited<ReturnType<typeof connect>>;

async function guard(client: Client, since?: unknown) {
  const answer = await call(client, 'guard', { checks: ['sums'], ...(since === undefined ? {} : { since }) });
  expect(answer.error).toBeNull();
  expect(missingInText(answer)).toEqual([]);
  return answer;
}

/** An event of Claude Code's hooks, from the process of this test. */
function hook(p: Project, native: string, tool: string, input: object, id: string): void {
  const event = { session_id: 's', cwd: p.dir, hook_event_name: native, tool_name: tool, tool_input: input };
  const env = { SAVEPOINT_HOOK_PARENT: String(process.pid) };
  p.run(['hook', 'claude'], { input: JSON.stringify({ ...event, tool_use_id: id }), env });
}

describe('a client without hooks', () => {
  it('gets its steps back if they break a check, with the failures; what a person had stays', async () => {
    const p = checkedProject();
    const client = await connect(p, REVISION);
    p.write('mine.txt', 'mine\n');
    const begun = await guard(client);
    expect(begun.data).toMatchObject({ outcome: 'begun', since: expect.stringMatching(/^cp_/) });
    // One step with a tool of its own, one with a tool of this server.
    p.write('lib.sh', BROKEN);
    await call(client, 'write_file', { file_path: 'new.txt', content: 'new\n' });
    const ended = await guard(client, begun.data['since']);
    expect(ended.data).toMatchObject({
      outcome: 'taken-back',
      new_failures: [{ check: 'sums', shown: 'FAIL add: -1 is not 3' }],
      taken_back_by: expect.stringMatching(/^cp_/),
    });
    expect([p.read('lib.sh'), p.has('new.txt'), p.read('mine.txt')]).toEqual([LIB, false, 'mine\n']);
    const { checkpoints } = JSON.parse(p.ok('list', '--json').stdout);
    expect(checkpoints[0].description).toMatch(/^Guard: 1 new failure of sums\. Rolled back 2 changes of test-client/);
    p.ok('undo', '--yes');
    expect([p.read('lib.sh'), p.read('new.txt')]).toEqual([BROKEN, 'new\n']);
  });

  it('keeps good steps, and ends them: later changes are not its own', async () => {
    const p = checkedProject();
    const client = await connect(p, REVISION);
    const { data } = await guard(client);
    p.write('lib.sh', `${LIB}# more\n`);
    expect((await guard(client, data['since'])).data).toMatchObject({ outcome: 'good' });
    p.write('lib.sh', BROKEN);
    const { error } = await call(client, 'guard', { checks: ['sums'], since: data['since'] });
    expect(error.code).toBe('USAGE');
    expect(p.read('lib.sh')).toBe(BROKEN);
    p.ok('checkpoint');
    const { changes } = JSON.parse(p.ok('history', '--json', '--file', 'lib.sh').stdout);
    const names = changes.map((one: { authors: { actor: { name: string } }[] }) => one.authors[0]?.actor.name);
    expect(names.slice(0, 2)).toEqual(['outside', 'test-client']);
  });
});

describe('a client with hooks', () => {
  it('gets back what its session changed, and nothing else', async () => {
    const p = checkedProject();
    const client = await connect(p, REVISION, { name: 'claude-code' });
    hook(p, 'PreToolUse', 'mcp__savepoint__guard', { checks: ['sums'] }, 'g1');
    const { data } = await guard(client);
    hook(p, 'PostToolUse', 'mcp__savepoint__guard', { checks: ['sums'] }, 'g1');
    const edit = { file_path: `${p.dir}/lib.sh`, content: BROKEN };
    hook(p, 'PreToolUse', 'Write', edit, 't1');
    p.write('lib.sh', BROKEN);
    hook(p, 'PostToolUse', 'Write', edit, 't1');
    p.write('lib.sh', BROKEN.replace('# notes', '# notes of a person'));
    const again = { checks: ['sums'], since: data['since'] };
    hook(p, 'PreToolUse', 'mcp__savepoint__guard', again, 'g2');
    expect((await guard(client, data['since'])).data).toMatchObject({ outcome: 'taken-back' });
    expect(p.read('lib.sh')).toBe(LIB.replace('# notes', '# notes of a person'));
  });
});

describe('what only a person may decide', () => {
  it('checks that are not trusted do not run, and no tool trusts them', async () => {
    const p = checkedProject({ isTrusted: false });
    const client = await connect(p, REVISION);
    const { error } = await call(client, 'guard', { checks: ['sums'] });
    expect(error).toMatchObject({ code: 'NEEDS_CONFIRMATION', hint: expect.stringContaining('person') });
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('trust');
    // A check that the agent changed after it was trusted.
    p.ok('trust', '--yes');
    await call(client, 'write_file', { file_path: 'escaped.sh', content: 'echo > /dev/null\n' });
    const other = JSON.stringify({ checks: { sums: { ...CHECKS.sums, command: ['sh', 'escaped.sh'] } } });
    await call(client, 'write_file', { file_path: '.savepoint.json', content: other });
    expect((await call(client, 'guard', { checks: ['sums'] })).error).toMatchObject({
      code: 'NEEDS_CONFIRMATION',
    });
  });

  it('checks do not run outside of the sandbox of an agent, unless a person allowed it', async () => {
    const p = checkedProject();
    const client = await connect(p, REVISION, { name: 'codex-mcp-client' });
    const { error } = await call(client, 'guard', { checks: ['sums'] });
    expect(error).toMatchObject({
      code: 'NEEDS_CONFIRMATION',
      message: expect.stringContaining('sandbox'),
    });
    p.ok('guard', 'on', '--check', 'sums', '--outside-sandbox');
    expect((await guard(client)).data).toMatchObject({ outcome: 'begun' });
  });

  it('a person guards a command instead', () => {
    const p = checkedProject();
    const done = p.run(['guard', 'steps', '--check', 'sums']);
    expect(done.status).toBe(2);
    expect(done.stderr).toContain('savepoint guard --check NAME -- COMMAND');
  });
});
