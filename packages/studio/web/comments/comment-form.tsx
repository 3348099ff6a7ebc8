import { useState } from 'react';
import type { CommentedLines } from './use-comments.ts';

export interface CommentFormProps {
  readonly lines: CommentedLines;
  readonly isBusy: boolean;
  readonly onSubmit: (text: string) => void;
  readonly onCancel: () => void;
}

/** Below the chosen lines. */
export function CommentForm({ lines: { first, last, side }, isBusy, onSubmit, onCancel }: CommentFormProps) {
  const [text, setText] = useState('');
  const what = first === last ? `line ${first}` : `lines ${first} to ${last}`;
  const submit = (): void => {
    if (text.trim() !== '' && !isBusy) onSubmit(text.trim());
  };
  return (
    <form
      className="comment-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <label>
        <span>
          Comment on {what}
          {side === 'before' ? ' as removed' : ''}
        </span>
        <textarea
          className="field"
          rows={3}
          // biome-ignore lint/a11y/noAutofocus: it was just opened by a key or a button
          autoFocus
          value={text}
          placeholder="The agent gets it with its next prompt"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onCancel();
            else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
            else return;
            event.preventDefault();
            event.stopPropagation();
          }}
        />
      </label>
      <div className="acts">
        <button type="submit" className="button small" disabled={isBusy || text.trim() === ''}>
          Comment
        </button>
        <button type="button" className="button small quiet" onClick={onCancel}>
          Cancel
        </button>
        <span className="hint">Ctrl Enter sends it, Escape closes</span>
      </div>
    </form>
  );
}
