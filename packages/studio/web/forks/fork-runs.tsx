import { useState } from 'react';
import { shownLines, textOf } from '../data/names.ts';
import { clockText, fullText } from '../data/times.ts';
import { Failure, Loading } from '../parts/message.tsx';
import { RunState } from './fork-facts.tsx';
import { type ForkRow, useForkVerb } from './fork-queries.ts';

/** The commands of a fork; each opens into the end of what it printed. */
export function ForkRuns({ fork: { name, runs } }: { readonly fork: ForkRow }) {
  const [open, setOpen] = useState<number | null>(null);
  if (runs.length === 0) return null;
  return (
    <section className="fork-runs" aria-label="Commands">
      <ul>
        {runs.map((run) => {
          const isOpen = open === run.number;
          return (
            <li key={run.number}>
              <button type="button" aria-expanded={isOpen} onClick={() => setOpen(isOpen ? null : run.number)}>
                <time dateTime={run.started} title={fullText(run.started)}>
                  {clockText(run.started)}
                </time>
                <RunState run={run} />
              </button>
              {isOpen && <Printed name={name} number={run.number} />}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Printed({ name, number }: { readonly name: string; readonly number: number }) {
  const { data, error } = useForkVerb('forkShow', { name, output: number });
  if (error !== null) return <Failure error={error} />;
  const printed = data?.printed;
  if (printed?.number !== number) return <Loading what="its output" />;
  if (printed.text === '') return <p className="quiet-text">It has printed nothing.</p>;
  return (
    <pre>
      {printed.isCut && '… earlier output is in its file\n'}
      {shownLines(textOf(printed.text))}
    </pre>
  );
}
