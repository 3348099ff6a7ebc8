/** One row of a diff. It is drawn again only if something that it shows has changed: while a diff scrolls, most rows stay. */
import { memo, type ReactNode } from 'react';
import type { ContentSource } from '../api/call.ts';
import { CommentForm, type CommentFormProps } from '../comments/comment-form.tsx';
import { Thread } from '../comments/thread.tsx';
import type { DiffComments } from '../comments/use-comments.ts';
import { SideBySide, UnifiedLine } from './code-rows.tsx';
import type { DiffFile } from './diff-file.ts';
import { FileHead } from './file-head.tsx';
import { FindingRow } from './finding-row.tsx';
import { GapRow } from './gap-row.tsx';
import { ImageRow } from './image-row.tsx';
import type { LineAuthors } from './line-authors.ts';
import type { PatchHunk } from './patch.ts';
import type { DiffRow } from './rows.ts';

export interface RowViewProps {
  readonly row: DiffRow;
  /** Where images and hidden lines are loaded from; null: the state is not known. */
  readonly before: ContentSource | null;
  readonly after: ContentSource | null;
  readonly authors: LineAuthors | null;
  readonly isClosed: boolean;
  /** Whether the keys are about its hunk. */
  readonly isCurrent: boolean;
  /** Changes when more languages have colours. */
  readonly syntax: number;
  readonly fileActs: (file: DiffFile) => ReactNode;
  readonly hunkActs: (file: DiffFile, hunk: PatchHunk) => ReactNode;
  readonly onToggle: (key: string) => void;
  readonly onOpen: (file: DiffFile, gap: number, lines: number) => void;
  readonly comments: DiffComments | undefined;
  /** For the row in which a comment is written. */
  readonly form: CommentFormProps | null;
}

export const RowView = memo(function RowView(props: RowViewProps) {
  const { row, before, authors, isCurrent, hunkActs, onOpen } = props;
  switch (row.kind) {
    case 'file':
      return <Head file={row.file} isClosed={props.isClosed} onToggle={props.onToggle} fileActs={props.fileActs} />;
    case 'note':
      return <p className="diff-note">{row.text}</p>;
    case 'finding':
      return <FindingRow finding={row.finding} line={row.line} />;
    case 'thread':
      return props.comments === undefined ? null : (
        <Thread comments={row.comments} isPlaced={row.isPlaced} acts={props.comments} />
      );
    case 'form':
      return props.form === null ? null : <CommentForm {...props.form} />;
    case 'image':
      return <ImageRow file={row.file} before={before} after={props.after} />;
    case 'gap':
      return (
        <GapRow
          isCurrent={isCurrent}
          count={row.count}
          acts={row.hunk === null ? undefined : hunkActs(row.file, row.hunk)}
          canOpen={before !== null}
          onOpen={(lines) =>
            onOpen(row.file, row.hunk === null ? row.file.hunks.length : row.file.hunks.indexOf(row.hunk), lines)
          }
        />
      );
    case 'line':
      return <UnifiedLine row={row} authors={authors} isCurrent={isCurrent} />;
    case 'pair':
      return <SideBySide row={row} authors={authors} isCurrent={isCurrent} />;
  }
});

export type HeadProps = Pick<RowViewProps, 'isClosed' | 'onToggle' | 'fileActs'> & { readonly file: DiffFile };

export const Head = memo(function Head({ file, isClosed, onToggle, fileActs }: HeadProps) {
  return <FileHead file={file} isClosed={isClosed} onToggle={() => onToggle(file.key)} acts={fileActs(file)} />;
});
