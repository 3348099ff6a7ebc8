export interface LayoutChoiceProps {
  readonly isSideBySide: boolean;
  readonly onSides: (sides: 'two' | undefined) => void;
}

/** Whether the two sides of a diff are below one another or side by side. */
export function LayoutChoice({ isSideBySide, onSides }: LayoutChoiceProps) {
  return (
    <fieldset className="choice">
      <legend className="hidden">Layout of the diff</legend>
      <button type="button" aria-pressed={!isSideBySide} onClick={() => onSides(undefined)}>
        Unified
      </button>
      <button type="button" aria-pressed={isSideBySide} onClick={() => onSides('two')}>
        Side by side
      </button>
    </fieldset>
  );
}
