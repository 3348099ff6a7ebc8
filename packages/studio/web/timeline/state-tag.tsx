export interface StateTagProps {
  readonly isCurrent: boolean;
  readonly hasSameFiles: boolean;
}

/** Exactly one row has the files as they were recorded last; others may have the same ones. */
export function StateTag({ isCurrent, hasSameFiles }: StateTagProps) {
  if (isCurrent) {
    return (
      <span className="tag current" title="The files are as they were here, except for what is in no checkpoint yet">
        here
      </span>
    );
  }
  if (!hasSameFiles) return null;
  return (
    <span className="tag" title="The files were the same as in the row that says “here”">
      same files
    </span>
  );
}
