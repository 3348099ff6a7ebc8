import type { AgentProject } from './agent-project.ts';

interface Author {
  readonly actor: { readonly kind: string; readonly name: string; readonly id: string | null };
  readonly session: string | null;
  readonly call: string | null;
  readonly tool: string | null;
}

export interface TimelineChange {
  readonly id: string;
  readonly path: string;
  readonly from: string | null;
  readonly operation: string;
  readonly authors: readonly Author[];
  readonly grade: 'sure' | 'likely' | 'open';
}

export interface TimelineStep {
  readonly id: string;
  readonly number: number;
  readonly trigger: string;
  readonly session: string | null;
  readonly description: string;
  readonly toolCall: string | null;
  readonly tool: { readonly name: string; readonly kind: string; readonly summary: string } | null;
  readonly conversation: {
    readonly lastUser: string | null;
    readonly messages: number | null;
    readonly model: string | null;
  } | null;
  readonly late: boolean;
  readonly actor: Author['actor'];
  readonly changes: readonly TimelineChange[] | null;
}

/** The project's timeline, oldest first, as reported by `savepoint show`. */
export function timeline(project: AgentProject): readonly TimelineStep[] {
  const { checkpoints } = JSON.parse(project.ok('list', '--all', '--limit', '1000', '--json').stdout) as {
    readonly checkpoints: readonly { readonly id: string }[];
  };
  return checkpoints.toReversed().map(({ id }) => JSON.parse(project.ok('show', id, '--json').stdout) as TimelineStep);
}

/** A step in one line: `call Write: create a.txt (claude Write)`. Several authors, or an uncertain one, are visible. */
export function inOneLine(
  { trigger, tool, changes, late }: TimelineStep,
  isReported: (path: string) => boolean,
): string {
  const reported = (changes ?? []).filter(({ path }) => isReported(path)).map(changeInWords);
  const head = [trigger, tool?.name, ...(late ? ['late'] : [])].filter((part) => part !== undefined).join(' ');
  return reported.length === 0 ? head : `${head}: ${reported.toSorted().join(', ')}`;
}

function changeInWords({ path, from, operation, authors, grade }: TimelineChange): string {
  const by = authors.map(({ actor, tool }) => [actor.name, ...(tool === null ? [] : [tool])].join(' '));
  const whose = `${[...new Set(by)].toSorted().join(' or ')}${grade === 'open' ? ', perhaps' : ''}`;
  return `${operation} ${from === null ? '' : `${from} to `}${path} (${whose})`;
}
