import fs from 'node:fs';
import path from 'node:path';
import { testEffort } from '@savepoint/testkit';
import { watchCalls } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';
import { claudeEvents } from '../../packages/agents/test/fixtures/claude.ts';
import { geminiEvents } from '../../packages/agents/test/fixtures/others.ts';
import { type DaemonProject, daemonProject, isRunning, kill } from './daemon-project.ts';

/**
 * The daemon is killed during every event: before it reads, before its n-th file system call, and after the work but
 * before the answer. The command then gets the same event. The timeline must equal that of hooks without a daemon:
 * nothing is lost or duplicated, and every author is the same.
 */
const MOMENTS = testEffort({ quick: 2, ci: 4, long: 60 });

/** The agent's events in order, with what happens between them. */
type Step = readonly [event: object, before?: () => void];

interface Scene {
  readonly agent: string;
  readonly steps: (p: DaemonProject) => readonly Step[];
}

const CLAUDE: Scene = {
  agent: 'claude',
  steps: (p) => {
    const e = claudeEvents(p.dir);
    const write = e.call('Write', { file_path: p.at('a.txt'), content: 'a' });
    const shell = e.call('Bash', { command: 'make' }, 'sub-1');
    return [
      [e.start()],
      [e.prompt('Go.', 'm-1'), () => p.write('mine.txt', '1\n')],
      [write.pre, () => p.write('mine.txt', '2\n')],
      [write.post({}), () => p.write('a.txt', 'a\n')],
      [shell.pre],
      [shell.post({}), () => p.write('made/b.txt', 'b\n')],
      [e.subagentStop('sub-1')],
      [e.stop(), () => p.write('mine.txt', '3\n')],
      [e.end('other')],
    ];
  },
};

const GEMINI: Scene = {
  agent: 'gemini',
  steps: (p) => {
    const e = geminiEvents(p.dir);
    const write = { file_path: p.at('a.txt'), content: 'a' };
    return [
      [e.start()],
      [e.prompt('Go.')],
      [e.before('write_file', write), () => p.write('mine.txt', '1\n')],
      [e.after('write_file', write), () => p.write('a.txt', 'a\n')],
      [e.stop()],
    ];
  },
};

async function play(scene: Scene, deliver: (p: DaemonProject, event: object, step: number) => Promise<void> | void) {
  const p = daemonProject();
  p.write('there.txt', 'before\n');
  for (const [index, [event, before]] of scene.steps(p).entries()) {
    before?.();
    await deliver(p, event, index);
  }
  return p;
}

function good(p: DaemonProject, agent: string, event: object): void {
  expect(p.tell(agent, event)).toEqual({ status: 0, signal: null, stdout: '', stderr: '' });
}

const CALLS = 'openSync writeSync fsyncSync renameSync linkSync unlinkSync mkdirSync lstatSync readdirSync'.split(' ');

it.each(testEffort({ quick: [GEMINI], ci: [CLAUDE, GEMINI], long: [CLAUDE, GEMINI] }))(
  'killed in every event of $agent, nothing is lost or duplicated',
  async (scene) => {
    const { agent } = scene;
    const plain = await play(scene, (p, event) => {
      expect(p.tellPlainly(agent, event)).toMatchObject({ status: 0, stderr: '' });
    });
    const lines = (await plain.timelineLines()).map((step) => withoutChance(step));
    expect(lines.length).toBeGreaterThan(3);

    // A new daemon for each event, so that its calls can be counted.
    const counts: (readonly [before: number, after: number])[] = [];
    const counted = await play(scene, async (p, event, step) => {
      const record = path.join(p.base, `calls-${step}`);
      fs.writeFileSync(record, '');
      const pid = await p.startDaemon(watchCalls({ below: p.store, calls: CALLS, record }));
      const before = linesIn(record);
      good(p, agent, event);
      kill(pid, 'SIGKILL');
      counts.push([before, linesIn(record)]);
    });
    expect((await counted.timelineLines()).map((step) => withoutChance(step))).toEqual(lines);

    let inTheMiddle = 0;
    for (let moment = 0; moment < MOMENTS; moment++) {
      const nths = counts.map(
        ([before, after]) => before + 1 + Math.floor(((after - before - 1) * moment) / Math.max(1, MOMENTS - 1)),
      );
      const killed = await play(scene, async (p, event, step) => {
        const nth = nths[step] as number;
        const pid = await p.startDaemon(watchCalls({ below: p.store, calls: CALLS, nth, action: { kill: true } }));
        good(p, agent, event);
        // If it waits less than when its calls were counted, it finishes before the n-th call.
        if (isRunning(pid)) kill(pid, 'SIGKILL');
        else inTheMiddle += 1;
      });
      expect(
        (await killed.timelineLines()).map((step) => withoutChance(step)),
        `killed before the calls ${nths}`,
      ).toEqual(lines);
      expect(killed.run(['verify']).status).toBe(0);
    }
    expect(inTheMiddle).toBeGreaterThan((counts.length * MOMENTS) / 2);
  },
  10 * 60_000,
);

it('killed before it reads: a socket without a listener does not matter', async () => {
  const plain = await play(CLAUDE, (p, event) => {
    p.tellPlainly('claude', event);
  });
  const killed = await play(CLAUDE, async (p, event) => {
    const pid = await p.startDaemon();
    kill(pid, 'SIGKILL');
    good(p, 'claude', event);
  });
  expect(await killed.timelineLines()).toEqual(await plain.timelineLines());
});

it('killed after the work, before the answer: a repeated event changes nothing', async () => {
  const plain = await play(CLAUDE, (p, event) => {
    p.tellPlainly('claude', event);
  });
  const twice = await play(CLAUDE, async (p, event, step) => {
    if (step === 0) await p.startDaemon();
    good(p, 'claude', event);
    expect(p.tellPlainly('claude', event)).toMatchObject({ status: 0, stderr: '' });
  });
  expect(await twice.timelineLines()).toEqual(await plain.timelineLines());
  expect(twice.status()).toMatchObject({ running: true, events: CLAUDE.steps(twice).length });
});

function linesIn(file: string): number {
  return fs.readFileSync(file, 'utf8').split('\n').length - 1;
}

/** If the agent gives no id, the hook makes one that contains a hash of paths. */
function withoutChance(step: string): string {
  return step.replace(/#[0-9a-f]{12}/g, '#…');
}
