/** One continuous diff over all files. Only what is in sight is drawn. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ContentSource } from '../api/call.ts';
import type { DiffComments } from '../comments/use-comments.ts';
import { type Command, useCommands } from '../shell/keys.ts';
import { ChosenBar } from './chosen-bar.tsx';
import { useChosenLineKeys } from './chosen-line-keys.ts';
import { type ChosenLines, useLineChoice } from './chosen-lines.ts';
import type { DiffFile } from './diff-file.ts';
import { useLineAuthors } from './line-authors.ts';
import { type LineTarget, useLineTarget } from './line-target.ts';
import { useOpenedContext } from './opened-context.ts';
import type { PatchHunk } from './patch.ts';
import { Head, RowView } from './row-view.tsx';
import { type DiffRow, diffRows, type RowOptions } from './rows.ts';
import { askForSyntax, useSyntaxVersion } from './syntax.ts';

export interface DiffListProps {
  readonly files: readonly DiffFile[];
  /** The checkpoint before; null: there is none. */
  readonly from: string | null;
  /** The state before, for hidden lines and images. Default: that checkpoint. */
  readonly before?: ContentSource;
  /** The checkpoint after; null: the files as they are now, unless `plan` is given. */
  readonly to: string | null;
  /** The plan whose proposed contents are the state after. */
  readonly plan?: string;
  /** Whether the lines are in files of the state after, so that their authors are known. */
  readonly hasAuthors: boolean;
  readonly isSideBySide: boolean;
  /** The key of the file to scroll to. */
  readonly file?: string | undefined;
  /** A line to bring into sight. Keep the object as long as it is the same. */
  readonly target?: LineTarget | null;
  readonly onFile: (key: string) => void;
  /** Called with the file at the top, when that is another one. */
  readonly onTop: (key: string) => void;
  /** What can be done with a file, and with its hunks. Absent: nothing. */
  readonly fileActs?: (file: DiffFile) => ReactNode;
  readonly hunkActs?: (file: DiffFile, hunk: PatchHunk) => ReactNode;
  readonly hasHunkActs?: (file: DiffFile) => boolean;
  /** The hunk that the keys are about. */
  readonly currentHunk?: PatchHunk | undefined;
  readonly findings?: RowOptions['findings'];
  /** Absent: there are no comments here. */
  readonly comments?: DiffComments;
  /** Takes chosen lines back. Absent: it cannot be done here. */
  readonly onTakeBackLines?: ((lines: ChosenLines) => void) | undefined;
}

const HEIGHTS: Readonly<Record<DiffRow['kind'], number>> = {
  file: 40,
  note: 28,
  finding: 28,
  thread: 72,
  form: 140,
  image: 264,
  gap: 28,
  line: 20,
  pair: 20,
};
const nothing = (): null => null;
const never = (): boolean => false;
/** Rows that stay in sight above the current hunk. */
const ABOVE = 3;
const NO_FINDINGS: RowOptions['findings'] = new Map();
const NO_THREADS: RowOptions['threads'] = new Map();

