/** The files of a change and their dependents as a picture: each file a button, the imports lines between them. */
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { folderAndFile } from '../../data/names.ts';
import { plural } from '../../data/times.ts';
import type { ListedChange } from '../../diff/diff-file.ts';
import type { Finding, Report } from '../findings.ts';
import type { OnPlace } from '../places.tsx';
import { type PictureFile, type PictureGraph, pictureGraph } from './graph.ts';
import { layersOf } from './layers.ts';
import { type Box, type Layout, layoutOf, linePath } from './layout.ts';
import { Legend } from './legend.tsx';
import { nextInDirection } from './next-in-direction.ts';
import { PictureTable } from './picture-table.tsx';

export interface PictureProps {
  readonly changes: readonly ListedChange[];
  readonly findings: readonly Finding[];
  readonly report: Report;
  readonly onPlace: OnPlace;
}

const LETTERS = { create: 'A', write: 'M', patch: 'M', delete: 'D', rename: 'R', mode: 'P', kind: 'K' } as const;
/** With more lines, only those to broken files are drawn, and those of the file that is pointed at. */
const MOST_LINES = 120;
const NARROWEST = 260;

export function Picture({ changes, findings, report, onPlace }: PictureProps) {
  const graph = useMemo(() => pictureGraph(changes, findings, report), [changes, findings, report]);
  const layers = useMemo(() => layersOf(graph), [graph]);
  const [frame, width] = useWidth();
  const layout = useMemo(() => layoutOf(layers, Math.max(NARROWEST, width)), [layers, width]);
  const [pointed, setPointed] = useState<string | null>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const current = pointed ?? focused;
  const open = ({ key, line }: PictureFile): void => onPlace({ file: key, line, side: 'after' });
  const lines = useMemo(() => linesOf(layout), [layout]);
  const shown = lines.length <= MOST_LINES ? lines : lines.filter(({ isBroken }) => isBroken);
  return (
    <section className="picture" aria-label="Picture of the changed files and what depends on them">
      <Legend areAllLinesShown={shown.length === lines.length} />
      <div className={`canvas ${current === null ? '' : 'has-current'}`} ref={frame}>
        <div className="sheet" style={{ height: layout.height }}>
          <Lines layout={layout} lines={shown} className="lines" />
          {layout.layers.map(({ title, omitted, box }) => (
            <h3 key={title} style={placed(box)}>
              {title}
              {omitted > 0 && <span> · {plural(omitted, 'more file')} in the table</span>}
            </h3>
          ))}
          {layout.folders.map(({ key, title, box }) => (
            <p key={key} className="folder" title={title} style={placed(box)}>
              {title}
            </p>
          ))}
          <Files
            layout={layout}
            graph={graph}
            current={current}
            focused={focused}
            onPointed={setPointed}
            onFocused={setFocused}
            onOpen={open}
          />
          <Lines
            layout={layout}
            lines={lines.filter(({ from, to }) => current !== null && (from === current || to === current))}
            className="lines of-current"
          />
        </div>
      </div>
      <p className="pointed-at">
        {current === null ? 'Point at a file to see what it needs, and what needs it.' : about(graph.get(current))}
      </p>
      {report.tests.length > 0 && <p className="hint">{plural(report.tests.length, 'test')} can reach the change.</p>}
      <PictureTable graph={graph} onOpen={open} />
    </section>
  );
}

interface FilesProps {
  readonly layout: Layout;
  readonly graph: PictureGraph;
  readonly current: string | null;
  readonly focused: string | null;
  readonly onPointed: (key: string | null) => void;
  readonly onFocused: (key: string | null) => void;
  readonly onOpen: (file: PictureFile) => void;
}

