/** The timeline: the turns of agents, with what was done between them. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useCallback, useEffect, useMemo, useRef } from 'react';
import type { Output } from '../api/call.ts';
import { shownText } from '../data/names.ts';
import { useVerb, useVerbPages } from '../data/verb-query.ts';
import { useWorkspace } from '../data/workspace.ts';
import { Empty, Failure, Loading } from '../parts/message.tsx';
import { type Command, useCommands } from '../shell/keys.ts';
import { CheckpointRow } from './checkpoint-row.tsx';
import { Filters } from './filters.tsx';
import { ForkRow } from './fork-row.tsx';
import { gutterWidth, LaneGutter } from './lane-gutter.tsx';
import { type LaneCell, type Lanes, lanesOf } from './lanes.ts';
import { type Fork, type Page, type Row, rowsOf } from './rows.ts';
import { isFiltered, sinceOf, type TimelineSearch } from './search.ts';
import { TurnRow } from './turn-row.tsx';
import { MOST_SEARCHED, useMatching } from './use-matching.ts';

const PAGE = 200;
/** Rows before the end of the list at which the next page is asked for. */
const AHEAD = 40;
const HEIGHTS: Readonly<Record<Row['kind'], number>> = { day: 32, turn: 60, checkpoint: 36, fork: 36, damaged: 36 };

export function Timeline() {
  const search = useSearch({ from: '/w/$workspace/timeline' });
  const setSearch = useSetSearch();
  const pages = useVerbPages('list', {
    view: 'turns',
    limit: PAGE,
    ...(search.session === undefined ? {} : { session: search.session }),
  });
  const found = useMatching(search);
  const sessions = useVerb('sessions', {}).data?.sessions ?? NO_SESSIONS;
  const forks = useForks();
  const loaded = pages.data?.pages ?? NO_PAGES;
  const { matching } = found;
  const rows = useMemo(
    () => rowsOf({ pages: loaded, forks, search, matching, now: Date.now() }),
    [loaded, forks, search, matching],
  );
  const hasMore = pages.hasNextPage && !isBefore(loaded, sinceOf(search, Date.now()));
  const lanes = useMemo(() => lanesOf({ rows, sessions, forks, isCut: hasMore }), [rows, sessions, forks, hasMore]);
  const onOpen = useCallback(
    (open: string | undefined) => setSearch(({ open: _, ...rest }) => (open === undefined ? rest : { ...rest, open })),
    [setSearch],
  );
  const { isFetchingNextPage, fetchNextPage } = pages;
  const onEnd = useCallback(() => {
    if (hasMore && !isFetchingNextPage) void fetchNextPage();
  }, [hasMore, isFetchingNextPage, fetchNextPage]);
  const error = (pages.data === undefined ? pages.error : null) ?? found.error;
  return (
    <>
      <Filters search={search} sessions={sessions} onChange={setSearch} />
      {found.isCut && (
        <p className="notice">Only the newest {MOST_SEARCHED.toLocaleString('en')} changes are searched.</p>
      )}
      {error !== null ? (
        <Failure error={error} retry={() => void pages.refetch()} />
      ) : pages.data === undefined || found.isLoading ? (
        <Loading what="the timeline" />
      ) : rows.length === 0 && !hasMore ? (
        <Nothing isFiltered={isFiltered(search)} onClear={() => setSearch(() => ({}))} />
      ) : (
        <Rows rows={rows} lanes={lanes} open={search.open} hasMore={hasMore} onOpen={onOpen} onEnd={onEnd} />
      )}
    </>
  );
}

const NO_PAGES: readonly Page[] = [];
const NO_SESSIONS: Output<'sessions'>['sessions'] = [];
const NO_FORKS: readonly Fork[] = [];
/** No event tells what happens in a fork, and looking into each takes time. */
const FORKS_AGAIN_MS = 30_000;

function useForks(): readonly Fork[] {
  const { data } = useVerb('forkList', {}, { isFixed: true, againMs: FORKS_AGAIN_MS });
  return data?.forks ?? NO_FORKS;
}

/** Whether the oldest loaded row is from before a time, so that older pages have nothing of interest. */
function isBefore(pages: readonly Page[], since: number): boolean {
  const last = pages.at(-1);
  const times = [last?.turns.at(-1)?.ended, last?.checkpoints.at(-1)?.time].flatMap((time) => time ?? []);
  return times.length > 0 && Math.max(...times.map(Date.parse)) < since;
}

