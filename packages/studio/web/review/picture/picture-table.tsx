/** Everything that the picture shows, and what it has no room for, as a table. */
import { useState } from 'react';
import type { PictureFile, PictureGraph } from './graph.ts';

export interface PictureTableProps {
  readonly graph: PictureGraph;
  readonly onOpen: (file: PictureFile) => void;
}

const MOST_ROWS = 1_000;
const MOST_NAMES = 5;

export function PictureTable({ graph, onOpen }: PictureTableProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="picture-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Show as a table</summary>
      {isOpen && <Table graph={graph} onOpen={onOpen} />}
    </details>
  );
}

function Table({ graph, onOpen }: PictureTableProps) {
  const files = [...graph.values()].sort((one, other) => other.breaks - one.breaks || other.others - one.others);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section tabIndex={0} aria-label="Changed files and what depends on them, as a table">
      <table>
        <thead>
          <tr>
            <th scope="col">file</th>
            <th scope="col">change</th>
            <th scope="col">breaks</th>
            <th scope="col">other findings</th>
            <th scope="col">needs</th>
            <th scope="col">needed by</th>
          </tr>
        </thead>
        <tbody>
          {files.slice(0, MOST_ROWS).map((file) => (
            <tr key={file.key}>
              <th scope="row">
                <button type="button" className="place" onClick={() => onOpen(file)}>
                  {file.title}
                </button>
              </th>
              <td>{file.operation ?? 'none'}</td>
              <td>{file.breaks}</td>
              <td>{file.others}</td>
              <td>{namesOf(file.needs, graph)}</td>
              <td>{namesOf(file.neededBy, graph)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {files.length > MOST_ROWS && <p className="hint">{files.length - MOST_ROWS} more files are not listed.</p>}
    </section>
  );
}

function namesOf(keys: readonly string[], graph: PictureGraph): string {
  const names = keys.slice(0, MOST_NAMES).map((key) => graph.get(key)?.title ?? key);
  return [...names, ...(keys.length > MOST_NAMES ? [`${keys.length - MOST_NAMES} more`] : [])].join(', ');
}
