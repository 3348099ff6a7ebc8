/**
 * The checks that a person trusts. A copy gets those of its workspace, so that they can also be run in it. There they have
 * the rights of every program in the copy, and what is trusted in the copy is trusted nowhere else.
 */

import { isHomeOfCopy } from '../../copy/home-of-copy.ts';
import { SavepointError } from '../../model/errors.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import type { StoreLayout } from '../../store/layout.ts';
import { makeFolders } from '../../store/private-folders.ts';
import { readTrust, type TrustedCheck, writeTrust } from '../../store/state/trust.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { Engine } from '../engine.ts';

/** @param layout of the store; null: there is none yet. @throws SavepointError STORE_DAMAGED */
export function trustedChecks(engine: Engine, layout: StoreLayout | null): readonly TrustedCheck[] {
  const { ports } = engine;
  const { home } = engine.options.places;
  const own = layout === null ? [] : readTrust(ports, layout);
  return isHomeOfCopy(home) ? [...readTrust(ports, { path: home }), ...own] : own;
}

/** @param place the folder of a copy of the workspace */
export function passTrustOn({ ports, store }: Workspace, place: DiskPath): void {
  try {
    const trusted = readTrust(ports, store.layout);
    if (trusted.length === 0) return;
    const home = diskChild(place, 'home');
    makeFolders(ports.fs, home, 0o700);
    writeTrust(ports, { path: home }, trusted);
  } catch (error) {
    // Then nothing is trusted in the copy, and `check` outside of it says why.
    if (!(error instanceof SavepointError && error.code === 'STORE_DAMAGED')) throw error;
  }
}
