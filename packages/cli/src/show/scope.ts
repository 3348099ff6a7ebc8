/** What others changed in the scope of an agent, as lines for people. */
import { type JsonName, showText } from '@savepoint/core';
import type { OutputOf, VERBS } from '@savepoint/core/frontend';
import type { OutputView } from '../view.ts';
import { authorsText, shortSession } from './authors.ts';
import { localTime, pathText } from './format.ts';

type ScopeJson = OutputOf<(typeof VERBS)['scopeList']>['scopes'][number];

const LISTED = 50;

/** One line for each changed path of a scope. */
export function changedLines({ changed, unrecorded }: ScopeJson, { style }: Pick<OutputView, 'style'>): string[] {
  const recorded = changed
    .slice(-LISTED)
    .map(
      (one) =>
        `  ${style.bad('changed')}  ${changedPath(one)}  ${authorsText(one)}, ${one.checkpoint}, ${localTime(one.time)}`,
    );
  const rest = changed.length - LISTED;
  return [
    ...(rest > 0 ? [`  … and ${rest} more before`] : []),
    ...recorded,
    ...unrecorded
      .slice(0, LISTED)
      .map((path) => `  ${style.bad('changed')}  ${pathText(path)}  since the last checkpoint, not recorded yet`),
  ];
}

export function scopeName({ session, agent }: ScopeJson): string {
  if (session === null) return 'the workspace';
  return `${showText(agent ?? 'the agent')} ${shortSession(session)}`;
}

export function damagedScopeLines(damaged: readonly JsonName[], { style }: Pick<OutputView, 'style'>): string[] {
  if (damaged.length === 0) return [];
  const hint = '`savepoint scope drop --all` removes such a scope.';
  return [style.bad(`A scope cannot be read: ${damaged.map(pathText).join(', ')}. ${hint}`)];
}

function changedPath({ path, from }: ScopeJson['changed'][number]): string {
  return from === null ? pathText(path) : `${pathText(from)} → ${pathText(path)}`;
}
