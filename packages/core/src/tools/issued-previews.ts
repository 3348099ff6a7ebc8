/** Remembers which previews were returned, to tell an invented `preview_id` from one that is no longer current. */
import { SavepointError } from '../model/errors.ts';
import type { Tool } from './tool.ts';

const REMEMBERED = 1000;

export class IssuedPreviews {
  private readonly calls = new Map<string, string>();

  add(id: string, tool: Tool, given: Readonly<Record<string, unknown>>): void {
    this.calls.delete(id);
    this.calls.set(id, callText(tool, given));
    for (const oldest of this.calls.keys()) {
      if (this.calls.size <= REMEMBERED) return;
      this.calls.delete(oldest);
    }
  }

  /**
   * Says why a preview was not carried out, if the reason is not that the files have changed.
   * @param error the conflict of the verb
   */
  explain(id: string, tool: Tool, given: Readonly<Record<string, unknown>>, error: SavepointError): SavepointError {
    const call = this.calls.get(id);
    const shown = JSON.stringify(id);
    const hint = `Nothing was changed. Call ${tool.name} without preview_id, then again with the preview_id of that answer.`;
    if (call === undefined) {
      const message = `Unknown preview_id ${shown}: no preview with this id was returned.`;
      return new SavepointError('USAGE', message, { argument: 'preview_id' }, { hint, cause: error });
    }
    if (call === callText(tool, given)) return error;
    const message = `The preview_id ${shown} belongs to a call with other arguments, or of another tool.`;
    const same = `${hint} Pass the same arguments both times.`;
    return new SavepointError('USAGE', message, { argument: 'preview_id' }, { hint: same, cause: error });
  }
}

function callText({ name }: Tool, { preview_id: _, ...given }: Readonly<Record<string, unknown>>): string {
  return JSON.stringify([name, given]);
}
