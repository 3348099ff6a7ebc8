/**
 * A review of a plan on the whole screen: the plan, every diff, and at the end what would be applied. Decisions are recorded
 * when the person is through or leaves, on the condition that the plan is still the one that was shown.
 */
import { nameToJson, type Savepoint, type SavepointError, showText } from '@savepoint/core';
import { asFailure } from '../failure.ts';
import { showPage } from '../terminal-host/overlay/text-page.ts';
import type { Ui } from '../terminal-host/overlay/ui.ts';
import { Decisions, type PlanView } from './decisions.ts';
import { failuresOf, overviewLines, summaryLines } from './pages.ts';
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
  #decisions: Decisions;

  constructor(ui: Ui, view: PlanView, options: ReviewOptions) {
    this.#ui = ui;
    this.#options = options;
    this.#view = view;
    this.#decisions = new Decisions(view);
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
        else if (choice === 'cancel') {
          this.#view = await savepoint.cancelPlan(id, { signal });
          choice = 'quit';
        } else if (choice === 'revise') choice = await this.#revise();
        else if (choice === 'approve') {
          await this.#record();
          this.#view = await savepoint.approvePlan(id, this.#view.fingerprint, { signal });
          choice = 'quit';
        }
      } catch (error) {
        const failure = asFailure(error);
        if (failure.code === 'CANCELLED') throw failure;
        choice = await this.#failed(failure);
      }
    }
    await this.#record();
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
            ['g', 'go through', 'walk'],
            ['a', 'approve all', 'summary'],
            ['v', 'revise', 'revise'],
            ['x', 'cancel it', 'cancel'],
            ['q', 'quit', 'quit'],
          ]
        : [
            ['g', 'go through', 'walk'],
            ['q', 'quit', 'quit'],
          ],
      cancelled: 'quit',
      entered: 'walk',
    });
  }

  async #walk(): Promise<Stage> {
    const { savepoint, signal } = this.#options;
    const { plan, changes } = this.#view;
    await new PlanWalk(this.#ui, {
      changes,
      decisions: this.#decisions,
      failures: failuresOf(this.#view),
      patchOf: async ({ change: { path, from } }) => {
        const paths = [...(from === null ? [] : [from]), path].map((one) => nameToJson(one));
        return (await savepoint.planPatch(plan.id, paths, { signal })).text;
      },
    }).run();
    return this.#ui.isClosed ? 'quit' : 'summary';
  }

  async #summary(): Promise<Stage> {
    const { plan } = this.#view;
    const isOpen = this.#isOpen;
    const { applied } = summaryLines(this.#view, this.#decisions, this.#ui.style);
    return showPage<Stage>(this.#ui, {
      title: `What ${plan.id} would apply`,
      lines: () => summaryLines(this.#view, this.#decisions, this.#ui.style).lines,
      choices: [
        ...(applied > 0 && isOpen ? [['a', 'approve this', 'approve'] as const] : []),
        ['g', 'go through again', 'walk'],
        ['p', 'the plan', 'plan'],
        ['q', isOpen ? 'quit, keep decisions' : 'quit', 'quit'],
      ],
      cancelled: 'quit',
    });
  }

  async #revise(): Promise<Stage> {
    const { savepoint, signal } = this.#options;
    const words = await typeWords(this.#ui, 'What is to be changed?');
    if (words === null) return 'plan';
    await this.#record();
    this.#take(await savepoint.notePlan(this.#view.plan.id, words, { signal }));
    return 'plan';
  }

  /** Records what was decided. @throws SavepointError CONFLICT if the plan is not what was shown */
  async #record(): Promise<void> {
    const requests = this.#decisions.requests();
    if (requests.length === 0 || !this.#isOpen) return;
    const { savepoint, signal } = this.#options;
    const { plan, fingerprint } = this.#view;
    this.#take(await savepoint.decidePlan(plan.id, requests, { expected: fingerprint, signal }));
  }

  #take(view: PlanView): void {
    this.#view = view;
    this.#decisions = new Decisions(view);
  }

  async #failed(failure: SavepointError): Promise<Stage> {
    if (failure.code === 'CONFLICT') {
      // The decisions were about something else.
      this.#take(await this.#options.savepoint.plan(this.#options.id, { signal: this.#options.signal }));
    }
    return showPage<Stage>(this.#ui, {
      title: 'That did not work',
      lines: [showText(failure.message), ...(failure.hint === undefined ? [] : ['', showText(failure.hint)])],
      choices: [
        ['p', 'the plan as it is now', 'plan'],
        ['q', 'quit', 'quit'],
      ],
      cancelled: 'quit',
    });
  }
}

type Stage = 'plan' | 'walk' | 'summary' | 'approve' | 'revise' | 'cancel' | 'quit';
