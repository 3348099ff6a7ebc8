/** The table of commands. A row has the name and the summary of a command; the rest is loaded on demand. */
import { VERBS, type Verb } from '@savepoint/core/frontend';
import type { Command } from '../command.ts';

export interface CommandRow {
  /** As the user types it; may be two words. */
  readonly name: string;
  /** Other names that users may type. */
  readonly aliases?: readonly string[];
  /** One line, without a full stop. */
  readonly summary: string;
  /** The heading in the help. */
  readonly section: Section;
  /** Users do not need to type it, so the help does not list it. */
  readonly isHidden: boolean;
  load(): Promise<Command>;
}

export type Section = keyof typeof SECTIONS;

/** The headings of the help, in order. */
export const SECTIONS = {
  work: 'Take checkpoints and go back:',
  look: 'Look at checkpoints and changes:',
  copies: 'Work in copies of the workspace:',
  plans: 'Propose changes and review them first:',
  agents: 'Agents:',
  share: 'Share and export:',
  store: 'Store and settings:',
} as const;

/** A word that several commands start with. */
export interface CommandGroup {
  readonly summary: string;
  readonly description: string;
}

function verbRow(section: Section, { name, summary }: Verb, load: () => Promise<Command>): CommandRow {
  return { name, summary, section, isHidden: false, load };
}

