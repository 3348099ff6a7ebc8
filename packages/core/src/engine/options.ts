/** Options for opening a workspace. */

import type { SettingsOverrides } from '../config/effective.ts';
import type { SettingsSource } from '../config/settings.ts';
import type { LoadConversations } from '../conversation/conversations.ts';
import type { LoadOwnEntries } from '../io/own-entries.ts';
import type { Places, Ports, ProcessIdentity } from '../io/ports.ts';
import type { Actor } from '../model/checkpoint.ts';
import type { SessionId } from '../model/ids.ts';
import type { DiskPath } from '../model/names.ts';
import type { Exporter } from '../share/export-timeline.ts';
import type { WorkspaceCache } from './workspace-cache.ts';

/** What a command knows of the program that runs it. */
export interface CommandCaller {
  /** The processes above the command, nearest first. */
  readonly ancestors: () => readonly ProcessIdentity[];
  /** The agent whose shell this is, as the environment says; null if it does not. */
  readonly agent: string | null;
  /** The user typed the command at the prompt of this session, so its own agent does not run it. */
  readonly session?: SessionId;
}

/** Options for opening a workspace; `@savepoint/core/node` fills in the ports and places. */
export interface OpenOptions extends SettingsOverrides {
  /** Absolute path of a folder in the workspace. */
  readonly dir: DiskPath;
  readonly ports: Ports;
  readonly places: Places;
  /** `dir` itself is the workspace, even if it is inside a repository. Default false. */
  readonly here?: boolean;
  /** The user's home folder may be a workspace. Default false. */
  readonly allowHome?: boolean;
  /** The actor of all operations. A known agent gets its canonical name. Default: the user. */
  readonly actor?: Actor;
  /** Settings from files and the environment; the options here override them. Default: none are read. */
  readonly settings?: SettingsSource;
  /** Where new checkpoints are exported, if configured. Default: folders only, by this process. */
  readonly exporter?: Exporter;
  /**
   * Loads what Savepoint has in files of the user and no operation removes, such as an agent's hooks. Called when an
   * operation needs it. Default: there is nothing.
   */
  readonly ownEntries?: LoadOwnEntries;
  /**
   * Loads what takes conversations of agents back. Called when a restore is asked for it. Default: no conversation can go
   * back.
   */
  readonly conversations?: LoadConversations;
  /**
   * For a command: what ran it. If that is an agent's shell, the command is a step of the agent. Default: the actor asks
   * for everything.
   */
  readonly caller?: CommandCaller;
  /** How long to wait for another process, in milliseconds. Default 60,000. */
  readonly waitMs?: number;
  /**
   * For long-lived processes: watch the workspace where the platform reports changes reliably, so that the cost of a
   * checkpoint depends on the size of the change, not of the workspace. `close` ends it. A {@link WorkspaceCache} is
   * shared by all engines opened with it, until its own `close`. Default false.
   */
  readonly watch?: boolean | WorkspaceCache;
}
