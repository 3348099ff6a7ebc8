/** Lists what a scan could not capture. The list is shown after every scan until the problem is solved. */

import { showText } from '@savepoint/core';
import type { OutputOf, VERBS } from '@savepoint/core/frontend';
import type { OutputView } from '../view.ts';
import { countText, pathText, sizeText } from './format.ts';

export type CaptureJson = OutputOf<(typeof VERBS)['checkpoint']>['capture'];
export type GapJson = CaptureJson['partial'][number];

export const LISTED = 10;

/** How many lines of a list to print. */
export function listedIn({ isPage }: Pick<OutputView, 'isPage'>, most = LISTED): number {
  return isPage ? Number.POSITIVE_INFINITY : most;
}

const REASONS: Readonly<Record<GapJson['reason'], string>> = {
  'too-large': 'larger than the limit',
  ignored: 'ignored',
  'dependency-folder': 'dependency or cache folder',
  special: 'not a file, folder or link',
  mount: 'mount point of another file system',
  unreadable: 'unreadable',
  name: 'git refuses this name, or a link with this name',
  repository: '.git folder',
  own: 'belongs to Savepoint',
  excluded: 'excluded by the configuration',
  purged: 'purged from the store',
  private: 'private, not included in the bundle',
};

export function gapReason({ reason, size: bytes, code }: GapJson): string {
  const more = code ?? (bytes === null ? '' : sizeText(bytes));
  return `${REASONS[reason]}${more === '' ? '' : `, ${more}`}`;
}

export function captureNotes(capture: CaptureJson, view: Pick<OutputView, 'isPage'>): string[] {
  const most = listedIn(view);
  return [
    ...listWithHeading(
      capture.partial.map((gap) => `${pathText(gap.path)} (${gapReason(gap)})`),
      (count) =>
        `partial: ${countText(count, 'path')} could not be read and ${count === 1 ? 'is' : 'are'} not captured:`,
      most,
    ),
    ...listWithHeading(
      capture.leftOut.map((gap) => `${pathText(gap.path)} (${gapReason(gap)})`),
      () => 'not captured:',
      most,
    ),
    ...listWithHeading(
      capture.unsettled.map(pathText),
      (count) => `unsettled: ${countText(count, 'file')} kept changing while being read:`,
      most,
    ),
    ...captureWarnings(capture),
  ];
}

export function captureWarnings({ warnings }: CaptureJson): string[] {
  return warnings.map((warning) => `warning: ${showText(warning)}`);
}

/** Returns a heading with at most `most` lines below it. */
export function listWithHeading(lines: readonly string[], heading: (count: number) => string, most = LISTED): string[] {
  if (lines.length === 0) return [];
  const rest = lines.length - most;
  return [
    heading(lines.length),
    ...lines.slice(0, most).map((line) => `  ${line}`),
    ...(rest > 0 ? [`  … and ${rest} more (all with --json)`] : []),
  ];
}
