import { Link } from '@tanstack/react-router';
import { actorName } from '../data/authors.ts';
import { type JsonName, shownText } from '../data/names.ts';
import { clockText, fullText } from '../data/times.ts';
import { useVerb } from '../data/verb-query.ts';
import { useWorkspace } from '../data/workspace.ts';
import { undoRequest } from '../take-back/requests.ts';
import { TakeBackButton } from '../take-back/take-back-button.tsx';

export interface TakenBackMarkProps {
  readonly path: JsonName;
  /** The operation that took it back. */
  readonly by: string;
  /** Whether something of it is left. */
  readonly isInPart?: boolean;
}

/** By whom and when something was taken back, and a way to undo that. */
export function TakenBackMark({ path, by, isInPart = false }: TakenBackMarkProps) {
  const { id: workspace } = useWorkspace();
  const { data } = useVerb('show', { checkpoint: by }, { isFixed: true });
  return (
    <span className="taken-back-mark">
      <span className="tag taken-back">
        {isInPart ? 'taken back in part' : 'taken back'}
        {data !== undefined && (
          <>
            {` by ${shownText(actorName(data.actor))}, `}
            <time dateTime={data.time} title={fullText(data.time)}>
              {clockText(data.time)}
            </time>
          </>
        )}
      </span>
      <Link
        className="checkpoint-id"
        title={data === undefined ? `What ${by} did` : shownText(data.description)}
        to="/w/$workspace/changes"
        params={{ workspace }}
        search={{ to: by }}
      >
        {by}
      </Link>
      <TakeBackButton request={undoRequest(by, path)} label="Undo …" isQuiet />
    </span>
  );
}
