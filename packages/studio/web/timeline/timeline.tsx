/** The timeline: the turns of agents, with what was done between them. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef } from 'react';
import { shownText } from '../data/names.ts';
import { useVerb, useVerbPages } from '../data/verb-query.ts';
import { useWorkspace } from '../data/workspace.ts';
import { Empty, Failure, Loading } from '../parts/message.tsx';
import { type Command, useCommands } from '../shell/keys.ts';
import { CheckpointRow } from './checkpoint-row.tsx';
import { Filters } from './filters.tsx';
import { type Matching, numberOf, type Row, rowsOf } from './rows.ts';
import type { TimelineSearch } from './search.ts';
import { TurnRow } from './turn-row.tsx';

const PAGE = 200;
/** Rows before the end of the list at which the next page is asked for. */
const AHEAD = 40;
const HEIGHTS: Readonly<Record<Row['kind'], number>> = { day: 32, turn: 60, checkpoint: 36, damaged: 36 };

export function Timeline() {
  const search = useSearch({ from: '/w/$workspace/timeline' });
  const setSearch = useSetSearch();
  const pages = useVerbPages('list', {
    view: 'turns',
    limit: PAGE,
    ...(search.session === undefined ? {} : { session: search.session }),
  });
  const matching = useMatching(search);
  const rows = useMemo(
    () => rowsOf(pages.data?.pages ?? [], search, matching, Date.now()),
    [pages.data, search, matching],
  );
  return (
    <>
      <Filters search={search} onChange={setSearch} />
      {pages.error !== null && pages.data === undefined ? (
        <Failure error={pages.error} retry={() => void pages.refetch()} />
      ) : pages.data === undefined ? (
        <Loading what="the timeline" />
      ) : rows.length === 0 && !pages.hasNextPage ? (
        <Nothing isFiltered={Object.keys(search).length > 0} onClear={() => setSearch(() => ({}))} />
      ) : (
        <Rows
          rows={rows}
          open={search.open}
          onOpen={(open) => setSearch(({ open: _, ...rest }) => (open === undefined ? rest : { ...rest, open }))}
          onEnd={() => {
            if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
          }}
        />
      )}
    </>
  );
}

interface RowsProps {
  readonly rows: readonly Row[];
  readonly open: string | undefined;
  readonly onOpen: (key: string | undefined) => void;
  readonly onEnd: () => void;
}

function Rows({ rows, open, onOpen, onEnd }: RowsProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: (index) => HEIGHTS[rows[index]?.kind ?? 'turn'],
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - AHEAD) onEnd();
  }, [last, rows.length, onEnd]);
  useRowKeys(scroll);
  return (
    <div className="view-body timeline" ref={scroll}>
      <div className="virtual" style={{ height: virtual.getTotalSize() }}>
        <ol style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
          {items.map(({ index, key }) => (
            <li key={key} data-index={index} ref={virtual.measureElement}>
              <RowView row={rows[index] as Row} open={open} onOpen={onOpen} />
            </li>
          ))}
        </ol>
      </div>
    </div>
  );
}

function RowView({ row, open, onOpen }: { readonly row: Row } & Pick<RowsProps, 'open' | 'onOpen'>) {
  switch (row.kind) {
    case 'day':
      return <h2 className="day">{row.text}</h2>;
    case 'turn': {
      const isOpen = open === row.key;
      return <TurnRow turn={row.turn} isOpen={isOpen} onToggle={() => onOpen(isOpen ? undefined : row.key)} />;
    }
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
  return (change) =>
    void navigate({ to: '/w/$workspace/timeline', params: { workspace: id }, search: change as never, replace: true });
}

/** Files and grades belong to changes, so the history says which checkpoints have them. */
function useMatching({ file, grade }: TimelineSearch): Matching {
  const isFiltered = file !== undefined || grade !== undefined;
  const { data } = useVerb(
    'history',
    { limit: MOST_CHANGES, ...(file === undefined ? {} : { file }) },
    { isEnabled: isFiltered },
  );
  return useMemo(() => {
    if (!isFiltered) return null;
    const found = (data?.changes ?? []).filter((change) => grade === undefined || change.grade === grade);
    return new Set(found.map(({ checkpoint }) => numberOf(checkpoint)));
  }, [isFiltered, data, grade]);
}

const MOST_CHANGES = 5_000;

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
