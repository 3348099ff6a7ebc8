/** The state of the workspace: what is recorded, what is not captured and why, and what it costs. */
import type { ReactNode } from 'react';
import { nameKey, shownLines, shownName, shownText } from '../data/names.ts';
import { bytesText, durationText, plural } from '../data/times.ts';
import { useVerb } from '../data/verb-query.ts';
import { useWorkspace } from '../data/workspace.ts';
import { Failure, Loading } from '../parts/message.tsx';
import { HealthPart } from './health-part.tsx';
import { RetentionPart } from './retention-part.tsx';
import { TrendsPart } from './trends-part.tsx';
import { VerifyPart } from './verify-part.tsx';

export function Overview() {
  const { path, isBundle } = useWorkspace();
  const status = useVerb('status', {});
  const stats = useVerb('stats', {});
  if (status.error !== null && status.data === undefined)
    return <Failure error={status.error} retry={() => void status.refetch()} />;
  if (status.data === undefined) return <Loading what="the state of the workspace" />;
  const { checkpoints, last, pending, capture, recordsAgents } = status.data;
  const figures = stats.data;
  return (
    <>
      <div className="view-head">
        <h1>Overview</h1>
        <span className="tag">{path}</span>
      </div>
      <div className="view-body overview">
        {pending.length > 0 && (
          <p className="notice">
            {plural(pending.length, 'operation')} was interrupted. Run <code>savepoint recover</code> to finish it or to
            roll it back.
          </p>
        )}
        {!recordsAgents && <p className="notice">The configuration turns off the recording of agents here.</p>}
        <section aria-label="Figures">
          <h2>Figures</h2>
          <dl>
            <Figure name="Checkpoints">{checkpoints.toLocaleString('en')}</Figure>
            <Figure name="Newest">{last === null ? 'none' : `${last.id}: ${shownText(last.description)}`}</Figure>
            {figures !== undefined && (
              <>
                <Figure name="Changes by agents that are in effect">
                  {figures.changes.standing} of {figures.changes.all}
                  {figures.changes.success !== null && ` (${percent(figures.changes.success)})`}
                </Figure>
                <Figure name="Calls with something taken back">
                  {figures.steps.takenBack} of {figures.steps.all}
                </Figure>
                <Figure name="Duration of a call">{medianText(figures.timeToApply, 'no call yet')}</Figure>
                <Figure name="Plans">
                  {figures.plans.all} proposed, {figures.plans.applied} applied, {figures.plans.rolledBack} rolled back
                </Figure>
                <Figure name="From the approval of a plan until it is applied">
                  {medianText(figures.plans.timeToApply, 'no plan applied yet')}
                </Figure>
              </>
            )}
          </dl>
        </section>
        <TrendsPart />
        <HealthPart />
        <RetentionPart bytes={figures?.storage.total ?? null} />
        <section aria-label="Not captured">
          <h2>Not captured</h2>
          {capture === null || capture.leftOut.length + capture.partial.length === 0 ? (
            <p>
              {isBundle
                ? 'A bundle has no files that were ignored or private, unless its author included them.'
                : 'Everything that is not ignored is captured.'}
            </p>
          ) : (
            <ul>
              {[...capture.partial, ...capture.leftOut].map((gap) => (
                <li key={nameKey(gap.path)}>
                  <code>{shownName(gap.path)}</code> {REASONS[gap.reason] ?? gap.reason}
                  {gap.size !== null && `, ${bytesText(gap.size)}`}
                </li>
              ))}
            </ul>
          )}
          {capture?.warnings.map((warning) => (
            <p key={warning}>{shownLines(warning)}</p>
          ))}
        </section>
        <VerifyPart />
      </div>
    </>
  );
}

const REASONS: Readonly<Record<string, string>> = {
  'too-large': 'is too large (option max_file_mb)',
  special: 'is a special file',
  mount: 'is another file system',
  unreadable: 'cannot be read',
  name: 'has a name that cannot be stored',
  excluded: 'is excluded by the configuration',
  'dependency-folder': 'is a folder of dependencies',
};

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function medianText({ median }: { readonly median: number | null }, none: string): string {
  return median === null ? none : `${durationText(median)} (median)`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
