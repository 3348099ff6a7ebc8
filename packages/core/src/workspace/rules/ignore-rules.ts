/** Which names ignore rules cover, folder by folder, with git's meaning. */
import { createHash } from 'node:crypto';
import ignore, { type Ignore } from 'ignore';
import { type PatternBudget, type RuleProblem, readIgnoreLines } from '../../git/ignore-lines.ts';
import type { Name } from '../../model/names.ts';
import { NameFilter } from './name-filter.ts';

/** Something in an ignore file that is not used. */
export interface ChainProblem extends RuleProblem {
  readonly file: 'global' | 'exclude' | '.gitignore';
}

/** The text of an ignore file; null where there is none. */
export type IgnoreFile = Uint8Array | null;

export interface IgnoreChainStart {
  /** core.ignorecase: letters A to Z match in either case. */
  readonly ignoreCase: boolean;
  /** The person's own ignore file. */
  readonly global: IgnoreFile;
  /** `info/exclude` of the repository. */
  readonly exclude: IgnoreFile;
  /** `.gitignore` of the topmost folder. */
  readonly top: IgnoreFile;
}

/** Bounds on all files of a chain together: what is over them is not used, and told. */
const CHAIN_BUDGET: PatternBudget = { patterns: 20_000, slow: 64 };
/** Folders below the topmost one. Deeper down no rule is asked, because some patterns take the longer the deeper. */
const MAX_DEPTH = 200;

/**
 * The rules that apply in one folder: its own `.gitignore`, over those of the folders above, over `info/exclude`, over
 * the person's own. The last matching pattern of the first file that has one decides; below a folder that is ignored
 * everything is. Immutable; nothing is compiled before the first question.
 */
export class IgnoreChain {
  /** Equal keys give equal answers: a hash of every rule text on the chain and of where it stands. */
  readonly key: string;
  /** What could not be used of the files that this folder adds. */
  readonly problems: readonly ChainProblem[];
  /** Patterns of the files that this folder adds, weakest first. */
  readonly #own: readonly (readonly string[])[];
  /** What is left for the files of folders below. */
  readonly #budget: PatternBudget;
  readonly #depth: number;
  #scoped: readonly ScopedRules[] | null = null;
  #hidden: boolean | null = null;
  #filter: NameFilter | null | undefined;

  /** @param files that this folder adds, weakest first */
  private constructor(
    private readonly ignoreCase: boolean,
    private readonly parent: IgnoreChain | null,
    private readonly name: string,
    files: Readonly<Partial<Record<ChainProblem['file'], IgnoreFile>>>,
    key: string,
  ) {
    const own: (readonly string[])[] = [];
    const problems: ChainProblem[] = [];
    const depth = parent === null ? 0 : parent.#depth + 1;
    let room = parent === null ? CHAIN_BUDGET : parent.#budget;
    if (depth === MAX_DEPTH + 1) {
      const detail = `more than ${MAX_DEPTH} folders down, where no rule is used`;
      problems.push({ file: '.gitignore', line: null, why: 'too-deep', detail });
    }
    for (const [file, bytes] of Object.entries(files) as [ChainProblem['file'], IgnoreFile][]) {
      if (bytes === null || depth > MAX_DEPTH) continue;
      const lines = readIgnoreLines(bytes, room);
      problems.push(...lines.problems.map((problem) => ({ file, ...problem })));
      if (lines.patterns.length > 0) own.push(lines.patterns);
      room = { patterns: Math.max(0, room.patterns - lines.patterns.length), slow: room.slow - lines.slow };
    }
    this.key = key;
    this.problems = problems;
    this.#own = own;
    this.#budget = room;
    this.#depth = depth;
  }

  /** The chain of a repository's (or a plain workspace's) topmost folder. */
  static start(start: IgnoreChainStart): IgnoreChain {
    const files = { global: start.global, exclude: start.exclude, '.gitignore': start.top };
    const key = hash('savepoint ignore rules 1', start.ignoreCase ? 'i' : '', ...Object.values(files).map(digest));
    return new IgnoreChain(start.ignoreCase, null, '', files, key);
  }

