import type { Ports, ProcessIdentity } from '../../io/ports.ts';
import type { HeldProgram } from '../../io/programs.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import { endProcesses } from '../end-processes.ts';
import { type CommandLine, enterOverlay } from './enter.ts';
import type { OverlayTools } from './tools.ts';

/** A mounted overlay: a view of a folder in which nothing that is written reaches the folder. */
export interface Overlay {
  readonly holder: ProcessIdentity;
  /** Where processes outside find what commands in it see at the folder's own path. Only while `holder` lives. */
  readonly files: DiskPath;
  /** Returns the command line that runs a command in it, in this folder as it is called inside. Start it in `/`. */
  enter(folder: DiskPath, command: CommandLine): CommandLine;
  /** The processes in it, without the holder. */
  processes(): readonly ProcessIdentity[];
  /** Ends the processes in it and the holder. What was written stays in `upper`. */
  close(): Promise<void>;
}

/** The holder kills what is left first. */
const RELEASE_MS = 10_000;

/**
 * Uses an overlay that is mounted.
 * @param held the handle on its holder, if this process has started it
 */
export function useOverlay(ports: Ports, tools: OverlayTools, { source, root, holder, held }: UsedOverlay): Overlay {
  const processes = (): readonly ProcessIdentity[] =>
    ports.processes.seeingMount(source).filter(({ pid }) => pid !== holder.pid);
  return {
    holder,
    files: diskChild(`/proc/${holder.pid}/root` as DiskPath, root.slice(1)),
    enter: (folder, command) => enterOverlay(ports, tools, holder.pid, folder, command),
    processes,
    close: async () => {
      await endProcesses(ports, processes);
      if (held !== null) return held.release(RELEASE_MS);
      await endProcesses(ports, () => (ports.processes.state(holder) === 'dead' ? [] : [holder]));
    },
  };
}

interface UsedOverlay {
  /** Of its mount. */
  readonly source: string;
  readonly root: DiskPath;
  readonly holder: ProcessIdentity;
  readonly held: HeldProgram | null;
}