interface RowsProps {
  readonly rows: readonly Row[];
  readonly lanes: Lanes;
  readonly open: string | undefined;
  readonly hasMore: boolean;
  readonly onOpen: (key: string | undefined) => void;
  readonly onEnd: () => void;
}

function Rows({ rows, lanes, open, hasMore, onOpen, onEnd }: RowsProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    // With other functions, the places of all rows are computed again.
    estimateSize: useCallback((index: number) => HEIGHTS[rows[index]?.kind ?? 'turn'], [rows]),
    getItemKey: useCallback((index: number) => rows[index]?.key ?? index, [rows]),
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - AHEAD) onEnd();
  }, [last, rows.length, onEnd]);
  useRowKeys(scroll);
  const gutter = gutterWidth(lanes.columns);
  return (
    <div className="view-body timeline" ref={scroll}>
      <div className="virtual" style={{ height: virtual.getTotalSize() }}>
        <ol style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
          {items.map(({ index, key }) => {
            const row = rows[index] as Row;
            return (
              <li key={key} data-index={index} ref={virtual.measureElement} style={{ paddingLeft: gutter }}>
                <RowView
                  row={row}
                  cells={lanes.cells.get(row.key) ?? NO_CELLS}
                  isOpen={open === row.key}
                  onOpen={onOpen}
                />
              </li>
            );
          })}
        </ol>
      </div>
      {hasMore && rows.length < AHEAD && <Loading what="older work" />}
    </div>
  );
}

const NO_CELLS: readonly LaneCell[] = [];

interface RowViewProps extends Pick<RowsProps, 'onOpen'> {
  readonly row: Row;
  readonly cells: readonly LaneCell[];
  readonly isOpen: boolean;
}

/** Drawn again only if something that it shows has changed: while the timeline scrolls, most rows stay. */
const RowView = memo(function RowView({ row, cells, isOpen, onOpen }: RowViewProps) {
  return (
    <>
      {cells.length > 0 && <LaneGutter cells={cells} />}
      <RowContent row={row} isOpen={isOpen} onOpen={onOpen} />
    </>
  );
});

function RowContent({ row, isOpen, onOpen }: Omit<RowViewProps, 'cells'>) {
  switch (row.kind) {
    case 'day':
      return <h2 className="day">{row.text}</h2>;
    case 'turn':
      return (
        <TurnRow
          turn={row.turn}
          isCurrent={row.isCurrent}
          hasSameFiles={row.hasSameFiles}
          isOpen={isOpen}
          onToggle={() => onOpen(isOpen ? undefined : row.key)}
        />
      );
    case 'fork':
      return <ForkRow fork={row.fork} />;
    case 'checkpoint':
      return <CheckpointRow {...row} />;
    case 'damaged':
      return (
        <p className="checkpoint-row damaged">
          <code>{row.id}</code> cannot be read: {shownText(row.why)}
        </p>
      );
  }
}

/** j and k go through what can be opened; the browser does the rest. */
function useRowKeys(scroll: React.RefObject<HTMLDivElement | null>): void {
  const commands = useMemo<readonly Command[]>(() => {
    const step = (by: number): void => {
      const all = [...(scroll.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
      const at = all.findIndex((one) => one === document.activeElement || one.contains(document.activeElement));
      const next = all[at < 0 ? 0 : at + by];
      next?.focus();
      next?.scrollIntoView({ block: 'nearest' });
    };
    return [
      { keys: 'j', label: 'Next row', run: () => step(1) },
      { keys: 'k', label: 'Previous row', run: () => step(-1) },
    ];
  }, [scroll]);
  useCommands(commands);
}

type SetSearch = (change: (search: TimelineSearch) => TimelineSearch) => void;

function useSetSearch(): SetSearch {
  const navigate = useNavigate();
  const { id } = useWorkspace();
  return useCallback(
    (change) =>
      void navigate({
        to: '/w/$workspace/timeline',
        params: { workspace: id },
        search: change as never,
        replace: true,
      }),
    [navigate, id],
  );
}

function Nothing({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) {
  if (isFiltered) {
    return (
      <Empty title="Nothing matches these filters">
        <button type="button" className="button" onClick={onClear}>
          Clear the filters
        </button>
      </Empty>
    );
  }
  return (
    <Empty title="There are no checkpoints yet">
      <p>The first call of an agent with hooks takes one, and so does `savepoint checkpoint`. It then appears here.</p>
    </Empty>
  );
}