export const DiffList = memo(function DiffList(props: DiffListProps) {
  const { files, from, to, hasAuthors, isSideBySide, file, onFile, onTop } = props;
  const { fileActs = nothing, hunkActs = nothing, hasHunkActs: hasActs = never } = props;
  const syntax = useSyntaxVersion();
  const scroll = useRef<HTMLDivElement>(null);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const findings = props.findings ?? NO_FINDINGS;
  const { comments } = props;
  const threads = comments?.threads ?? NO_THREADS;
  const [formBelow, setFormBelow] = useState<string | null>(null);
  const { plan, before: givenBefore } = props;
  const before = useMemo(
    (): ContentSource | null => givenBefore ?? (from === null ? null : { at: from }),
    [givenBefore, from],
  );
  const { opened, open } = useOpenedContext(before);
  const after = useMemo((): ContentSource => {
    if (plan !== undefined) return { plan, state: 'proposed' };
    return to === null ? { folder: 'now' } : { at: to };
  }, [plan, to]);
  const rows = useMemo(
    () => diffRows(files, { isSideBySide, closed, opened, hasActs, findings, threads, formBelow }),
    [files, isSideBySide, closed, opened, hasActs, findings, threads, formBelow],
  );
  const choice = useLineChoice(rows);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    // With another function, the places of all rows are computed again.
    estimateSize: useCallback((index: number) => HEIGHTS[rows[index]?.kind ?? 'line'], [rows]),
    getItemKey: useCallback((index: number) => rows[index]?.key ?? index, [rows]),
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const inSight = useMemo(
    () => [...new Set(items.map(({ index }) => rows[index]?.file).filter((one) => one !== undefined))],
    [items, rows],
  );
  for (const one of inSight) askForSyntax(one.key);
  const topRow = rows[virtual.getVirtualItemForOffset(virtual.scrollOffset ?? 0)?.index ?? 0];
  // Its head has scrolled out, while its lines are in sight.
  const top = topRow?.kind === 'file' ? undefined : topRow?.file;
  const authors = useLineAuthors({
    keys: inSight.filter(({ change }) => change.after?.kind === 'file').map(({ key }) => key),
    at: to,
    isEnabled: hasAuthors,
  });
  const isAtEnd = (virtual.scrollOffset ?? 0) + (virtual.scrollRect?.height ?? 0) >= virtual.getTotalSize() - 1;
  // The last files cannot be scrolled to the top.
  const isChosen = isAtEnd && inSight.some(({ key }) => key === file);
  const topKey = isChosen ? file : topRow?.file.key;
  useEffect(() => {
    if (topKey !== undefined) onTop(topKey);
  }, [topKey, onTop]);
  const toFile = useCallback(
    (key: string) => {
      const index = rows.findIndex((row) => row.kind === 'file' && row.file.key === key);
      if (index >= 0) virtual.scrollToIndex(index, { align: 'start' });
    },
    [rows, virtual],
  );
  const wanted = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (file !== undefined && file !== wanted.current && rows.length > 0) toFile(file);
    wanted.current = file;
  }, [file, rows, toFile]);
  const targetRow = useLineTarget({
    target: props.target ?? null,
    rows,
    open: useCallback(
      (one: DiffFile, gap: number) => {
        setClosed((now) => new Set([...now].filter((key) => key !== one.key)));
        open(one, gap, Number.MAX_SAFE_INTEGER);
      },
      [open],
    ),
    scrollTo: useCallback((index: number) => virtual.scrollToIndex(index, { align: 'center' }), [virtual]),
  });
  const { currentHunk } = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another hunk scrolls; rows also change for other reasons
  useEffect(() => {
    const index = rows.findIndex((row) => 'hunk' in row && row.hunk === currentHunk && row.hunk !== null);
    if (index >= 0) virtual.scrollToIndex(Math.max(0, index - ABOVE), { align: 'start' });
  }, [currentHunk]);
  useFileKeys(files, topKey, (key) => {
    toFile(key);
    onFile(key);
  });
  const closeForm = useCallback(() => {
    setFormBelow(null);
    scroll.current?.focus();
  }, []);
  const { chosen } = choice;
  const canComment = comments?.canChange === true && chosen?.commented != null;
  const { onTakeBackLines } = props;
  const canTakeBack =
    onTakeBackLines !== undefined && chosen !== null && chosen.added.length + chosen.removed.length > 0;
  const onComment = canComment ? () => setFormBelow(chosen.lastRow) : null;
  const onTakeBack = canTakeBack ? () => onTakeBackLines(chosen) : null;
  useChosenLineKeys({
    step: (by, isMore) => {
      const index = choice.step(
        by,
        isMore,
        virtual.getVirtualItemForOffset((virtual.scrollOffset ?? 0) + 44)?.index ?? 0,
      );
      if (index !== null) virtual.scrollToIndex(index, { align: 'auto' });
    },
    comment: onComment,
    takeBack: onTakeBack,
    clear: choice.clear,
  });
  const form = useMemo(
    () =>
      comments === undefined || chosen?.commented == null
        ? null
        : {
            lines: chosen.commented,
            isBusy: comments.isBusy,
            onCancel: closeForm,
            onSubmit: (text: string) => {
              const { file: on, commented } = chosen;
              if (commented === null) return;
              void comments.add(on, commented, text).then((isKept) => {
                if (!isKept) return;
                closeForm();
                choice.clear();
              });
            },
          },
    [comments, chosen, closeForm, choice.clear],
  );
  const toggle = useCallback(
    (key: string) =>
      setClosed((now) => (now.has(key) ? new Set([...now].filter((one) => one !== key)) : new Set([...now, key]))),
    [],
  );
  const toggleTop = useCallback(
    (key: string) => {
      toFile(key);
      toggle(key);
    },
    [toFile, toggle],
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={`diff ${isSideBySide ? 'two' : 'one'}`} ref={scroll} aria-label="Diff" tabIndex={0}>
      {top !== undefined && (
        <div className="sticky-head">
          <Head file={top} isClosed={false} onToggle={toggleTop} fileActs={fileActs} />
        </div>
      )}
      <div className="virtual" style={{ height: virtual.getTotalSize() }}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: each line can be chosen by keys, too */}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: each line can be chosen by keys, too */}
        <div
          className="rows"
          onClick={(event) => {
            const index = lineAt(event.target);
            if (index !== null) choice.choose(index, event.shiftKey);
          }}
          style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}
        >
          {items.map(({ index, key }) => {
            const row = rows[index] as DiffRow;
            return (
              <div
                key={key}
                data-index={index}
                className={choice.isChosen(index) ? 'is-chosen' : row.key === targetRow ? 'is-target' : undefined}
                ref={virtual.measureElement}
              >
                <RowView
                  row={row}
                  before={before}
                  after={after}
                  authors={authors.get(row.file.key) ?? null}
                  isClosed={closed.has(row.file.key)}
                  isCurrent={currentHunk !== undefined && 'hunk' in row && row.hunk === currentHunk}
                  syntax={syntax}
                  fileActs={fileActs}
                  hunkActs={hunkActs}
                  onToggle={toggle}
                  onOpen={open}
                  comments={row.kind === 'thread' ? comments : undefined}
                  form={row.kind === 'form' ? form : null}
                />
              </div>
            );
          })}
        </div>
      </div>
      {chosen !== null && formBelow === null && (
        <ChosenBar chosen={chosen} onComment={onComment} onTakeBack={onTakeBack} onClear={choice.clear} />
      )}
    </section>
  );
});

/** @returns the index of the row whose number was clicked */
function lineAt(target: EventTarget): number | null {
  if (!(target instanceof Element)) return null;
  const row = target.closest('.number')?.closest('[data-index]');
  return row == null ? null : Number(row.getAttribute('data-index'));
}

function useFileKeys(files: readonly DiffFile[], current: string | undefined, go: (key: string) => void): void {
  const latest = useRef({ files, current, go });
  latest.current = { files, current, go };
  const commands = useMemo<readonly Command[]>(() => {
    const step = (by: number): void => {
      const now = latest.current;
      const at = now.files.findIndex(({ key }) => key === now.current);
      const next = now.files[Math.max(0, Math.min(now.files.length - 1, at + by))];
      if (next !== undefined) now.go(next.key);
    };
    return [
      { keys: ']', label: 'Next file', run: () => step(1) },
      { keys: '[', label: 'Previous file', run: () => step(-1) },
    ];
  }, []);
  useCommands(commands);
}
