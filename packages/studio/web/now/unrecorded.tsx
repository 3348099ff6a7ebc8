import { Link } from '@tanstack/react-router';
import { nameKey, shownName } from '../data/names.ts';
import { useOpenCalls } from '../data/open-calls.ts';
import { useVerb } from '../data/verb-query.ts';
import { useWorkspace } from '../data/workspace.ts';
import { AuthorMark } from '../parts/author-mark.tsx';
import { Counts } from '../parts/counts.tsx';

/** Files that differ from the last checkpoint: no event tells of them, so they are compared again and again. */
const AGAIN_MS = 2_500;

export function Unrecorded() {
  const { id: workspace } = useWorkspace();
  const { data } = useVerb('diff', {}, { keepsLast: true, againMs: AGAIN_MS });
  const isAgentActive = useOpenCalls(workspace).length > 0;
  const changes = data?.changes ?? [];
  return (
    <section aria-label="Not in a checkpoint yet">
      <h2>
        {isAgentActive ? 'Not in a checkpoint yet' : 'Edits from outside, not in a checkpoint yet'}
        {changes.length > 0 && (
          <Link to="/w/$workspace/changes" params={{ workspace }} search={{}}>
            Show the diff
          </Link>
        )}
      </h2>
      {changes.length === 0 ? (
        <p className="quiet-text">
          Everything is in the last checkpoint{data?.from == null ? '' : `, ${data.from.id}`}.
        </p>
      ) : (
        <ul>
          {changes.map(({ path, added, removed }) => (
            <li key={nameKey(path)} className="file-row">
              {!isAgentActive && <AuthorMark actor={OUTSIDE} />}
              <Link to="/w/$workspace/changes" params={{ workspace }} search={{ file: nameKey(path) }}>
                {shownName(path)}
              </Link>
              <Counts added={added} removed={removed} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** No call of any agent is open. Whether a person did it or one of their programs is not known. */
const OUTSIDE = { kind: 'outside', name: 'outside', version: null, id: null } as const;
