/**
 * Finds the processes that a call leaves behind: those that started while it was open and live on when it has ended. They
 * may still write, so as long as one of them lives, a change between calls is not surely from outside. The call stays on
 * record in the meantime, as one that continues in the background (`OpenCall.leftBehind`).
 *
 * A process belongs to a call if the agent's variables for its commands are in its environment. If they do not name the
 * session, it must also descend from the agent or work in the workspace. If an agent sets no variables, the process must
 * descend from the agent. Processes that the agent itself started (servers, helpers) do not have these
 * variables. A process that clears its environment is not found.
 */

import type { Ports, Processes, ProcessIdentity, RunningProcess } from '../../io/ports.ts';
import { isSameProcess } from '../../io/same-process.ts';
import { uptimeAt } from '../../io/uptime-at.ts';
import { type DiskPath, isInside } from '../../model/names.ts';
import type { StoreLayout } from '../../store/layout.ts';
import { type OpenCall, removeOpenCall, writeOpenCall } from '../../store/state/open-calls.ts';
import type { Workspace } from './workspace.ts';

/**
 * In milliseconds: the unit of the start times of processes, and one for rounding. Not more, since agents with a daemon
 * begin a call less than 50 ms after the previous one has started a process.
 */
const TOLERANCE_MS = 11;

const INTERPRETER = /^(?:node|nodejs|bun|electron|busybox|(?:ba|da|k|z|a)?sh)[\d.]*$/;

type WorkspaceOf = Pick<Workspace, 'ports' | 'root'>;

/**
 * Returns the processes that live now and started in this call. Costs a look at the processes of the system, so
 * only calls that run programs are looked at.
 * @param goesOnIn the process that may go on with the call
 */
export function processesLeftBy(
  { ports, root }: WorkspaceOf,
  call: OpenCall,
  goesOnIn: ProcessIdentity | null = null,
): readonly ProcessIdentity[] {
  if (call.own || call.declared !== null) return [];
  const { processes } = ports;
  const agent = goesOnIn === null ? [] : [goesOnIn];
  const began = startOf(call, ports);
  const started = (began === null ? null : processes.startedSince(began - TOLERANCE_MS)) ?? [];
  // Start times are not exact, so these may seem to have started in this call.
  const running = started.filter((one) => !isAmong(one, call.leftBefore ?? []));
  const recent = new Set(running.map(({ pid }) => pid));
  const found = running.filter((one) => belongsTo(call, one, { processes, root, recent }));
  if (found.length === 0) return agent;
  const own = ownProcesses(processes, running);
  const left = found.filter(({ pid }) => !own.has(pid) && !isBelowOlderOwn(processes, pid, recent));
  return [...agent, ...left.map(identityOf)];
}

/**
 * Returns the process that may go on with a call whose end was not reported. A tool in a server of the agent (MCP) is not
 * a process of its own, and neither is one of an agent that uses the library: as long as the agent lives, it may write.
 * Null if there is none.
 */
export function processGoingOnWith(
  { ports: { processes } }: Pick<WorkspaceOf, 'ports'>,
  { own, declared, hosts, tool, process: agent }: OpenCall,
): ProcessIdentity | null {
  if (own || declared !== null || hosts === true || agent === undefined) return null;
  const isProgram = tool.kind !== 'other' && !isSameProcess(agent, processes.self());
  return isProgram || processes.state(agent) === 'dead' ? null : agent;
}

/** Ends a call. It stays on record while processes that it left behind live. */
export function endOpenCall(
  { fs }: Pick<Ports, 'fs'>,
  layout: StoreLayout,
  call: OpenCall,
  leftBehind: readonly ProcessIdentity[],
): void {
  const known = call.leftBehind ?? [];
  if (leftBehind.length === 0) removeOpenCall(fs, layout, call);
  else if (known.length !== leftBehind.length || !known.every((one, at) => isSameProcess(one, leftBehind[at] ?? one)))
    writeOpenCall(fs, layout, { ...call, late: false, background: true, leftBehind });
}

/**
 * Returns the processes of a call that live on: those that were found before, otherwise those that they started and that
 * can be recognised. What another call has left behind is not one of them.
 */
export function stillLeftBy(
  workspace: WorkspaceOf,
  call: OpenCall,
  calls: readonly OpenCall[],
): readonly ProcessIdentity[] {
  const { processes } = workspace.ports;
  const living = (call.leftBehind ?? []).filter((one) => processes.state(one) !== 'dead');
  if (living.length > 0 || call.shell === undefined) return living;
  const ofOthers = calls.flatMap((other) => (other === call ? [] : (other.leftBehind ?? [])));
  return processesLeftBy(workspace, call).filter((one) => !isAmong(one, ofOthers));
}

/** The living processes that calls have left behind: a call that begins now has not started them. */
export function leftByNow(
  { processes }: Pick<Ports, 'processes'>,
  calls: readonly OpenCall[],
): readonly ProcessIdentity[] {
  return calls.flatMap(({ leftBehind = [] }) => leftBehind.filter((one) => processes.state(one) !== 'dead'));
}