/** In the order of the help. */
export const COMMANDS: readonly CommandRow[] = [
  verbRow('work', VERBS.checkpoint, async () => (await import('./checkpoints/checkpoint.ts')).checkpoint),
  verbRow('work', VERBS.restore, async () => (await import('./rewind/restore.ts')).restore),
  verbRow('work', VERBS.rollback, async () => (await import('./rewind/rollback.ts')).rollback),
  verbRow('work', VERBS.undo, async () => (await import('./rewind/undo.ts')).undo),
  verbRow('work', VERBS.redo, async () => (await import('./rewind/redo.ts')).redo),
  verbRow('work', VERBS.edit, async () => (await import('./changes/edit.ts')).edit),
  {
    name: 'try',
    summary: 'run a command in a copy of the folder, then apply or drop what it changed',
    section: 'copies',
    isHidden: false,
    load: async () => (await import('./copies/try.ts')).tryCommand,
  },
  {
    name: 'run',
    summary: 'run a command with a checkpoint before and after',
    section: 'work',
    isHidden: false,
    load: async () => (await import('./agents/run.ts')).run,
  },
  verbRow('copies', VERBS.check, async () => (await import('./checks/check.ts')).check),
  verbRow('copies', VERBS.trust, async () => (await import('./checks/trust.ts')).trust),
  {
    name: 'browse',
    summary: 'look through checkpoints and diffs on the whole screen, and go back',
    section: 'look',
    isHidden: false,
    load: async () => (await import('./checkpoints/browse.ts')).browse,
  },
  {
    name: 'studio',
    summary: 'open a page in the browser, to see what agents do and to take it back',
    section: 'look',
    isHidden: false,
    load: async () => (await import('./studio/studio.ts')).studio,
  },
  verbRow('look', VERBS.status, async () => (await import('./workspace/status.ts')).status),
  { ...verbRow('look', VERBS.list, async () => (await import('./checkpoints/list.ts')).list), aliases: ['log'] },
  verbRow('look', VERBS.show, async () => (await import('./checkpoints/show.ts')).show),
  verbRow('look', VERBS.diff, async () => (await import('./changes/diff.ts')).diff),
  verbRow('look', VERBS.findings, async () => (await import('./changes/findings.ts')).findings),
  verbRow('look', VERBS.map, async () => (await import('./changes/map.ts')).map),
  verbRow('look', VERBS.cat, async () => (await import('./checkpoints/cat.ts')).cat),
  verbRow('look', VERBS.history, async () => (await import('./history/history.ts')).history),
  verbRow('look', VERBS.blame, async () => (await import('./history/blame.ts')).blame),
  verbRow('look', VERBS.sessions, async () => (await import('./history/sessions.ts')).sessions),
  verbRow('look', VERBS.turns, async () => (await import('./history/turns.ts')).turns),
  verbRow('look', VERBS.deleteSession, async () => (await import('./history/delete-session.ts')).deleteSession),
  verbRow('look', VERBS.stats, async () => (await import('./history/stats.ts')).stats),
  verbRow('look', VERBS.context, async () => (await import('./workspace/context.ts')).context),
  verbRow('look', VERBS.repos, async () => (await import('./workspace/repos.ts')).repos),
  verbRow('copies', VERBS.bisect, async () => (await import('./copies/bisect.ts')).bisect),
  verbRow('copies', VERBS.replay, async () => (await import('./copies/replay.ts')).replay),
  verbRow('look', VERBS.watch, async () => (await import('./agents/watch.ts')).watch),
  {
    name: 'install',
    summary: "add Savepoint's hooks to an agent's settings",
    section: 'agents',
    isHidden: false,
    load: async () => (await import('./agents/install.ts')).install(),
  },
  {
    name: 'uninstall',
    summary: "remove Savepoint's hooks from an agent's settings",
    section: 'agents',
    isHidden: false,
    load: async () => (await import('./agents/install.ts')).uninstall(),
  },
  verbRow('agents', VERBS.freeze, async () => (await import('./changes/freeze.ts')).freeze),
  verbRow('agents', VERBS.unfreeze, async () => (await import('./changes/freeze.ts')).unfreeze),
  verbRow('agents', VERBS.scopeAdd, async () => (await import('./agents/scope.ts')).scopeAdd),
  verbRow('agents', VERBS.scopeDrop, async () => (await import('./agents/scope.ts')).scopeDrop),
  verbRow('agents', VERBS.scopeList, async () => (await import('./agents/scope.ts')).scopeList),
  {
    name: 'guard',
    summary: 'run a command, and take its changes back if it breaks checks',
    section: 'copies',
    isHidden: false,
    load: async () => (await import('./agents/guard-command.ts')).guard,
  },
  verbRow('agents', VERBS.guardOn, async () => (await import('./agents/guard.ts')).guardOn),
  verbRow('agents', VERBS.guardOff, async () => (await import('./agents/guard.ts')).guardOff),
  verbRow('agents', VERBS.guardStatus, async () => (await import('./agents/guard.ts')).guardStatus),
  verbRow('agents', VERBS.guardSteps, async () => (await import('./agents/guard.ts')).guardSteps),
  {
    name: 'mcp',
    summary: 'run an MCP server on standard input and output',
    section: 'agents',
    isHidden: false,
    load: async () => (await import('./agents/mcp.ts')).mcp,
  },
  {
    name: 'daemon status',
    summary: 'show whether the daemon is running, and its response time',
    section: 'agents',
    isHidden: false,
    load: async () => (await import('./agents/daemon.ts')).daemonStatus,
  },
  {
    name: 'daemon stop',
    summary: 'stop the daemon; the next hook starts a new one',
    section: 'agents',
    isHidden: false,
    load: async () => (await import('./agents/daemon.ts')).daemonStop,
  },
  {
    name: 'daemon run',
    summary: 'run the daemon in the foreground until it is idle',
    section: 'agents',
    isHidden: true,
    load: async () => (await import('./agents/daemon.ts')).daemonRun,
  },
  {
    name: 'hook',
    summary: "handle an agent's event; run by agents",
    section: 'agents',
    isHidden: true,
    load: async () => (await import('./agents/hook.ts')).hookCommand,
  },
  verbRow('copies', VERBS.forkCreate, async () => (await import('./forks/change.ts')).forkCreate),
  verbRow('copies', VERBS.forkList, async () => (await import('./forks/look.ts')).forkList),
  verbRow('copies', VERBS.forkShow, async () => (await import('./forks/look.ts')).forkShow),
  verbRow('copies', VERBS.forkDiff, async () => (await import('./forks/look.ts')).forkDiff),
  verbRow('copies', VERBS.forkCompare, async () => (await import('./forks/look.ts')).forkCompare),
  verbRow('copies', VERBS.forkOpen, async () => (await import('./forks/look.ts')).forkOpen),
  verbRow('copies', VERBS.forkRun, async () => (await import('./forks/change.ts')).forkRun),
  verbRow('copies', VERBS.forkCheck, async () => (await import('./checks/check.ts')).forkCheck),
  verbRow('copies', VERBS.forkMerge, async () => (await import('./forks/change.ts')).forkMerge),
  verbRow('copies', VERBS.forkDrop, async () => (await import('./forks/change.ts')).forkDrop),
  verbRow('copies', VERBS.forkClean, async () => (await import('./forks/change.ts')).forkClean),
  verbRow('plans', VERBS.planNew, async () => (await import('./plans/propose.ts')).planNew),
  verbRow('plans', VERBS.planList, async () => (await import('./plans/propose.ts')).planList),
  verbRow('plans', VERBS.planShow, async () => (await import('./plans/propose.ts')).planShow),
  verbRow('plans', VERBS.planRevise, async () => (await import('./plans/propose.ts')).planRevise),
  verbRow('plans', VERBS.planPhases, async () => (await import('./plans/run.ts')).planPhases),
  verbRow('plans', VERBS.planSplit, async () => (await import('./plans/split.ts')).planSplit),
  verbRow('plans', VERBS.planCheck, async () => (await import('./plans/run.ts')).planCheck),
  verbRow('plans', VERBS.planReview, async () => (await import('./plans/decide.ts')).planReview),
  verbRow('plans', VERBS.planApply, async () => (await import('./plans/run.ts')).planApply),
  verbRow('plans', VERBS.planCommit, async () => (await import('./plans/commit.ts')).planCommit),
  verbRow('plans', VERBS.planRollback, async () => (await import('./plans/run.ts')).planRollback),
  verbRow('plans', VERBS.planPolicy, async () => (await import('./plans/policy.ts')).planPolicy),
  verbRow('plans', VERBS.planCancel, async () => (await import('./plans/decide.ts')).planCancel),
  verbRow('plans', VERBS.planMode, async () => (await import('./plans/mode.ts')).planMode),
  verbRow('plans', VERBS.commentAdd, async () => (await import('./comments/comments.ts')).commentAdd),
  verbRow('plans', VERBS.commentList, async () => (await import('./comments/comments.ts')).commentList),
  verbRow('plans', VERBS.commentResolve, async () => (await import('./comments/comments.ts')).commentResolve),
  verbRow('plans', VERBS.commentDelete, async () => (await import('./comments/comments.ts')).commentDelete),
  verbRow('share', VERBS.bundleCreate, async () => (await import('./share/bundle.ts')).bundleCreate),
  verbRow('share', VERBS.bundleRestore, async () => (await import('./share/bundle.ts')).bundleRestore),
  verbRow('share', VERBS.bundleExport, async () => (await import('./share/bundle.ts')).bundleExport),
  verbRow('share', VERBS.exportSession, async () => (await import('./history/export.ts')).exportSession),
  verbRow('store', VERBS.verify, async () => (await import('./store/verify.ts')).verify),
  verbRow('store', VERBS.recover, async () => (await import('./store/recover.ts')).recover),
  verbRow('store', VERBS.repair, async () => (await import('./store/repair.ts')).repair),
  verbRow('store', VERBS.gc, async () => (await import('./store/gc.ts')).gc),
  verbRow('store', VERBS.drop, async () => (await import('./store/drop.ts')).drop),
  verbRow('store', VERBS.purge, async () => (await import('./store/purge.ts')).purge),
  verbRow('store', VERBS.pin, async () => (await import('./checkpoints/pin.ts')).pin),
  verbRow('store', VERBS.unpin, async () => (await import('./checkpoints/pin.ts')).unpin),
  verbRow('store', VERBS.setTestResult, async () => (await import('./checkpoints/test-result.ts')).testResult),
  verbRow('copies', VERBS.copies, async () => (await import('./store/copies.ts')).copies),
  verbRow('store', VERBS.workspaces, async () => (await import('./workspace/workspaces.ts')).workspaces),
  verbRow(
    'store',
    VERBS.deleteWorkspace,
    async () => (await import('./workspace/delete-workspace.ts')).deleteWorkspace,
  ),
  verbRow('store', VERBS.linkWorkspace, async () => (await import('./workspace/link-workspace.ts')).linkWorkspace),
  verbRow('store', VERBS.config, async () => (await import('./workspace/config.ts')).config),
  {
    name: 'completion',
    summary: 'print a script with which bash, zsh or fish completes commands',
    section: 'store',
    isHidden: false,
    load: async () => (await import('./workspace/completion.ts')).completion,
  },
];

