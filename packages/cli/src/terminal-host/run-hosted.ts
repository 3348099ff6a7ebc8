/** Runs the command of `savepoint run`: in a pseudo-terminal if there is a terminal, else with the same streams. */
import { basename } from 'node:path';
import { showText } from '@savepoint/core';
import { type ChildCommand, type ChildExit, runInForeground } from '../child.ts';
import type { CommandContext } from '../command.ts';
import { type ChosenKey, gestureKey } from './gesture-keys.ts';
import type { OverlayGesture, ShowOverlay } from './host.ts';
import type { HostedConversations } from './overlay/hosted-conversations.ts';

export interface HostedRun {
  readonly key: ChosenKey['key'];
  /** Prepares a program that the user lets follow. */
  readonly following: OverlayGesture['following'];
  readonly hosts: HostedConversations;
  /** Called once if pages can be shown over the program at any time. */
  readonly onPages?: (show: ShowOverlay) => void;
}

export async function runHosted(
  child: ChildCommand,
  { key, following, hosts, onPages }: HostedRun,
  { savepoint, view }: CommandContext,
): Promise<ChildExit> {
  const { runOnTerminal } = await import('./host.ts');
  const { PageOverlay } = await import('./page-overlay.ts');
  const { run } = await savepoint.config();
  const chosen = gestureKey({ key, setting: run.key }, child.file, child.args);
  const program = showText(basename(child.file));
  const overlay = () =>
    new PageOverlay(view.style, async (ui) => {
      const { showOverlay } = await import('./overlay/overlay.ts');
      await showOverlay(ui, { savepoint, program, hosts });
    });
  const gesture: OverlayGesture | null =
    chosen === null ? null : { key: chosen, withinMs: run.keyMs, overlay, following };
  return (await runOnTerminal(child, gesture, onPages)) ?? runInForeground(child);
}
