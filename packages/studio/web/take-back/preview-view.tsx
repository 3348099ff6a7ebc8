import { useMemo } from 'react';
import { nameKey, shownLines, shownName, shownText, textOf } from '../data/names.ts';
import { plural } from '../data/times.ts';
import type { DiffFile } from '../diff/diff-file.ts';
import { PathDiffs } from './path-diffs.tsx';
import { pathFiles } from './path-files.ts';
import type { Decisions, Preview } from './requests.ts';
import { Line, Section } from './sections.tsx';
import { TakenBackBefore } from './taken-back-before.tsx';

export interface PreviewViewProps {
  readonly preview: Preview;
  /** Changes come in from elsewhere, so that nothing is brought back. */
  readonly isMerge: boolean;
  readonly decisions: Decisions;
  readonly onDecide: (decisions: Decisions) => void;
}

const OPERATIONS = {
  create: 'brought back',
  write: 'changed',
  patch: 'changed',
  delete: 'deleted',
  rename: 'renamed',
  mode: 'permissions changed',
  kind: 'replaced',
} as const;

/** What would happen, path by path: first conflicts and refusals, then what changes, then what stays. */
export function PreviewView({ preview, isMerge, decisions, onDecide }: PreviewViewProps) {
  const { paths, kept, conflicts, refused, notes } = preview.plan;
  const skipped = 'skipped' in preview ? preview.skipped : [];
  const openCalls = 'openCalls' in preview ? preview.openCalls : [];
  const files = useMemo(() => pathFiles(preview), [preview]);
  const merged = new Set(paths.filter((one) => one.merged).map(({ path }) => nameKey(path)));
  const textOfFile = ({ key, change: { operation } }: DiffFile): string =>
    `${isMerge && operation === 'create' ? 'new' : OPERATIONS[operation]}${merged.has(key) ? ', merged with later changes, which stay' : ''}`;
  const isNothing = preview.outcome === 'nothing';
  return (
    <div className="preview">
      {'undoes' in preview && preview.undoes !== null && <p>This takes back what {preview.undoes} did.</p>}
      {isNothing && (
        <p>
          {isMerge
            ? 'There is nothing to merge: the files are already like this.'
            : 'There is nothing left to take back: these changes were taken back before, or the files are already like this.'}
        </p>
      )}
      {conflicts.length > 0 && (
        <Section tone="danger" title={`${plural(conflicts.length, 'conflict')}: nothing is changed unless you decide`}>
          {conflicts.map(({ path, why, sides }) => (
            <li key={nameKey(path)}>
              <code>{shownName(path)}</code> <span>{shownText(why)}</span>
              {!isMerge && <TakenBackBefore path={path} />}
              {sides?.text != null && <pre>{shownLines(textOf(sides.text))}</pre>}
              {sides !== null && (
                <p className="choices">
                  <button
                    type="button"
                    className="button small"
                    onClick={() => onDecide({ ...decisions, ours: [...(decisions.ours ?? []), path] })}
                  >
                    Keep the current lines
                  </button>
                  <button
                    type="button"
                    className="button small"
                    onClick={() => onDecide({ ...decisions, theirs: [...(decisions.theirs ?? []), path] })}
                  >
                    {isMerge ? 'Take the lines of the fork' : 'Bring back the earlier lines'}
                  </button>
                  <button
                    type="button"
                    className="button small"
                    onClick={() => onDecide({ ...decisions, skipConflicts: true })}
                  >
                    Leave out files in conflict
                  </button>
                </p>
              )}
            </li>
          ))}
        </Section>
      )}
      {openCalls.length > 0 && decisions.force !== true && (
        <Section tone="warning" title="A running call may write the same files">
          {openCalls.map(({ call, agent, tool, summary }) => (
            <li key={call}>
              {shownText(agent)}: {shownText(tool)} <code>{shownText(summary)}</code>
            </li>
          ))}
          <li>
            <button type="button" className="button small" onClick={() => onDecide({ ...decisions, force: true })}>
              Take back nevertheless
            </button>
          </li>
        </Section>
      )}
      {refused.length > 0 && (
        <Section tone="danger" title="Cannot be backed up, so it is refused">
          {refused.map(({ path, why }) => (
            <Line key={nameKey(path)} path={shownName(path)} text={shownText(why)} />
          ))}
        </Section>
      )}
      {paths.length > 0 && (
        <Section title={`${plural(files.length, 'path')} ${files.length === 1 ? 'changes' : 'change'}`}>
          <PathDiffs files={files} textOf={textOfFile} />
        </Section>
      )}
      {(kept.length > 0 || skipped.length > 0) && (
        <Section title="Stays as it is">
          {kept.map(({ path, why }) => (
            <Line key={nameKey(path)} path={shownName(path)} text={shownText(why)} />
          ))}
          {skipped.map(({ id, path, why }) => (
            <Line key={id} path={`${shownName(path)} (${id})`} text={shownText(why)} />
          ))}
        </Section>
      )}
      {notes.length > 0 && (
        <Section title="Also">
          {notes.map(({ path, note }) => (
            <Line key={`${nameKey(path)} ${note}`} path={shownName(path)} text={shownText(note)} />
          ))}
        </Section>
      )}
    </div>
  );
}