/** When a call began, in milliseconds since boot; null if the system does not tell. */
function startOf({ began, beganUptime }: OpenCall, ports: Pick<Ports, 'clock' | 'processes'>): number | null {
  const uptime = ports.processes.uptime();
  // After a reboot, the uptime is that of another boot.
  return beganUptime === undefined || uptime === null || uptime < beganUptime ? uptimeAt(ports, began) : beganUptime;
}

function isAmong(process: ProcessIdentity, others: readonly ProcessIdentity[]): boolean {
  return others.some((one) => isSameProcess(one, process));
}

interface Surroundings {
  readonly processes: Processes;
  readonly root: DiskPath;
  /** The processes that started since the call began. What an older one starts is not of this call. */
  readonly recent: ReadonlySet<number>;
}

function belongsTo(
  call: OpenCall,
  { pid, parent }: RunningProcess,
  { processes, root, recent }: Surroundings,
): boolean {
  const { shell, session, process: agent } = call;
  const above = agent === undefined ? [] : processes.ancestors(pid);
  const depth = above.findIndex((one) => isSameProcess(one, agent as ProcessIdentity));
  if (shell === undefined) return depth > 0 && above.slice(0, depth).every((one) => recent.has(one.pid));
  const isOfSession = (one: number): boolean => {
    const { variables } = processes.startedWith(one);
    const named = shell.session === null ? undefined : variables.get(shell.session);
    // Without the session's id, it may be of another session of the same agent, in another folder.
    return named === undefined
      ? variables.has(shell.any) && (depth > 0 || worksIn(root, processes.folderOf(one)))
      : named === session;
  };
  return isOfSession(pid) && (recent.has(parent) || parent === agent?.pid || !isOfSession(parent));
}

function worksIn(root: DiskPath, folder: DiskPath | null): boolean {
  return folder !== null && isInside(folder, root);
}

/** Processes of Savepoint, those that they started, and those that started them to run a hook. */
function ownProcesses(processes: Processes, running: readonly RunningProcess[]): ReadonlySet<number> {
  const parents = new Map(running.map(({ pid, parent }) => [pid, parent]));
  const self = processes.self().pid;
  const verbs = new Map(running.map(({ pid }) => [pid, ownVerb(processes.startedWith(pid).command)]));
  const roots = new Set(running.flatMap(({ pid }) => (pid === self || verbs.get(pid) != null ? [pid] : [])));
  // Any program may start an MCP server or a daemon, which makes it not ours.
  const isRunByHook = (pid: number): boolean => !['mcp', 'daemon'].includes(verbs.get(pid) ?? '');
  const above = [...roots].flatMap((pid) => (isRunByHook(pid) ? lineage(pid, parents) : [pid]));
  const below = running.filter(({ pid }) => lineage(pid, parents).some((one) => roots.has(one)));
  return new Set([...above, ...below.map(({ pid }) => pid)]);
}

/** Whether a process of Savepoint that is older than the call has started it: the daemon, or a hook that runs checks. */
function isBelowOlderOwn(processes: Processes, pid: number, recent: ReadonlySet<number>): boolean {
  const older = processes.ancestors(pid).filter((one) => !recent.has(one.pid));
  return older.some((one) => ownVerb(processes.startedWith(one.pid).command) !== null);
}

/** A process and its ancestors, as far as `parents` knows them. */
function lineage(pid: number, parents: ReadonlyMap<number, number>): readonly number[] {
  const line: number[] = [];
  for (let next: number | undefined = pid; next !== undefined && !line.includes(next); next = parents.get(next)) {
    line.push(next);
  }
  return line;
}

/**
 * What a process of Savepoint does: `hook` with its background work, `bundle` (an automatic export), `daemon` or `mcp`.
 * Null for others, also if their arguments mention one.
 */
function ownVerb(command: readonly string[]): string | null {
  const [first = '', ...others] = command;
  if (!INTERPRETER.test(baseName(first))) return verbOf(command);
  const at = others.findIndex((word) => !word.startsWith('-'));
  if (at < 0) return null;
  const isText = others.slice(0, at).some((option) => /^-\w*c$/.test(option));
  return isText ? ownVerb(wordsOf(others[at] ?? '')) : verbOf(others.slice(at));
}

function verbOf([program = '', verb = '']: readonly string[]): string | null {
  const name = baseName(program);
  if (name === 'savepoint-hook') return 'hook';
  if (name !== 'savepoint' && name !== 'savepoint.js') return null;
  return ['hook', 'daemon', 'mcp', 'bundle'].includes(verb) ? verb : null;
}

/** The words of a command line, as installed hooks have them: a word with other than plain characters is in quotes. */
function wordsOf(text: string): readonly string[] {
  return (text.match(/'[^']*'|"[^"]*"|[^\s'"]+/g) ?? []).map((word) => word.replace(/^(['"])(.*)\1$/, '$2'));
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function identityOf({ pid, startedAt, bootId, pidNamespace, host }: RunningProcess): ProcessIdentity {
  return { pid, startedAt, bootId, pidNamespace, host };
}