/** One stop of the Tab key; arrows go from file to file. */
function Files({ layout, graph, current, focused, onPointed, onFocused, onOpen }: FilesProps) {
  const buttons = useRef(new Map<string, HTMLButtonElement>());
  const [stop, setStop] = useState<string | null>(null);
  const first = layout.files.some(({ file }) => file.key === stop) ? stop : layout.files[0]?.file.key;
  const pointed = current === null ? null : graph.get(current);
  const onKey = (event: KeyboardEvent): void => {
    const next = nextInDirection(layout.files, focused, event.key);
    if (next === null) return;
    event.preventDefault();
    buttons.current.get(next)?.focus();
  };
  return layout.files.map(({ file, box }) => (
    <button
      key={file.key}
      type="button"
      ref={(button) => {
        if (button === null) buttons.current.delete(file.key);
        else buttons.current.set(file.key, button);
      }}
      className={`file ${kindOf(file)} ${markOf(file)} ${pointed == null ? '' : relationTo(pointed, file.key)}`}
      style={placed(box)}
      tabIndex={file.key === first ? 0 : -1}
      title={file.title}
      onPointerEnter={() => onPointed(file.key)}
      onPointerLeave={() => onPointed(null)}
      onFocus={() => {
        setStop(file.key);
        onFocused(file.key);
      }}
      onBlur={() => onFocused(null)}
      onKeyDown={onKey}
      onClick={() => onOpen(file)}
    >
      <span className="sign" aria-hidden="true">
        {file.operation === null ? '' : LETTERS[file.operation]}
      </span>
      <span className="name">{folderAndFile(file.title).file}</span>
      <span className="hidden">, {about(file)}</span>
      {file.breaks > 0 && (
        <span className="count breaks" aria-hidden="true">
          ✗{file.breaks}
        </span>
      )}
      {file.breaks === 0 && file.others > 0 && (
        <span className="count may-be-affected" aria-hidden="true">
          ?{file.others}
        </span>
      )}
    </button>
  ));
}

interface Line {
  readonly from: string;
  readonly to: string;
  readonly path: string;
  readonly isBroken: boolean;
}

function Lines({
  layout,
  lines,
  className,
}: {
  readonly layout: Layout;
  readonly lines: readonly Line[];
  readonly className: string;
}) {
  return (
    <svg className={className} width={layout.width} height={layout.height} aria-hidden="true">
      {lines.map(({ from, to, path, isBroken }) => (
        <g key={`${from}\n${to}`} className={isBroken ? 'is-broken' : undefined}>
          <path d={path} />
        </g>
      ))}
    </svg>
  );
}

function linesOf({ files }: Layout): readonly Line[] {
  const boxes = new Map(files.map(({ file, box }) => [file.key, box]));
  return files.flatMap(({ file, box }) =>
    file.needs.flatMap((to) => {
      const end = boxes.get(to);
      if (end === undefined) return [];
      return [{ from: file.key, to, path: linePath(box, end), isBroken: file.breaks > 0 }];
    }),
  );
}

function useWidth(): readonly [React.RefObject<HTMLDivElement | null>, number] {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    setWidth(element.clientWidth);
    return () => observer.disconnect();
  }, []);
  return [frame, width];
}

function placed({ x, y, width, height }: Box): React.CSSProperties {
  return { left: x, top: y, width, height };
}

function kindOf({ operation }: PictureFile): string {
  return operation === null ? 'is-outside' : 'is-changed';
}

function markOf({ breaks, others }: PictureFile): string {
  if (breaks > 0) return 'is-broken';
  return others > 0 ? 'is-affected' : '';
}

function relationTo(current: PictureFile, key: string): string {
  if (current.key === key) return 'is-current';
  return current.needs.includes(key) || current.neededBy.includes(key) ? 'is-linked' : 'is-far';
}

function about(file: PictureFile | undefined): string {
  if (file === undefined) return '';
  const { title, operation, breaks, others, needs, neededBy } = file;
  return [
    `${title}: ${operation === null ? 'not changed' : operation === 'delete' ? 'deleted' : 'changed'}`,
    ...(breaks > 0 ? [`breaks in ${plural(breaks, 'place')}`] : []),
    ...(others > 0 ? [`${plural(others, 'other finding')}`] : []),
    `needs ${needs.length} of these files`,
    `${neededBy.length} of them need it`,
  ].join(', ');
}