  /** @param gitignore the `.gitignore` of that folder */
  enter(folder: Name, gitignore: IgnoreFile): IgnoreChain {
    const key = hash(this.key, folder, digest(gitignore));
    return new IgnoreChain(this.ignoreCase, this, folder, { '.gitignore': gitignore }, key);
  }

  isIgnored(name: Name, isFolder: boolean): boolean {
    return this.#isHidden() || this.#verdict(name, isFolder);
  }

  /** Settled from the top down, so that a deep chain needs no deep stack. */
  #isHidden(): boolean {
    const open: IgnoreChain[] = [];
    let from: IgnoreChain = this;
    while (from.#hidden === null && from.parent !== null) {
      open.push(from);
      from = from.parent;
    }
    let hidden = from.#hidden ?? false;
    for (const chain of open.reverse()) {
      hidden ||= chain.parent!.#verdict(chain.name, true);
      chain.#setHidden(hidden);
    }
    return hidden;
  }

  #setHidden(hidden: boolean): void {
    this.#hidden = hidden;
  }

  #verdict(name: string, isFolder: boolean): boolean {
    if (this.#depth > MAX_DEPTH) return false;
    if (this.#nameFilter()?.mayMatch(name) === false) return false;
    const views = this.#compiled();
    const ending = this.#fold(isFolder ? `${name}/` : name);
    for (let at = views.length - 1; at >= 0; at--) {
      const { rules, path } = views[at]!;
      const { ignored, unignored } = rules.test(path + ending);
      if (ignored || unignored) return ignored;
    }
    return false;
  }

  /** Over all files of the chain; null where they have to be asked about every name. */
  #nameFilter(): NameFilter | null {
    if (this.#filter === undefined) {
      const own = NameFilter.of(this.#own.flat());
      const above = this.parent === null ? NameFilter.of([]) : this.parent.#nameFilter();
      this.#filter = own === null || above === null ? null : this.#own.length === 0 ? above : above.with(own);
    }
    return this.#filter;
  }

  #compiled(): readonly ScopedRules[] {
    if (this.#scoped === null) this.#scoped = this.#compile();
    return this.#scoped;
  }

  #compile(): readonly ScopedRules[] {
    const own = this.#own.map((patterns) => ({ rules: this.#empty().add(this.#fold(asText(patterns))), path: '' }));
    if (this.parent === null) return own;
    const folder = `${this.#fold(this.name)}/`;
    return [...this.parent.#compiled().map((view) => this.#scopedBelow(view, folder)), ...own];
  }

  /**
   * The package takes everything below a folder that these rules ignore for ignored; but if we are in that folder, a
   * stronger file has re-included it, and that is added here. The copy also leaves behind the answers that the package
   * remembers for every path it was asked about.
   */
  #scopedBelow(view: ScopedRules, folder: string): ScopedRules {
    const path = view.path + folder;
    const rules = this.#empty().add(view.rules);
    if (view.rules.test(path).ignored) rules.add({ pattern: `!/${path.replace(/[\\*?[]/g, '\\$&')}` });
    return { rules, path };
  }

  #empty(): Ignore {
    return ignore({ ignorecase: this.ignoreCase, allowRelativePaths: true });
  }

  /** Only ASCII letters have a case in git; other bytes are put where Unicode has no letters. */
  #fold(text: string): string {
    if (!this.ignoreCase) return text;
    return text.replace(/[\x80-\xff]/g, (char) => String.fromCharCode(0xe100 + char.charCodeAt(0)));
  }
}

/** One file's rules as seen from one folder. */
interface ScopedRules {
  readonly rules: Ignore;
  /** From the folder of the file to this one; ends in `/` unless empty. */
  readonly path: string;
}

/** One string for the package to split again: it drops one CR at the end of a line. */
function asText(patterns: readonly string[]): string {
  return patterns.map((pattern) => `${pattern}${pattern.endsWith('\r') ? '\r' : ''}\n`).join('');
}

function digest(file: IgnoreFile): string {
  return file === null ? '-' : createHash('sha256').update(file).digest('hex');
}

function hash(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0'), 'latin1').digest('hex').slice(0, 40);
}
