import { FINDING_WORDS, type LineFinding } from './line-findings.ts';

export interface FindingRowProps {
  readonly finding: LineFinding;
  /** The line that it is about, if that is not the one above. */
  readonly line: number | null;
}

export function FindingRow({ finding: { kind, text }, line }: FindingRowProps) {
  return (
    <p className={`diff-finding ${kind}`}>
      <span className="finding-class">{FINDING_WORDS[kind]}</span>
      <span>
        {line !== null && `Line ${line}: `}
        {text}
      </span>
    </p>
  );
}
