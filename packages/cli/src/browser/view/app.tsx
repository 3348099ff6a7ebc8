/** The screen as components: a title, the list and the diff beside or below each other or a page over both, and the keys. */
import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import { layoutOf, type Pane } from '../layout.ts';
import type { State } from '../model.ts';
import { diffPaneLines } from './diff-view.ts';
import { bottomBorder, type FrameTitles, framePaint, sideBorder, topBorder } from './frame.ts';
import { listLines } from './list-view.ts';
import type { Paints } from './paint.ts';
import { fit } from './text.ts';
import { diffTitles, lastLine, listTitles, titleLine } from './titles.ts';

interface View {
  readonly state: State;
  readonly paints: Paints;
  readonly now: number;
}

const SMALLEST = { columns: 40, rows: 10 };

export function App({ state, paints, now }: View): ReactNode {
  const { size, page } = state;
  if (size.columns < SMALLEST.columns || size.rows < SMALLEST.rows) return <Text>Make the terminal larger.</Text>;
  return (
    <Box flexDirection="column" width={size.columns} height={size.rows}>
      <Text wrap="truncate">{titleLine(state, paints)}</Text>
      {page === null ? (
        <Panes state={state} paints={paints} now={now} />
      ) : (
        <Page state={state} paints={paints} now={now} />
      )}
      <Text wrap="truncate">{page === null ? lastLine(state, paints) : ' '}</Text>
    </Box>
  );
}

function Panes({ state, paints, now }: View): ReactNode {
  const layout = layoutOf(state.size);
  return (
    <Box flexDirection={layout.isBeside ? 'row' : 'column'}>
      <Framed
        pane={layout.list}
        titles={listTitles(state, paints)}
        lines={listLines(state, paints, now)}
        paint={framePaint(state.focus === 'list', paints)}
      />
      <Framed
        pane={layout.diff}
        titles={diffTitles(state, paints)}
        lines={diffPaneLines(state, paints)}
        paint={framePaint(state.focus === 'diff', paints)}
      />
    </Box>
  );
}

function Page({ state, paints }: View): ReactNode {
  const { page } = layoutOf(state.size);
  const lines = (state.page ?? []).map((line) => fit(line, page.columns));
  return <Framed pane={page} titles={{ left: '', right: '' }} lines={lines} paint={framePaint(true, paints)} />;
}

interface FramedProps {
  readonly pane: Pane;
  readonly titles: FrameTitles;
  readonly lines: readonly string[];
  readonly paint: (text: string) => string;
}

/** One text for all lines: a component for each would cost most of the time of a frame. */
function Framed({ pane: { columns, rows }, titles, lines, paint }: FramedProps): ReactNode {
  const content = Array.from({ length: rows }, (_, row) => lines[row] ?? ' ').join('\n');
  return (
    <Box flexDirection="column" width={columns + 2} height={rows + 2}>
      <Text wrap="truncate">{topBorder(titles, columns, paint)}</Text>
      <Box>
        <Text>{sideBorder(rows, paint)}</Text>
        <Box width={columns} height={rows}>
          <Text wrap="truncate">{content}</Text>
        </Box>
        <Text>{sideBorder(rows, paint)}</Text>
      </Box>
      <Text wrap="truncate">{bottomBorder(columns, paint)}</Text>
    </Box>
  );
}