export const GROUPS: Readonly<Record<string, CommandGroup>> = {
  scope: {
    summary: 'the files that agents work with',
    description:
      'A scope is the files and folders that an agent works with. If somebody else changes one of them, the agent learns of it.',
  },
  daemon: {
    summary: 'show or stop the background process that answers hooks',
    description:
      "The daemon is a background process that answers agents' hooks, so that agents do not wait for a process to " +
      'start at each step. The first hook starts it, and it exits after some time without requests. To turn it off, ' +
      'set `"daemon": "off"` in your configuration.',
  },
  bundle: {
    summary: 'create, restore and export bundles',
    description: 'Bundles are files with checkpoints, to move them to another machine or to keep them elsewhere.',
  },
  fork: {
    summary: 'work in named copies of the workspace, and merge them',
    description:
      'A fork is a named copy of the workspace, with a timeline of its own. What is done in it does not touch the ' +
      'workspace until it is merged.',
  },
  plan: {
    summary: 'propose changes, review them, then apply them',
    description:
      'A plan is a proposed change of files that is not applied yet. It can be looked at, cut down hunk by hunk, and ' +
      'applied all or nothing.',
  },
  comment: {
    summary: 'tell agents what you think of lines that they wrote',
    description:
      'A comment is about lines of a file, of a checkpoint or of a plan. The agent that wrote them gets it with its next ' +
      'prompt, once.',
  },
  workspace: {
    summary: 'link a folder to an existing timeline',
    description: 'Manages the link between folders and their checkpoints. `savepoint workspaces` lists all workspaces.',
  },
};
