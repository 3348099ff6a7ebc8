/** The one table of commands. Each row is known by its name and its line in the help; the rest is loaded when it is needed. */
import { VERBS, type Verb } from '@savepoint/core/faces';
import type { Command } from '../command.ts';

export interface CommandRow {
  /** As it is typed; may be two words. */
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  /** Nobody needs to type it, so the help does not list it. */
  readonly isHidden: boolean;
  load(): Promise<Command>;
}

/** A word that several commands begin with, where it has a text of its own. */
export interface CommandGroup {
  readonly summary: string;
  readonly description: string;
}

function ofVerb({ name, summary }: Verb, load: () => Promise<Command>): CommandRow {
  return { name, summary, isHidden: false, load };
}

/** In the order of the help. */
export const COMMANDS: readonly CommandRow[] = [
  ofVerb(VERBS.status, async () => (await import('./workspace/status.ts')).status),
  ofVerb(VERBS.checkpoint, async () => (await import('./checkpoints/checkpoint.ts')).checkpoint),
  ofVerb(VERBS.list, async () => (await import('./checkpoints/list.ts')).list),
  ofVerb(VERBS.show, async () => (await import('./checkpoints/show.ts')).show),
  ofVerb(VERBS.diff, async () => (await import('./changes/diff.ts')).diff),
  ofVerb(VERBS.history, async () => (await import('./history/history.ts')).history),
  ofVerb(VERBS.sessions, async () => (await import('./history/sessions.ts')).sessions),
  ofVerb(VERBS.deleteSession, async () => (await import('./history/delete-session.ts')).deleteSession),
  ofVerb(VERBS.stats, async () => (await import('./history/stats.ts')).stats),
  ofVerb(VERBS.exportSession, async () => (await import('./history/export.ts')).exportSession),
  ofVerb(VERBS.bundleCreate, async () => (await import('./share/bundle.ts')).bundleCreate),
  ofVerb(VERBS.bundleRestore, async () => (await import('./share/bundle.ts')).bundleRestore),
  ofVerb(VERBS.bundleExport, async () => (await import('./share/bundle.ts')).bundleExport),
  ofVerb(VERBS.restore, async () => (await import('./rewind/restore.ts')).restore),
  ofVerb(VERBS.rollback, async () => (await import('./rewind/rollback.ts')).rollback),
  ofVerb(VERBS.edit, async () => (await import('./changes/edit.ts')).edit),
  ofVerb(VERBS.undo, async () => (await import('./rewind/undo.ts')).undo),
  ofVerb(VERBS.redo, async () => (await import('./rewind/redo.ts')).redo),
  ofVerb(VERBS.verify, async () => (await import('./store/verify.ts')).verify),
  ofVerb(VERBS.recover, async () => (await import('./store/recover.ts')).recover),
  ofVerb(VERBS.gc, async () => (await import('./store/gc.ts')).gc),
  ofVerb(VERBS.purge, async () => (await import('./store/purge.ts')).purge),
  ofVerb(VERBS.pin, async () => (await import('./checkpoints/pin.ts')).pin),
  ofVerb(VERBS.unpin, async () => (await import('./checkpoints/pin.ts')).unpin),
  ofVerb(VERBS.freeze, async () => (await import('./changes/freeze.ts')).freeze),
  ofVerb(VERBS.unfreeze, async () => (await import('./changes/freeze.ts')).unfreeze),
  ofVerb(VERBS.workspaces, async () => (await import('./workspace/workspaces.ts')).workspaces),
  ofVerb(VERBS.repos, async () => (await import('./workspace/repos.ts')).repos),
  ofVerb(VERBS.context, async () => (await import('./workspace/context.ts')).context),
  ofVerb(VERBS.linkWorkspace, async () => (await import('./workspace/link-workspace.ts')).linkWorkspace),
  ofVerb(VERBS.config, async () => (await import('./workspace/config.ts')).config),
  {
    name: 'mcp',
    summary: 'serve the verbs as MCP tools, on standard input and output',
    isHidden: false,
    load: async () => (await import('./agents/mcp.ts')).mcp,
  },
  {
    name: 'run',
    summary: 'run a command between two checkpoints',
    isHidden: false,
    load: async () => (await import('./agents/run.ts')).run,
  },
  {
    name: 'watch',
    summary: 'tell what happens on the timeline, as it happens',
    isHidden: false,
    load: async () => (await import('./agents/watch.ts')).watch,
  },
  {
    name: 'install',
    summary: "put Savepoint's hooks into an agent's settings",
    isHidden: false,
    load: async () => (await import('./agents/install.ts')).install(),
  },
  {
    name: 'uninstall',
    summary: "take Savepoint's hooks out of an agent's settings again",
    isHidden: false,
    load: async () => (await import('./agents/install.ts')).uninstall(),
  },
  {
    name: 'daemon status',
    summary: 'tell whether it runs, and how long it takes',
    isHidden: false,
    load: async () => (await import('./agents/daemon.ts')).daemonStatus,
  },
  {
    name: 'daemon stop',
    summary: 'end it, once its work is done; the next hook starts another',
    isHidden: false,
    load: async () => (await import('./agents/daemon.ts')).daemonStop,
  },
  {
    name: 'daemon run',
    summary: 'answer hooks in this process until it has been idle for a while',
    isHidden: true,
    load: async () => (await import('./agents/daemon.ts')).daemonRun,
  },
  {
    name: 'hook',
    summary: "do what an agent's event asks for; agents' settings run it",
    isHidden: true,
    load: async () => (await import('./agents/hook.ts')).hookCommand,
  },
];

export const GROUPS: Readonly<Record<string, CommandGroup>> = {
  daemon: {
    summary: 'the process that answers hooks: status, stop',
    description:
      'Hooks of agents are answered by one process of yours, so that an agent need not wait for one to start at each step. The ' +
      'first hook starts it, and it ends when nobody asked it anything for a while. `"daemon": "off"` in your configuration turns it off.',
  },
};
