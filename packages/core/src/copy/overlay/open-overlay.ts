import { showName } from '../../content/show-name.ts';
import { FsError } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import { type DiskPath, isInside } from '../../model/names.ts';
import { launchOverlay, type OverlayRequest, sourceOf } from './launch.ts';
import { type Overlay, useOverlay } from './overlay.ts';
import { probeOverlay } from './probe.ts';
import { findTools, type OverlayTools } from './tools.ts';

/** A new overlay, and what it does not isolate or allow, for display. */
export interface OpenedOverlay {
  readonly overlay: Overlay;
  readonly notes: readonly string[];
}

/**
 * Mounts an overlay, if that works here.
 * @param copies the folder of all copies, where it is tried out
 * @returns or why it does not, for display
 */
export async function openOverlay(
  ports: Ports,
  searchPath: string,
  copies: DiskPath,
  request: OverlayRequest,
): Promise<OpenedOverlay | { readonly why: string }> {
  const { root } = request;
  const tools = await usableTools(ports, searchPath, root, copies);
  if ('why' in tools) return tools;
  const opened = await launchOverlay(ports, tools.searchPath, request);
  if ('why' in opened) return opened;
  const { held, unprotected } = opened;
  const shown = unprotected.map((path) => showName(path)).join(', ');
  const notes = shown === '' ? [] : [`root can still change ${shown}`];
  return { overlay: useOverlay(ports, tools, { source: sourceOf(request), root, holder: held.process, held }), notes };
}

/** Returns why no overlay can be mounted over the folder, or null. Tries it out, once in each process. */
export async function whyNoOverlay(
  ports: Ports,
  searchPath: string,
  root: DiskPath,
  copies: DiskPath,
): Promise<string | null> {
  const tools = await usableTools(ports, searchPath, root, copies);
  return 'why' in tools ? tools.why : null;
}

export async function usableTools(
  ports: Ports,
  searchPath: string,
  root: DiskPath,
  copies: DiskPath,
): Promise<OverlayTools | { readonly why: string }> {
  if (ports.platform !== 'linux') return { why: 'overlays exist on Linux only' };
  const tools = findTools(ports, searchPath, root);
  if ('missing' in tools)
    return { why: `the program ${tools.missing} is missing; it is part of util-linux or coreutils` };
  const mounted = mountBelow(ports, root);
  if (mounted !== null) return { why: `another file system is mounted in the folder, at ${showName(mounted)}` };
  const why = await probeOverlay(ports, tools, copies);
  return why === null ? tools : { why };
}

/** The overlay would show an empty folder instead. */
function mountBelow({ fs }: Ports, root: DiskPath): DiskPath | null {
  try {
    return fs.mountPoints()?.find((point) => point !== root && isInside(point, root)) ?? null;
  } catch (error) {
    if (error instanceof FsError) return null;
    throw error;
  }
}
