/**
 * A review of a plan on the whole screen: the plan, every diff, and at the end what would be applied. Each decision is
 * recorded as it is made, on the condition that the plan still has the revision that was shown.
 */
import { nameToJson, type Savepoint, SavepointError, showText } from '@savepoint/core';
import { wrap } from '../browser/view/text.ts';
import { asFailure } from '../failure.ts';
import { showPage } from '../terminal-host/overlay/text-page.ts';
import type { Ui } from '../terminal-host/overlay/ui.ts';
import type { ChangeContent } from './change-rows.ts';
import { checkOnScreen } from './check-page.ts';
import { Decisions, type PlanChange, type PlanView } from './decisions.ts';
import { failuresOf, overviewLines, type Summary, summaryOf } from './pages.ts';
import { Recorder } from './recorder.ts';
import { PlanWalk } from './walk.ts';
import { typeWords } from './words-page.ts';

export interface ReviewOptions {
  readonly savepoint: Savepoint;
  readonly id: string;
  readonly signal: AbortSignal;
}

export class PlanReview {
  readonly #ui: Ui;
  readonly #options: ReviewOptions;
  #view: PlanView;
  #decisions!: Decisions;
  #recorder!: Recorder;
  /** Whether decisions were recorded since the plan was written last. */
  #isToBeClosed = false;

  constructor(ui: Ui, view: PlanView, options: ReviewOptions) {
    this.#ui = ui;
    this.#options = options;
    this.#view = view;
    this.#take(view);
  }

  /** @returns the plan as it is afterwards */
  async run(): Promise<PlanView> {
    const { savepoint, signal } = this.#options;
    const id = this.#view.plan.id;
    for (let choice: Stage = 'plan'; choice !== 'quit'; ) {
      try {
        if (choice === 'plan') choice = await this.#overview();
        else if (choice === 'walk') choice = await this.#walk();
        else if (choice === 'summary') choice = await this.#summary();
        else if (choice === 'check') choice = await this.#check();
        else if (choice === 'cancel') {
          this.#view = await savepoint.cancelPlan(id, { signal });
          this.#isToBeClosed = false;
          choice = 'quit';
        } else if (choice === 'revise') choice = await this.#revise();
        else if (choice === 'approve') {
          this.#view = await savepoint.approvePlan(id, this.#view.fingerprint, { signal });
          this.#isToBeClosed = false;
          choice = 'quit';
        }
      } catch (error) {
        const failure = asFailure(error);
        if (failure.code === 'CANCELLED') throw failure;
        choice = await this.#failed(failure);
      }
    }
    // With a change of the plan, the decisions become part of it, and its author learns of them.
    if (this.#isToBeClosed && this.#isOpen) this.#view = await savepoint.decidePlan(id, [], { signal });
    return this.#view;
  }

  /** Whether something can be decided. A plan that was rolled back can be approved again. */
  get #isOpen(): boolean {
    return this.#view.status !== 'applied' && this.#view.status !== 'cancelled';
  }

