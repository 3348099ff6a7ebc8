/** Decides which names the ignore rules cover, folder by folder, with git's semantics. */
import { createHash } from 'node:crypto';
import ignore, { type Ignore } from 'ignore';
import { type PatternBudget, type RuleProblem, readIgnoreLines } from '../../git/ignore-lines.ts';
import type { Name } from '../../model/names.ts';
import { NameFilter } from './name-filter.ts';

/** A line or file that is not used. */
export interface ChainProblem extends RuleProblem {
  readonly file: 'global' | 'exclude' | '.gitignore';
}

/** Content of an ignore file. Null if it does not exist. */
export type IgnoreFile = Uint8Array | null;

export interface IgnoreChainStart {
  /** core.ignorecase: letters A to Z match in either case. */
  readonly ignoreCase: boolean;
  /** The user's global ignore file. */
  readonly global: IgnoreFile;
  /** `info/exclude` of the repository. */
  readonly exclude: IgnoreFile;
  /** `.gitignore` of the top folder. */
  readonly top: IgnoreFile;
}

/** Limits for all files of a chain together. Patterns beyond them are dropped and reported. */
const CHAIN_BUDGET: PatternBudget = { patterns: 20_000, slow: 64 };
/** Maximum depth below the top folder. No rules apply further down, because some patterns get slower with depth. */
const MAX_DEPTH = 200;

/**
 * The rules that apply in one folder. In order of precedence: its own `.gitignore`, those of the folders above,
 * `info/exclude`, the user's global file. The first file with a matching pattern decides, by its last match. Everything
 * below an ignored folder is ignored. Immutable; patterns are compiled on first use.
 */
export class IgnoreChain {
  /**
   * Equal keys give equal results in the same folder of a workspace: a hash of every rule text on the chain and its
   * folder, and how many folders without rules were entered since. Hashing each of these would take longer than their scan.
   */
  readonly key: string;
  /** Problems in the files that this folder adds. */
  readonly problems: readonly ChainProblem[];
  /** Patterns of the files that this folder adds, lowest precedence first. */
  readonly #own: readonly (readonly string[])[];
  /** Budget left for the files of the folders below. */
  readonly #budget: PatternBudget;
  readonly #depth: number;
  #scoped: readonly ScopedRules[] | null = null;
  #hidden: boolean | null = null;
  #filter: NameFilter | null | undefined;
  /** Key of the folders below that have no rules. They share one text. */
  #keyBelow: string | null = null;

  /** @param files added by this folder, lowest precedence first */
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
      const detail = `more than ${MAX_DEPTH} levels deep; rules there are not used`;
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

  /** Returns the chain for the top folder of a repository or a plain workspace. */
  static start(start: IgnoreChainStart): IgnoreChain {
    const files = { global: start.global, exclude: start.exclude, '.gitignore': start.top };
    const key = hash('savepoint ignore rules 2', start.ignoreCase ? 'i' : '', ...Object.values(files).map(digest));
    return new IgnoreChain(start.ignoreCase, null, '', files, key);
  }

  /**
   * @param gitignore the `.gitignore` of that folder
   * @param isNamed the folder is the workspace's own or above it: its name is not part of paths in the workspace
   */
  enter(folder: Name, gitignore: IgnoreFile, isNamed = false): IgnoreChain {
    const key = gitignore === null && !isNamed ? this.#belowKey() : hash(this.key, folder, digest(gitignore));
    return new IgnoreChain(this.ignoreCase, this, folder, { '.gitignore': gitignore }, key);
  }

  #belowKey(): string {
    const [start, levels = '0'] = this.key.split('+');
    this.#keyBelow ??= `${start}+${Number(levels) + 1}`;
    return this.#keyBelow;
  }

  isIgnored(name: Name, isFolder: boolean): boolean {
    return this.#isHidden() || this.#verdict(name, isFolder);
  }

  /** Computed from the top down, so that a deep chain needs no deep recursion. */
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

  /** Covers all files of the chain. Null if every name must be matched against the patterns. */
  #nameFilter(): NameFilter | null {
    if (this.#filter === undefined) {
      const own = NameFilter.of(this.#own.flat());
      const above = this.parent === null ? NameFilter.of([]) : this.parent.#nameFilter();
      const isOfNoUse = own === null || above === null || above.isOpenIn(this.name);
      this.#filter = isOfNoUse ? null : this.#own.length === 0 ? above : above.with(own);
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
   * The package treats everything below an ignored folder as ignored. But if the walk is in that folder, a file with
   * higher precedence has re-included it, so a re-inclusion is added here. Copying the rules also drops the package's
   * cached result for every path tested so far.
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

  /** In git only ASCII letters have a case. Other bytes are mapped to code points where Unicode has no letters. */
  #fold(text: string): string {
    if (!this.ignoreCase) return text;
    return text.replace(/[\x80-\xff]/g, (char) => String.fromCharCode(0xe100 + char.charCodeAt(0)));
  }
}

/** One file's rules, as they apply in one folder. */
interface ScopedRules {
  readonly rules: Ignore;
  /** From the folder of the file to this one. Ends in `/` unless empty. */
  readonly path: string;
}

/** One string for the package to split. It drops one CR at the end of a line, so a trailing CR is doubled. */
function asText(patterns: readonly string[]): string {
  return patterns.map((pattern) => `${pattern}${pattern.endsWith('\r') ? '\r' : ''}\n`).join('');
}

function digest(file: IgnoreFile): string {
  return file === null ? '-' : createHash('sha256').update(file).digest('hex');
}

function hash(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0'), 'latin1').digest('hex').slice(0, 40);
}
