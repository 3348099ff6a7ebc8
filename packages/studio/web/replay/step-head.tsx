import { Link } from '@tanstack/react-router';
import { actorName } from '../data/authors.ts';
import { shownLines, shownText } from '../data/names.ts';
import { clockText, fullText, plural } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import { AuthorMark } from '../parts/author-mark.tsx';
import { Counts } from '../parts/counts.tsx';
import type { Step } from './steps.ts';

/** Who did what in a step, for which words, and how its checks went. */
export function StepHead({ step }: { readonly step: Step }) {
  const { id: workspace, server, isBundle } = useWorkspace();
  const { actor, words, time, calls, files, added, removed, testResult, from, to, session, isTakenBack } = step;
  const unknown = isBundle ? 'The prompt is not in the bundle' : 'Work without a recorded prompt';
  return (
    <section className="step-head" aria-label="Step">
      <AuthorMark actor={actor} />
      <div className="what">
        <h2>{words === null ? unknown : shownLines(words)}</h2>
        <p className="facts">
          <span>{shownText(actorName(actor))}</span>
          <time dateTime={time} title={fullText(time)}>
            {clockText(time)}
          </time>
          {calls !== null && <span>{plural(calls, 'call')}</span>}
          <span>{plural(files, 'file')}</span>
          {testResult !== null && (
            <span className={`tag ${testResult}`}>tests {testResult === 'pass' ? 'pass' : 'fail'}</span>
          )}
          {isTakenBack && <span className="tag taken-back">taken back</span>}
        </p>
      </div>
      <Counts added={added} removed={removed} />
      {from !== null && (
        <Link
          className="button small"
          to="/w/$workspace/changes"
          params={{ workspace }}
          search={session === null ? { to } : { from, to, session }}
        >
          Changes
        </Link>
      )}
      {!server.isReadOnly && (
        <Link className="button small" to="/w/$workspace/forks" params={{ workspace }} search={{ from: to }}>
          Fork from here
        </Link>
      )}
    </section>
  );
}
