export interface LineFormProps {
  readonly label: string;
  readonly placeholder: string;
  /** The word on the button. */
  readonly act: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Called with the text without spaces around it; never with an empty one. */
  readonly onSubmit: (text: string) => void;
  readonly isBusy?: boolean;
}

/** A field for one line, with a button. */
export function LineForm({ label, placeholder, act, text, onText, onSubmit, isBusy = false }: LineFormProps) {
  return (
    <form
      className="line-form"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(text.trim());
      }}
    >
      <input
        className="field"
        aria-label={label}
        placeholder={placeholder}
        value={text}
        onChange={(event) => onText(event.target.value)}
      />
      <button type="submit" className="button" disabled={isBusy || text.trim() === ''}>
        {act}
      </button>
    </form>
  );
}
