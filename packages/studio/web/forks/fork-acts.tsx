import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { shownText } from '../data/names.ts';
import { useWorkspace } from '../data/workspace.ts';
import type { TakeBackRequest } from '../take-back/requests.ts';
import { useTakeBack } from '../take-back/take-back.tsx';
import { DropForkDialog } from './drop-fork-dialog.tsx';
import type { ForkRow } from './fork-queries.ts';
import type { ForkCheck } from './use-fork-check.ts';

export interface ForkActsProps {
  readonly fork: ForkRow;
  readonly check: ForkCheck;
  /** In the comparison, where there is also a way to the diff. */
  readonly isSmall?: boolean;
}

/** What a person does with a fork. With --read-only, only its diff is left. */
export function ForkActs({ fork, check, isSmall = false }: ForkActsProps) {
  const { id: workspace, server } = useWorkspace();
  const takeBack = useTakeBack();
  const [isDropping, setDropping] = useState(false);
  const name = shownText(fork.name);
  const size = isSmall ? 'button small' : 'button';
  return (
    <span className="fork-acts">
      {isSmall && (
        <Link
          className={size}
          to="/w/$workspace/forks/$fork"
          params={{ workspace, fork: fork.name }}
          aria-label={`Diff of ${name}`}
        >
          Diff
        </Link>
      )}
      {!server.isReadOnly && (
        <>
          <button
            type="button"
            className={size}
            data-act="check"
            disabled={check.isBusy}
            aria-label={isSmall ? `Check ${name}` : undefined}
            onClick={check.run}
          >
            {check.isBusy ? 'Checking …' : 'Check'}
          </button>
          <button
            type="button"
            className={`${size} quiet`}
            data-act="drop"
            aria-label={isSmall ? `Drop ${name}` : undefined}
            onClick={() => setDropping(true)}
          >
            Drop
          </button>
          <button
            type="button"
            className={`${size} ${isSmall ? '' : 'main'}`}
            data-act="merge"
            disabled={fork.state !== 'changed'}
            aria-label={isSmall ? `Merge ${name}` : undefined}
            onClick={() => takeBack(mergeRequest(fork.name))}
          >
            Merge
          </button>
        </>
      )}
      {isDropping && <DropForkDialog fork={fork} onClose={() => setDropping(false)} />}
    </span>
  );
}

function mergeRequest(fork: string): TakeBackRequest {
  return {
    title: `Merge ${shownText(fork)}`,
    selection: { kind: 'call', call: { verb: 'forkMerge', input: { name: fork } } },
    act: 'Merge',
  };
}
