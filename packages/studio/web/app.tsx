import { useEffect, useState } from 'react';
import type { OutputOf, VERBS } from './api.ts';
import { callVerb, enter, isFailure, loadWorkspaces } from './api.ts';

type Listed = OutputOf<(typeof VERBS)['list']>;

type State =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly message: string; readonly hint: string }
  | { readonly kind: 'empty' }
  | { readonly kind: 'listed'; readonly checkpoints: Listed['checkpoints'] };

export function App() {
  const [state, setState] = useState<State>({ kind: 'loading' });
  useEffect(() => {
    let isShown = true;
    const show = (next: State): void => {
      if (isShown) setState(next);
    };
    load().then(show, (error: unknown) =>
      show({ kind: 'failed', message: error instanceof Error ? error.message : String(error), hint: '' }),
    );
    return () => {
      isShown = false;
    };
  }, []);
  return (
    <main>
      <h1>Studio</h1>
      <Content state={state} />
    </main>
  );
}

async function load(): Promise<State> {
  const entered = await enter();
  if (isFailure(entered)) return failed(entered.error);
  const listed = await loadWorkspaces();
  if (isFailure(listed)) return failed(listed.error);
  const first = listed.server.first ?? listed.workspaces.find(({ present }) => present)?.id;
  if (first === undefined) return { kind: 'empty' };
  const answer = await callVerb(first, 'list', { limit: 50, view: 'all' });
  return isFailure(answer) ? failed(answer.error) : { kind: 'listed', checkpoints: answer.output.checkpoints };
}

function failed({ message, hint }: { readonly message: string; readonly hint: string }): State {
  return { kind: 'failed', message, hint };
}

function Content({ state }: { readonly state: State }) {
  switch (state.kind) {
    case 'loading':
      return <p>Loading …</p>;
    case 'failed':
      return (
        <p role="alert">
          {state.message} {state.hint}
        </p>
      );
    case 'empty':
      return <p>There are no checkpoints yet. The first call of an agent, or `savepoint checkpoint`, takes one.</p>;
    case 'listed':
      return (
        <ol>
          {state.checkpoints.map(({ id, time, description }) => (
            <li key={id}>
              {id} {time} {description}
            </li>
          ))}
        </ol>
      );
  }
}
