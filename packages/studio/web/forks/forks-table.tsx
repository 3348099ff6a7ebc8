import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type JsonName, nameKey, shownName, shownText } from '../data/names.ts';
import { agoText, bytesText, fullText, plural } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import { Counts } from '../parts/counts.tsx';
import { OperationTag } from '../parts/operation-tag.tsx';
import { useNow } from '../parts/use-now.ts';
import { ForkActs } from './fork-acts.tsx';
import { ForkChecks, ForkState, RunState } from './fork-facts.tsx';
import type { Compared, ForkChange, ForkRow } from './fork-queries.ts';
import { useForkCheck } from './use-fork-check.ts';

export interface ForksTableProps {
  readonly forks: readonly ForkRow[];
  readonly files: ReadonlyMap<string, readonly ForkChange[]>;
  /** Undefined: not known yet, or there is nothing to compare. */
  readonly compared: Compared | undefined;
}

const MINUTE = 60_000;
const MOST_FILES = 400;

/** A column for each fork, a row for each fact, and then one for each file that any of them changes. */
export function ForksTable({ forks, files, compared }: ForksTableProps) {
  const now = useNow(MINUTE);
  const rows = fileRows(files);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="view-body forks" aria-label="Comparison of the forks" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <td />
            {forks.map((fork) => (
              <th key={fork.id} scope="col">
                <ForkLink name={fork.name} />
                <RowActs fork={fork} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Fact title="State" forks={forks}>
            {(fork) => <ForkState state={fork.state} />}
          </Fact>
          <Fact title="What a merge brings" forks={forks}>
            {({ totals }) => (
              <>
                {plural(totals.files, 'file')} <Counts added={totals.added} removed={totals.removed} />
              </>
            )}
          </Fact>
          <Fact title="Conflicts with the workspace" forks={forks}>
            {({ name }) => <Conflicts of={compared?.forks.find((one) => one.name === name)?.conflicts} />}
          </Fact>
          {forks.length > 1 && (
            <Fact title="If another one is merged first" forks={forks}>
              {({ name }) => <Pairs name={name} compared={compared} />}
            </Fact>
          )}
          <Fact title="Checks" forks={forks}>
            {({ checks }) => <ForkChecks checks={checks} />}
          </Fact>
          <Fact title="Command" forks={forks}>
            {({ runs: [newest] }) =>
              newest === undefined ? <span className="tag">none</span> : <RunState run={newest} />
            }
          </Fact>
          <Fact title="Created" forks={forks}>
            {({ checkpoint, created, branch, bytes, plan }) => (
              <span className="facts">
                <span title={fullText(created)}>{agoText(created, now)}</span>
                <span>from {checkpoint}</span>
                {branch !== null && <span>branch {shownText(branch)}</span>}
                {plan !== null && <span>with {plan}</span>}
                <span>{bytesText(bytes)}</span>
              </span>
            )}
          </Fact>
        </tbody>
        <tbody className="files">
          {rows.slice(0, MOST_FILES).map(({ key, path, byFork }) => (
            <tr key={key} className={byFork.size > 1 ? 'in-common' : ''}>
              <th scope="row" title={shownName(path)}>
                <code>{shownName(path)}</code>
              </th>
              {forks.map(({ id, name }) => (
                <td key={id}>
                  <FileCell name={name} change={byFork.get(name)} why={conflictOf(compared, name, key)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MOST_FILES && (
        <p className="quiet-text">
          and {plural(rows.length - MOST_FILES, 'more file')}: open a fork to see all of its own.
        </p>
      )}
    </section>
  );
}

interface FactProps {
  readonly title: string;
  readonly forks: readonly ForkRow[];
  readonly children: (fork: ForkRow) => ReactNode;
}

function Fact({ title, forks, children }: FactProps) {
  return (
    <tr>
      <th scope="row">{title}</th>
      {forks.map((fork) => (
        <td key={fork.id}>{children(fork)}</td>
      ))}
    </tr>
  );
}

function ForkLink({ name }: { readonly name: string }) {
  const { id: workspace } = useWorkspace();
  return (
    <Link className="fork-name" data-fork={name} to="/w/$workspace/forks/$fork" params={{ workspace, fork: name }}>
      {shownText(name)}
    </Link>
  );
}

type Conflict = Compared['forks'][number]['conflicts'];

function Conflicts({ of }: { readonly of: Conflict | undefined }) {
  if (of === undefined) return <span className="tag">–</span>;
  if (of.length === 0) return <span className="tag pass">none</span>;
  return <span className="tag fail">{plural(of.length, 'file')}</span>;
}

function Pairs({ name, compared }: { readonly name: string; readonly compared: Compared | undefined }) {
  const { id: workspace } = useWorkspace();
  const pairs = (compared?.pairs ?? []).filter(({ forks }) => forks.includes(name));
  if (compared === undefined) return <span className="tag">–</span>;
  return (
    <ul className="fork-pairs">
      {pairs.map(({ forks, common, conflicts }) => {
        const other = forks.find((one) => one !== name) ?? '';
        const tone = conflicts.length > 0 ? 'fail' : 'pass';
        const text = conflicts.length > 0 ? `conflicts in ${plural(conflicts.length, 'file')}` : 'merges';
        return (
          <li key={other}>
            {shownText(other)} <span className={`tag ${tone}`}>{text}</span>
            {common.length > 0 && <span className="tag"> {common.length} in common</span>}{' '}
            <Link
              to="/w/$workspace/forks/$fork"
              params={{ workspace, fork: name }}
              search={{ with: other }}
              aria-label={`Compare the files of ${shownText(name)} and ${shownText(other)}`}
            >
              compare
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

interface FileCellProps {
  readonly name: string;
  readonly change: ForkChange | undefined;
  readonly why: string | null;
}

function FileCell({ name, change, why }: FileCellProps) {
  const { id: workspace } = useWorkspace();
  if (change === undefined) return null;
  return (
    <Link to="/w/$workspace/forks/$fork" params={{ workspace, fork: name }} search={{ file: nameKey(change.path) }}>
      <span className="hidden">
        {shownName(change.path)} in {shownText(name)}{' '}
      </span>
      <OperationTag operation={change.operation} />
      <Counts added={change.added} removed={change.removed} />
      {why !== null && (
        <span className="tag fail" title={shownText(why)}>
          conflict
        </span>
      )}
    </Link>
  );
}

interface FileRow {
  readonly key: string;
  readonly path: JsonName;
  readonly byFork: ReadonlyMap<string, ForkChange>;
}

/** Files that several forks change come first. */
function fileRows(files: ReadonlyMap<string, readonly ForkChange[]>): readonly FileRow[] {
  const rows = new Map<string, { path: JsonName; byFork: Map<string, ForkChange> }>();
  for (const [name, changes] of files) {
    for (const change of changes) {
      const key = nameKey(change.path);
      const row = rows.get(key) ?? { path: change.path, byFork: new Map() };
      row.byFork.set(name, change);
      rows.set(key, row);
    }
  }
  return [...rows]
    .map(([key, row]) => ({ key, ...row }))
    .toSorted((one, other) => other.byFork.size - one.byFork.size || (one.key < other.key ? -1 : 1));
}

function conflictOf(compared: Compared | undefined, name: string, key: string): string | null {
  const found = compared?.forks.find((one) => one.name === name)?.conflicts ?? [];
  return found.find(({ path }) => nameKey(path) === key)?.why ?? null;
}

function RowActs({ fork }: { readonly fork: ForkRow }) {
  const check = useForkCheck(fork.name);
  return <ForkActs fork={fork} check={check} isSmall />;
}
