import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { pathToFileURL } from 'node:url';
import { project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';

/** `savepoint install`, `hook` and `status` through the built command, as an agent's shell runs it. */

it('the command that install writes is executed, and status reports it', () => {
  const p = project();
  fs.mkdirSync(p.at('.claude'));
  p.write('.claude/settings.local.json', '{\n  "model": "m" // mine\n}\n');
  const installed = p.run(['install', 'claude']);
  expect(installed).toMatchObject({ status: 0, stderr: '' });
  expect(installed.stdout.split('\n')).toEqual([
    `changed: ${p.at('.claude/settings.local.json')}  (backup: ${p.at('.claude/settings.local.json.before-savepoint')})`,
    ...['checkpoint', 'rewind', 'undo', 'redo'].map(
      (name) => `new file: ${p.at(`.claude/commands/savepoint/${name}.md`)}`,
    ),
    'Installed hooks for Claude Code (project settings).',
    'Type these commands at its prompt: /savepoint:checkpoint, /savepoint:rewind, /savepoint:undo, /savepoint:redo.',
    'Next: restart Claude Code if it is running. `savepoint status` then shows whether the hooks arrive.',
    '',
  ]);
  expect(p.run(['status']).stdout).toContain('hooks have not fired yet');
  const settings = p.read('.claude/settings.local.json').replace(' // mine', '');
  const { command } = JSON.parse(settings).hooks.PreToolUse[0].hooks[0] as { command: string };
  const say = (event: object): string =>
    execFileSync('sh', ['-c', command], {
      cwd: '/',
      env: p.environment({}) as NodeJS.ProcessEnv,
      input: JSON.stringify({ session_id: 's', cwd: p.dir, ...event }),
    }).toString();
  const call = { tool_name: 'Write', tool_input: { file_path: p.at('a.txt') }, tool_use_id: 't' };
  expect(say({ hook_event_name: 'PreToolUse', ...call })).toBe('');
  p.write('a.txt', 'x\n');
  expect(say({ hook_event_name: 'PostToolUse', ...call })).toBe('');
  const listed = JSON.parse(p.run(['list', '--json']).stdout);
  expect(listed.checkpoints[0]).toMatchObject({ toolCall: 't', session: 's', actor: { name: 'claude' } });
  expect(p.run(['status']).stdout).toMatch(/claude: hooks installed \(project.*\n {2}last fired .* \(PostToolUse in /);
  expect(p.run(['uninstall', 'claude']).status).toBe(0);
  expect(p.read('.claude/settings.local.json')).toBe('{\n  "model": "m" // mine\n}\n');
});

it('install shows the content with --dry-run only, and its diff in JSON', () => {
  const p = project();
  const dry = p.run(['install', 'claude', '--dry-run']);
  expect(dry.stdout).toMatch(
    /^new file: .*settings\.local\.json\n {2}@@ .*\n(?:(?: {2}[+@]|new file: ).*\n)+Nothing was written \(--dry-run\)\.\n$/,
  );
  const { changes } = JSON.parse(p.run(['install', 'claude', '--json']).stdout);
  expect(changes).toMatchObject([
    { change: 'create', diff: expect.stringContaining('+  "hooks": {') },
    ...Array.from({ length: 4 }, () => ({ change: 'create', path: expect.stringMatching(/\.md$/) })),
  ]);
});

it.skipIf(process.platform === 'win32')(
  'a home that others can read is named by install, hooks, status and history',
  () => {
    const p = project();
    fs.mkdirSync(p.at('.claude'));
    const home = `${p.base}/open`;
    fs.mkdirSync(home);
    fs.chmodSync(home, 0o755);
    const env = { SAVEPOINT_HOME: home, SAVEPOINT_DAEMON: 'off' };
    const input = JSON.stringify({ session_id: 's', cwd: p.dir, hook_event_name: 'SessionStart', source: 'startup' });
    const unsafe = `Other users can access the store ${home} (mode 0755).`;
    expect(p.run(['hook', 'claude'], { env, input })).toMatchObject({ status: 0, stdout: '' });
    for (const command of ['install claude', 'status', 'history', 'list', 'sessions']) {
      const { status, stderr } = p.run(command.split(' '), { env });
      expect([command, status, stderr.includes(unsafe) && stderr.includes('chmod 700')]).toEqual([command, 1, true]);
    }
    expect(p.has('.claude/settings.local.json')).toBe(false);
    fs.chmodSync(home, 0o700);
    expect(p.run(['install', 'claude'], { env }).status).toBe(0);
    expect(p.run(['status'], { env }).stdout).toContain(`(SessionStart): ${unsafe}`);
  },
);

it('status shows a failure of a hook until another event is handled, and not only until one is ignored', () => {
  const p = project();
  p.run(['install', 'claude']);
  const hook = (event: object) => p.run(['hook', 'claude'], { input: JSON.stringify({ session_id: 's', ...event }) });
  expect(hook({ hook_event_name: 'SessionStart', cwd: 'not/absolute', source: 'startup' }).stderr).not.toBe('');
  expect(p.run(['status']).stdout).toContain('last failed');
  expect(hook({ hook_event_name: 'Notification', cwd: p.dir }).stderr).toBe('');
  expect(p.run(['status']).stdout).toContain('last failed');
  expect(hook({ hook_event_name: 'SessionStart', cwd: p.dir, source: 'startup' }).stderr).toBe('');
  expect(p.run(['status']).stdout).not.toContain('last failed');
});

it('status does not say that a file was written which was only announced', () => {
  const p = project();
  p.run(['install', 'claude']);
  const input = { file_path: `${p.base}/out.txt`, content: 'x' };
  const event = { hook_event_name: 'PreToolUse', cwd: p.dir, tool_name: 'Write', tool_use_id: 't', tool_input: input };
  p.run(['hook', 'claude'], { input: JSON.stringify({ session_id: 's', ...event }) });
  expect(p.run(['status']).stdout).toContain(`${p.base}/out.txt, which this agent wrote or was about to write (`);
});

it('the plugin for opencode reports calls, except read-only ones', async () => {
  const p = project();
  expect(p.run(['install', 'opencode']).status).toBe(0);
  fs.copyFileSync(p.at('.opencode/plugin/savepoint.js'), `${p.base}/plugin.mjs`);
  const play = `
    const { Savepoint } = await import(${JSON.stringify(pathToFileURL(`${p.base}/plugin.mjs`).href)});
    const hooks = await Savepoint({ directory: ${JSON.stringify(p.dir)} });
    const { writeFileSync } = await import('node:fs');
    await hooks.event({ event: { type: 'session.created', properties: { info: { id: 'ses_1' } } } });
    await hooks.event({ event: { type: 'session.created', properties: { info: { id: 'ses_2', parentID: 'ses_1' } } } });
    await hooks['chat.message']({ sessionID: 'ses_1' }, { message: { id: 'm' }, parts: [{ type: 'text', text: 'Go.' }] });
    await hooks['tool.execute.before']({ tool: 'read', sessionID: 'ses_1', callID: 'r' }, { args: {} });
    const about = { tool: 'write', sessionID: 'ses_2', callID: 'c' };
    const args = { filePath: ${JSON.stringify(p.at('b.txt'))}, content: 'x' };
    await hooks['tool.execute.before'](about, { args });
    writeFileSync(args.filePath, 'x');
    await hooks['tool.execute.after']({ ...about, args }, { title: '', output: '', metadata: {} });
  `;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', play], {
    env: p.environment({}) as NodeJS.ProcessEnv,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  const { checkpoints } = JSON.parse(p.run(['list', '--json', '--all']).stdout);
  expect(
    checkpoints.map(({ trigger, session, actor }: never) => [trigger, session, (actor as { id: string }).id]),
  ).toEqual([
    ['call', 'ses_1', 'ses_2'],
    ['prompt', 'ses_1', null],
    ['session', 'ses_1', null],
  ]);
});

it('install shows its changes to existing settings, and uninstall shows their removal', () => {
  const p = project();
  p.write('.claude/settings.local.json', '{\n  "model": "m"\n}\n');
  const shown = p.run(['install', 'claude', '--dry-run']).stdout;
  expect(shown).toMatch(/^ {2}-.*"model": "m"$/m);
  expect(shown).toMatch(/^ {2}\+ {4}"SessionStart": \[$/m);
  p.run(['install', 'claude']);
  expect(p.run(['uninstall', 'claude', '--dry-run']).stdout).toMatch(/^ {2}- {4}"SessionStart": \[$/m);
});

it('an unknown agent is refused with a list of the supported ones', () => {
  const p = project();
  expect(p.run(['install', 'nobody'])).toMatchObject({ status: 2 });
  expect(p.run(['install', 'nobody']).stderr).toContain('Supported agents: claude, gemini, codex');
  expect(p.run(['install', 'claude', '--project', '--user']).status).toBe(2);
});
