/** `savepoint daemon`: no verb, as it is about a process and no workspace. */
import { SavepointError, showText } from '@savepoint/core';
import { nodePorts } from '@savepoint/core/node';
import { askDaemon, type Said } from '../daemon/ask.ts';
import { buildOnDisk } from '../daemon/build.ts';
import { homeLink } from '../daemon/place.ts';
import { homeOf, runDaemon } from '../daemon/run.ts';
import { safeJson } from '../json.ts';
import { counted } from '../show/words.ts';
import { writeAll } from '../write.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface DaemonRequest {
  readonly what: 'status' | 'stop' | 'run';
  /** Seconds after which `run` ends when nobody asks; null: as the configuration says. */
  readonly idle: string | undefined;
  readonly json: boolean;
}

/** How long `stop` waits for the work that it was just doing, milliseconds. */
const PATIENCE_MS = 30_000;
const LOOK_MS = 20;

/** @throws SavepointError USAGE, IO */
export async function carryOutDaemon(request: DaemonRequest, env: Environment): Promise<void> {
  if (request.what === 'run') return runHere(request.idle, env);
  const home = homeOf(env);
  const own = buildOnDisk();
  const said = own === null ? 'nobody' : await askDaemon(home, own, request.what);
  const gone = request.what === 'stop' && typeof said === 'object' ? await ends(said.pid) : null;
  if (request.json) {
    const { pid } = typeof said === 'object' ? said : { pid: null };
    const told =
      request.what === 'stop' ? { stopped: said !== 'nobody', pid } : { running: pid !== null, ...answerOf(said) };
    writeAll(1, `${safeJson(told, 0)}\n`);
    return;
  }
  writeAll(1, `${(request.what === 'stop' ? stopLines(said, gone) : statusLines(said, home)).join('\n')}\n`);
}

function answerOf(said: Said | 'nobody' | 'leaves'): Readonly<Record<string, unknown>> {
  return typeof said === 'object' ? said : { leaves: said === 'leaves' };
}

function statusLines(said: Said | 'nobody' | 'leaves', home: string): readonly string[] {
  if (said === 'leaves') return ['A daemon is just ending; the next hook starts another.'];
  if (said === 'nobody')
    return [
      'No daemon is running. Hooks do their work themselves; the next one starts a daemon where it can be asked.',
    ];
  const { pid, startedAt, events, medianMs, idleSeconds, endsAfterIdleSeconds, workspaces, memoryBytes } = said;
  const median = typeof medianMs === 'number' ? `, half of them within ${medianMs} ms` : '';
  return [
    `The daemon runs: process ${pid}, since ${showText(String(startedAt))}.`,
    `It dealt with ${counted(Number(events), 'event')}${median}; ${counted(Number(workspaces), 'workspace')} open, ${Math.round(Number(memoryBytes) / 1_048_576)} MB.`,
    `Nobody asked for ${Number(idleSeconds)} s; after ${Number(endsAfterIdleSeconds)} s it ends.`,
    `Found through ${showText(homeLink(home))}.`,
  ];
}

function stopLines(said: Said | 'nobody' | 'leaves', gone: boolean | null): readonly string[] {
  if (said === 'nobody') return ['No daemon is running.'];
  if (said === 'leaves') return ['The daemon was ending already.'];
  if (gone === true) return [`The daemon (process ${said.pid}) has ended.`];
  return [`The daemon (process ${said.pid}) takes on nothing more, and ends when the work that it is at is done.`];
}

/** @returns whether the process, which told its number itself, is gone within some time */
async function ends(pid: number): Promise<boolean> {
  const { processes, clock } = nodePorts();
  const daemon = { ...processes.self(), pid, startedAt: null };
  for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_MS) {
    if (processes.state(daemon) === 'dead') return true;
    await clock.sleep(LOOK_MS);
  }
  return false;
}

async function runHere(given: string | undefined, env: Environment): Promise<void> {
  if (given !== undefined && !/^[1-9]\d{0,6}$/.test(given)) {
    throw new SavepointError('USAGE', '--idle wants a whole number of seconds.', { argument: '--idle' });
  }
  const idleMs = given === undefined ? null : Number(given) * 1_000;
  const ended = await runDaemon({ env, script: process.argv[1] ?? '', idleMs });
  if (ended === 'taken') writeAll(1, 'Another daemon answers already.\n');
  // Whatever is left of what a workspace kept open must not keep the process.
  process.exit(0);
}
