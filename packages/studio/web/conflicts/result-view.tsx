/** The result of one file: the editor, with one side beside it. Loaded on demand, with CodeMirror. */
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import { openEditor, type ResultEditor } from './editor.ts';
import type { Result } from './result.ts';
import type { TextSides } from './sides.ts';

export interface ResultViewProps {
  readonly ref: React.Ref<ResultHandle>;
  readonly path: string;
  readonly sides: TextSides;
  /** What it begins with. Only another `key` begins again. */
  readonly begin: Result;
  readonly onResult: (result: Result) => void;
  readonly keys: Readonly<Record<string, () => void>>;
  readonly onLeave: () => void;
}

export type ResultHandle = Pick<ResultEditor, 'decide' | 'show'>;

const BESIDE = {
  theirs: 'Theirs, the whole file',
  ours: 'Yours, the whole file as it is now',
  base: 'Base, the whole file that both began with',
} as const;

type Beside = keyof typeof BESIDE;

export function ResultView({ ref, path, sides, begin, onResult, keys, onLeave }: ResultViewProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<ResultEditor | null>(null);
  const [beside, setBeside] = useState<Beside>('theirs');
  const latest = useRef({ onResult, keys, onLeave });
  latest.current = { onResult, keys, onLeave };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor has its own state; another file has another key
  useLayoutEffect(() => {
    if (host.current === null) return;
    const made = openEditor({
      host: host.current,
      path,
      begin,
      beside: { label: BESIDE.theirs, text: sides.theirs },
      onResult: (result) => latest.current.onResult(result),
      keys: Object.fromEntries(Object.keys(keys).map((key) => [key, () => latest.current.keys[key]?.()])),
      onLeave: () => latest.current.onLeave(),
    });
    editor.current = made;
    made.show(0, false);
    return () => {
      editor.current = null;
      made.end();
    };
  }, []);
  useImperativeHandle(ref, () => ({
    decide: (...decision) => editor.current?.decide(...decision),
    show: (...place) => editor.current?.show(...place),
  }));
  useEffect(() => {
    editor.current?.compareWith(BESIDE[beside], sides[beside]);
  }, [beside, sides]);
  return (
    <div className="result">
      <div className="result-head">
        <fieldset className="choice">
          <legend className="hidden">What is beside the result</legend>
          {(['theirs', 'ours', 'base'] as const).map((side) => (
            <button key={side} type="button" aria-pressed={side === beside} onClick={() => setBeside(side)}>
              {side === 'ours' ? 'Yours' : side === 'theirs' ? 'Theirs' : 'Base'}
            </button>
          ))}
        </fieldset>
        <h3>Result</h3>
      </div>
      <div ref={host} className="editor" />
    </div>
  );
}
