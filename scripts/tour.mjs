#!/usr/bin/env node
// @ts-check
/**
 * A guided tour (`npm start`). In a throw-away copy of this project with its own store, an "agent" wrecks the files and
 * Savepoint restores them. An independent walk without any Savepoint code then checks that every byte, mode and link is
 * back. The exit status is 0 only if so. Nothing outside one temporary folder is written.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyProject } from './tour/copy.mjs';
import { difference, walk } from './tour/walk.mjs';

const TOP = fileURLToPath(new URL('..', import.meta.url));
const BINARY = join(TOP, 'packages/cli/bundle/savepoint.js');
const AGENT = join(TOP, 'scripts/tour/agent.sh');

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'savepoint-tour-')));
const project = join(folder, 'project');
const env = { ...process.env, SAVEPOINT_HOME: join(folder, 'checkpoints'), PWD: project };

/** @param {string} text */
const say = (text) => console.log(`\n${text}`);

/** Runs the real command, as a person would, and shows its output. @param {...string} args */
function savepoint(...args) {
  console.log(`\n$ savepoint ${args.map((arg) => (arg.includes(' ') ? `"${arg}"` : arg)).join(' ')}`);
  const { status } = spawnSync(process.execPath, [BINARY, ...args], {
    cwd: project,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error(`savepoint ${args[0]} exited with status ${status}`);
}

/**
 * @param {string} what
 * @param {Map<string, string>} wanted
 */
function prove(what, wanted) {
  const wrong = difference(wanted, walk(project));
  if (wrong.length > 0) throw new Error(`${what}: ${wrong.length} paths differ, the first is ${wrong[0]}`);
  console.log(`✓ ${what}: all ${wanted.size} paths are equal in every byte, mode and link, .git included`);
}

function tour() {
  const count = copyProject(TOP, project);
  // Files that git does not track are the ones people miss most.
  mkdirSync(join(project, 'notes/empty'), { recursive: true });
  writeFileSync(join(project, 'notes/idea.txt'), 'not committed, not even tracked\r\n');
  writeFileSync(join(project, '.env'), 'TOKEN=do-not-lose-me\n');
  writeFileSync(join(project, 'secret.key'), 'private\n', { mode: 0o600 });
  writeFileSync(join(project, 'data.bin'), Buffer.from([0, 255, 13, 10, 0, 128]));
  chmodSync(join(project, 'data.bin'), 0o444);
  symlinkSync('LICENSE', join(project, 'current'));
  say(`This tour uses a copy of this project in ${project}: ${count} files, and some that git does not track.`);

  const before = walk(project);
  savepoint('checkpoint', '-m', 'before the agent');

  say('An "agent" runs a shell script (scripts/tour/agent.sh) …');
  execFileSync('sh', [AGENT], { cwd: project, stdio: 'inherit' });
  const wrecked = walk(project);
  console.log(`… and changed ${difference(before, wrecked).length} paths.`);
  savepoint('diff', '--stat', '--', 'package.json', 'notes', '.env', 'current', 'LICENSE', 'data.bin', '.github');
  savepoint('restore', 'last', '--yes');
  prove('after the restore', before);

  say('Every restore can be undone, and every undo can be redone.');
  savepoint('undo');
  prove('after undo, as the agent left it', wrecked);
  savepoint('redo');
  prove('after redo', before);
  savepoint('list');
  savepoint('verify', '--deep');
  say(
    'End of the tour. In your own project, start with `savepoint checkpoint`. The README explains how to install the command.',
  );
}

try {
  tour();
} catch (error) {
  console.error(`\n✗ ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