  async #overview(): Promise<Stage> {
    const { plan } = this.#view;
    return showPage<Stage>(this.#ui, {
      title: `Plan ${plan.id}`,
      lines: () => overviewLines(this.#view, this.#decisions, this.#ui.size.columns, this.#ui.style),
      choices: this.#isOpen
        ? [
            ['g', 'go through it', 'walk'],
            ['a', 'approve', 'summary'],
            ['v', 'ask for changes', 'revise'],
            ['x', 'cancel the plan', 'cancel'],
            ['q', 'quit', 'quit'],
          ]
        : [
            ['g', 'go through it', 'walk'],
            ['q', 'quit', 'quit'],
          ],
      cancelled: 'quit',
      entered: 'walk',
    });
  }

  async #walk(): Promise<Stage> {
    this.#recorder.onEnd = () => this.#ui.redraw();
    await new PlanWalk(this.#ui, {
      changes: this.#view.changes,
      decisions: this.#decisions,
      recorder: this.#recorder,
      isOpen: this.#isOpen,
      failures: failuresOf(this.#view),
      contentOf: (change) => this.#contentOf(change),
    }).run();
    await this.#recorder.finish();
    return this.#ui.isClosed ? 'quit' : 'summary';
  }

  async #contentOf({ change: { path, from }, hunks }: PlanChange): Promise<ChangeContent> {
    const { savepoint, signal } = this.#options;
    const { id } = this.#view.plan;
    if (hunks !== null && hunks.length > 0) {
      const found = await savepoint.planHunks(id, nameToJson(path), { signal });
      const isAsListed =
        found?.length === hunks.length &&
        found.every(({ afterStart }, index) => afterStart === hunks[index]?.afterStart);
      const problem = isAsListed ? null : 'what the store lists of this change is wrong';
      return { hunks: found, patch: Buffer.alloc(0), problem };
    }
    const paths = [...(from === null ? [] : [from]), path].map((one) => nameToJson(one));
    return { hunks: null, patch: (await savepoint.planPatch(id, paths, { signal })).text, problem: null };
  }

  /** What would be applied is read again: it is what is approved. */
  async #summary(): Promise<Stage> {
    const { savepoint, signal } = this.#options;
    const { plan } = this.#view;
    const now = await savepoint.plan(plan.id, { signal });
    if (now.plan.revision !== plan.revision) throw revisedSince(plan.id);
    this.#take(now);
    const isOpen = this.#isOpen;
    const summary = (): Summary => summaryOf(now, this.#decisions, this.#ui.size.columns, this.#ui.style);
    const { applied, isStale, isPartlyOpen } = summary();
    return showPage<Stage>(this.#ui, {
      title: `What ${plan.id} would apply`,
      lines: () => summary().lines,
      choices: [
        ...(applied > 0 && isOpen ? [['y', 'approve this', 'approve'] as const] : []),
        ...(applied > 0 && isOpen && isStale ? [['c', 'check this', 'check'] as const] : []),
        ['g', isPartlyOpen ? 'go on' : 'go through again', 'walk'],
        ['p', 'the plan', 'plan'],
        ['q', 'quit', 'quit'],
      ],
      cancelled: 'quit',
    });
  }

  async #check(): Promise<Stage> {
    await checkOnScreen(this.#ui, this.#options, this.#view.plan.id);
    return this.#ui.isClosed ? 'quit' : 'summary';
  }

  async #revise(): Promise<Stage> {
    const { savepoint, signal } = this.#options;
    const words = await typeWords(this.#ui, 'What should its author change?');
    if (words === null) return 'plan';
    this.#take(await savepoint.notePlan(this.#view.plan.id, words, { signal }));
    return 'plan';
  }

  #take(view: PlanView): void {
    const { savepoint, signal } = this.#options;
    this.#view = view;
    this.#decisions = new Decisions(view);
    this.#recorder = new Recorder(this.#decisions, async (requests) => {
      await savepoint.recordDecisions(view.plan.id, view.plan.revision, requests, { signal });
      this.#isToBeClosed = true;
    });
  }

  async #failed(failure: SavepointError): Promise<Stage> {
    const { savepoint, id, signal } = this.#options;
    // What was decided and could not be recorded was about something else, or is not decided.
    this.#take(await savepoint.plan(id, { signal }));
    return showPage<Stage>(this.#ui, {
      title: 'That did not work',
      lines: () =>
        [failure.message, ...(failure.hint === undefined ? [] : ['', failure.hint])].flatMap((text) =>
          wrap(showText(text), Math.max(20, this.#ui.size.columns - 2), MOST_ROWS),
        ),
      choices: [
        ['p', 'the plan as it is now', 'plan'],
        ['q', 'quit', 'quit'],
      ],
      cancelled: 'quit',
    });
  }
}

type Stage = 'plan' | 'walk' | 'summary' | 'check' | 'approve' | 'revise' | 'cancel' | 'quit';

const MOST_ROWS = 20;

function revisedSince(id: string): SavepointError {
  return new SavepointError(
    'CONFLICT',
    `${id} has a new revision. What was decided about the old one counts for the hunks that are the same.`,
    { paths: [] },
    { hint: 'Go through it again.' },
  );
}
