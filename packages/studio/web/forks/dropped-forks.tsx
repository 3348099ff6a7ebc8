import { shownText } from '../data/names.ts';
import { agoText, fullText } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import { useNow } from '../parts/use-now.ts';
import { useBringBack } from './use-bring-back.ts';

export interface DroppedForksProps {
  /** The newest first. */
  readonly dropped: readonly { readonly from: string; readonly name: string; readonly time: string }[];
}

const MINUTE = 60_000;

/** Forks that were dropped, whose last state is kept. */
export function DroppedForks({ dropped }: DroppedForksProps) {
  const { server } = useWorkspace();
  const now = useNow(MINUTE);
  const bringBack = useBringBack();
  if (dropped.length === 0) return null;
  return (
    <details className="dropped-forks">
      <summary>Dropped: {dropped.length}</summary>
      <ul>
        {dropped.map(({ from, name, time }) => (
          <li key={from}>
            <code>{shownText(from)}</code>
            <span className="tag" title={fullText(time)}>
              {agoText(time, now)}
            </span>
            {!server.isReadOnly && (
              <button type="button" className="button small" onClick={() => bringBack(from, name)}>
                Bring back<span className="hidden"> {shownText(from)}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
