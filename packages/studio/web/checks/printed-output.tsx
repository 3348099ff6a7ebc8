import { useEffect, useRef, useSyncExternalStore } from 'react';
import { shownLines, shownText } from '../data/names.ts';
import type { PrintedLines } from './printed-lines.ts';

/** That checks run, and the end of what they have printed so far. */
export function PrintedOutput({ lines }: { readonly lines: PrintedLines }) {
  const printed = useSyncExternalStore(lines.subscribe, lines.shown);
  const box = useRef<HTMLPreElement>(null);
  const text = printed?.text ?? '';
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new line is scrolled to
  useEffect(() => {
    if (box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  return (
    <section className="printed" aria-label="Output of the checks">
      <p role="status">
        <span className="pulse" aria-hidden="true" />
        {printed === null ? 'The checks run in a copy …' : `${shownText(printed.check)} runs …`}
      </p>
      {text !== '' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <pre ref={box} tabIndex={0}>
          {shownLines(text)}
        </pre>
      )}
    </section>
  );
}
