/** The lines of a diff: below one another, or side by side. */
import { AuthorCell } from './author-cell.tsx';
import type { LineAuthors } from './line-authors.ts';
import { LineText } from './line-text.tsx';
import type { PatchHunk, PatchLine } from './patch.ts';
import type { DiffRow } from './rows.ts';
import { lineSyntax } from './syntax.ts';
import { wordRanges } from './words.ts';

export type LineRow = Extract<DiffRow, { readonly kind: 'line' }>;
export type PairRow = Extract<DiffRow, { readonly kind: 'pair' }>;

const SIGNS = { same: ' ', added: '+', removed: '−' } as const;
const SPOKEN = { same: '', added: 'added', removed: 'removed' } as const;

export interface UnifiedLineProps {
  readonly row: LineRow;
  readonly authors: LineAuthors | null;
  /** Whether the keys are about its hunk. */
  readonly isCurrent: boolean;
}

export function UnifiedLine({ row, authors, isCurrent }: UnifiedLineProps) {
  const { line, hunk, file } = row;
  return (
    <div className={`code-row ${line.kind} ${isCurrent ? 'is-current' : ''}`}>
      <LineAuthor line={line} authors={authors} hunk={hunk} />
      <span className="number">{line.before ?? ''}</span>
      <span className="number">{line.after ?? ''}</span>
      <Sign kind={line.kind} />
      <code>
        <Text path={file.key} hunk={hunk} line={line} />
      </code>
    </div>
  );
}

export interface SideBySideProps {
  readonly row: PairRow;
  readonly authors: LineAuthors | null;
  readonly isCurrent: boolean;
}

export function SideBySide({ row, authors, isCurrent }: SideBySideProps) {
  const { left, right, hunk, file } = row;
  return (
    <div className={`code-pair ${isCurrent ? 'is-current' : ''}`}>
      <div className={`code-row ${left?.kind ?? 'none'}`}>
        <span className="number">{left?.before ?? ''}</span>
        <Sign kind={left?.kind ?? 'same'} />
        <code>{left !== null && <Text path={file.key} hunk={hunk} line={left} />}</code>
      </div>
      <div className={`code-row ${right?.kind ?? 'none'}`}>
        {right === null ? <span className="author-cell" /> : <LineAuthor line={right} authors={authors} hunk={hunk} />}
        <span className="number">{right?.after ?? ''}</span>
        <Sign kind={right?.kind ?? 'same'} />
        <code>{right !== null && <Text path={file.key} hunk={hunk} line={right} />}</code>
      </div>
    </div>
  );
}

function Sign({ kind }: { readonly kind: PatchLine['kind'] }) {
  return (
    <span className="sign">
      <span aria-hidden="true">{SIGNS[kind]}</span>
      <span className="hidden">{SPOKEN[kind]}</span>
    </span>
  );
}

function Text({ path, hunk, line }: { readonly path: string; readonly hunk: PatchHunk; readonly line: PatchLine }) {
  return <LineText line={line} parts={lineSyntax(path, hunk, line)} ranges={wordRanges(hunk, line)} />;
}

interface LineAuthorProps {
  readonly line: PatchLine;
  readonly hunk: PatchHunk;
  readonly authors: LineAuthors | null;
}

function LineAuthor({ line, hunk, authors }: LineAuthorProps) {
  const range = line.after === null ? null : (authors?.(line.after) ?? null);
  // The mark is at the first line of a range, or where a hunk begins inside of one.
  const isFirst = range !== null && (line.after === range.first || line.after === hunk.after[0]);
  return <AuthorCell range={range} isFirst={isFirst} />;
}
