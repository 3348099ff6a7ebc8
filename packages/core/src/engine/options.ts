/** What a workspace is opened with. */

import type { SettingsOverrides } from '../config/effective.ts';
import type { SettingsSource } from '../config/settings.ts';
import type { Places, Ports } from '../io/ports.ts';
import type { Actor } from '../model/checkpoint.ts';
import type { DiskPath } from '../model/names.ts';
import type { Exporter } from '../share/export-timeline.ts';
import type { WorkspaceCache } from './workspace-cache.ts';

/** What a workspace is opened with; `@savepoint/core/node` fills in the machine. */
export interface OpenOptions extends SettingsOverrides {
  /** Absolute path of a folder in the workspace. */
  readonly dir: DiskPath;
  readonly ports: Ports;
  readonly places: Places;
  /** `dir` itself is the workspace, whatever encloses it. Default false. */
  readonly here?: boolean;
  /** The person's home folder may be a workspace. Default false. */
  readonly allowHome?: boolean;
  /** Who acts. Default: the user. */
  readonly actor?: Actor;
  /** Settings from files and the environment, where no option here says otherwise. Default: none are read. */
  readonly settings?: SettingsSource;
  /** Where new checkpoints are exported to, if the settings ask for it. Default: folders only, by this process. */
  readonly exporter?: Exporter;
  /** How long to wait for another process, milliseconds. Default 60,000. */
  readonly waitMs?: number;
  /**
   * For long-lived processes: watch the workspace where the platform reports changes reliably, so that the cost of a
   * checkpoint depends on the size of the change, not of the workspace. Ends with `close`. A {@link WorkspaceCache} is shared
   * by all that are opened with it, and ends with its own `close`. Default false.
   */
  readonly watch?: boolean | WorkspaceCache;
}
