/** Runs the command of `savepoint run`: in a pseudo-terminal if there is a terminal, else with the same streams. */
import { basename } from 'node:path';
import { type ChildCommand, type ChildExit, runInForeground } from '../child.ts';
import type { CommandContext } from '../command.ts';
import { type ChosenKey, gestureKey } from './gesture-keys.ts';
import type { OverlayGesture } from './host.ts';
import type { HostedConversations } from './overlay/hosted-conversations.ts';

export interface HostedRun {
  readonly key: ChosenKey['key'];
  /** Prepares a program that the user lets follow. */
  readonly following: OverlayGesture['following'];
  readonly hosts: HostedConversations;
}

export async function runHosted(
  child: ChildCommand,
  { key, following, hosts }: HostedRun,
  { savepoint, view }: CommandContext,
): Promise<ChildExit> {
  const { runOnTerminal } = await import('./host.ts');
  const { GoBackOverlay } = await import('./go-back-overlay.ts');
  const { run } = await savepoint.config();
  const chosen = gestureKey({ key, setting: run.key }, child.file, child.args);
  const overlay = () => new GoBackOverlay(savepoint, view.style, basename(child.file), hosts);
  const gesture: OverlayGesture | null =
    chosen === null ? null : { key: chosen, withinMs: run.keyMs, overlay, following };
  return (await runOnTerminal(child, gesture)) ?? runInForeground(child);
}
