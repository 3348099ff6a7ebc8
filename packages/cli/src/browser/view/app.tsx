/** The frame of the screen as components: a title, the panes beside or below each other or a page over both, the keys. */
import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import { isTooSmall, layoutOf, type Pane } from '../layout.ts';
import type { State } from '../model.ts';
import { bottomBorder, type FrameTitles, framePaint, sideBorder, topBorder } from './frame.ts';
import type { Paints } from './paint.ts';
import { diffTitles, lastLine, listTitles, titleLine } from './titles.ts';

interface View {
  readonly state: State;
  readonly paints: Paints;
}

export function App({ state, paints }: View): ReactNode {
  const { size, page } = state;
  if (isTooSmall(size)) return <Text>Make the terminal larger.</Text>;
  return (
    <Box flexDirection="column" width={size.columns} height={size.rows}>
      <Text wrap="truncate">{titleLine(state, paints)}</Text>
      {page === null ? <Panes state={state} paints={paints} /> : <Page state={state} paints={paints} />}
      <Text wrap="truncate">{page === null ? lastLine(state, paints) : ' '}</Text>
    </Box>
  );
}

function Panes({ state, paints }: View): ReactNode {
  const layout = layoutOf(state.size);
  return (
    <Box flexDirection={layout.isBeside ? 'row' : 'column'}>
      <Framed
        pane={layout.list}
        titles={listTitles(state, paints)}
        paint={framePaint(state.focus === 'list', paints)}
      />
      <Framed
        pane={layout.diff}
        titles={diffTitles(state, paints)}
        paint={framePaint(state.focus === 'diff', paints)}
      />
    </Box>
  );
}

function Page({ state, paints }: View): ReactNode {
  return <Framed pane={layoutOf(state.size).page} titles={{ left: '', right: '' }} paint={framePaint(true, paints)} />;
}

interface FramedProps {
  readonly pane: Pane;
  readonly titles: FrameTitles;
  readonly paint: (text: string) => string;
}

/** The lines inside are drawn by `contents.ts`. */
function Framed({ pane: { columns, rows }, titles, paint }: FramedProps): ReactNode {
  return (
    <Box flexDirection="column" width={columns + 2} height={rows + 2}>
      <Text wrap="truncate">{topBorder(titles, columns, paint)}</Text>
      <Box>
        <Text>{sideBorder(rows, paint)}</Text>
        <Box width={columns} height={rows} />
        <Text>{sideBorder(rows, paint)}</Text>
      </Box>
      <Text wrap="truncate">{bottomBorder(columns, paint)}</Text>
    </Box>
  );
}
