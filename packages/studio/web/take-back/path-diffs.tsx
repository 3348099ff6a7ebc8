/** What an operation would change, each path with its lines. */
import { useMemo } from 'react';
import { UnifiedLine } from '../diff/code-rows.tsx';
import type { DiffFile } from '../diff/diff-file.ts';
import { askForSyntax, useSyntaxVersion } from '../diff/syntax.ts';
import { Counts } from '../parts/counts.tsx';

export interface PathDiffsProps {
  readonly files: readonly DiffFile[];
  /** What happens to a path, in words. */
  readonly textOf: (file: DiffFile) => string;
}

/** If all have at most this many lines together, they are open. Otherwise the list of files would not be seen for lines. */
const OPEN_LINES = 300;
/** Of one file. A longer diff belongs into a view of its own. */
const MOST_LINES = 400;

export function PathDiffs({ files, textOf }: PathDiffsProps) {
  const open = useMemo(() => openFiles(files), [files]);
  useSyntaxVersion();
  return files.map((file) => {
    const hasLines = file.hunks.length > 0;
    const head = (
      <>
        <code>{file.title}</code> <span>{textOf(file)}</span>
        <Counts added={file.change.added} removed={file.change.removed} />
      </>
    );
    if (!hasLines && file.notes.length === 0) return <li key={file.key}>{head}</li>;
    return (
      <li key={file.key}>
        <details className="path-diff" open={open.has(file.key)}>
          <summary>{head}</summary>
          <Lines file={file} />
        </details>
      </li>
    );
  });
}

function Lines({ file }: { readonly file: DiffFile }) {
  askForSyntax(file.key);
  const lines = file.hunks.flatMap((hunk, index) => hunk.lines.map((line, at) => ({ hunk, line, at, index })));
  const more = lines.length - MOST_LINES;
  return (
    <div className="path-lines">
      {file.notes.map((note) => (
        <p key={note} className="diff-note">
          {note}
        </p>
      ))}
      {lines.slice(0, MOST_LINES).map(({ hunk, line, at, index }) => (
        <div key={`${index} ${at}`} className={at === 0 && index > 0 ? 'next-hunk' : undefined}>
          <UnifiedLine row={{ kind: 'line', key: '', file, hunk, line }} authors={null} isCurrent={false} />
        </div>
      ))}
      {more > 0 && <p className="diff-note">{more} more lines are not shown here.</p>}
    </div>
  );
}

function openFiles(files: readonly DiffFile[]): ReadonlySet<string> {
  const count = files.flatMap(({ hunks }) => hunks).reduce((sum, { lines }) => sum + lines.length, 0);
  return new Set(files.length === 1 || count <= OPEN_LINES ? files.map(({ key }) => key) : []);
}
