// @ts-check
/** Recall and precision over the files of the corpus. */

/**
 * @typedef {object} Missed
 * @property {string} path
 * @property {boolean} inPlan
 * @property {readonly string[]} kinds
 * @property {readonly string[]} proof
 * @property {boolean} isConsequence whether the commit did not have to change it: it fails because another file is left out
 * @property {string} class what is said about the file instead: `follows`, `may-be-affected` or nothing
 *
 * @typedef {object} Wrong
 * @property {string} path
 * @property {boolean} inPlan
 * @property {number | null} line
 * @property {string} rule
 * @property {string} message
 *
 * @typedef {object} Verdict one plan
 * @property {string} repository
 * @property {string} language
 * @property {string} commit
 * @property {'whole' | 'alone'} variant
 * @property {readonly { path: string, inPlan: boolean, isConsequence: boolean, kinds: readonly string[] }[]} hits
 * @property {readonly Missed[]} missed
 * @property {readonly Wrong[]} wrong
 *
 * @typedef {{ repository: string, commit: string, path: string, is: 'broken' | 'not broken', reason: string }} Judged
 */

/**
 * @param {object} options
 * @param {import('../corpus.mjs').Corpus} options.corpus
 * @param {import('../corpus.mjs').Case} options.one
 * @param {'whole' | 'alone'} options.variant
 * @param {ReadonlySet<string>} options.changed by the plan
 * @param {ReadonlySet<string>} options.touched by the whole commit
 * @param {readonly { class: string, rule: string, path: string, line: number | null, message: string }[]} options.findings
 * @returns {Verdict}
 */
export function judge({ corpus, one, variant, changed, touched, findings }) {
  const expected = one.labels[variant].map((label) => ({ ...label, isConsequence: !touched.has(label.path) }));
  // These are about users outside the repository, and about tests: no file fails.
  const counted = findings.filter(({ rule }) => rule !== 'broken-api' && rule !== 'untested-change');
  const said = new Map();
  for (const finding of findings)
    if (finding.class === 'breaks' && !said.has(finding.path)) said.set(finding.path, finding);
  const fails = new Set(expected.map(({ path }) => path));
  return {
    repository: corpus.repository,
    language: corpus.language,
    commit: one.commit,
    variant,
    hits: expected.filter(({ path }) => said.has(path)),
    missed: expected
      .filter(({ path }) => !said.has(path))
      .map((missed) => ({ ...missed, class: counted.find(({ path }) => path === missed.path)?.class ?? 'nothing' })),
    wrong: [...said.values()]
      .filter(({ path }) => !fails.has(path))
      .map(({ path, line, rule, message }) => ({ path, line, rule, message, inPlan: changed.has(path) })),
  };
}

/**
 * The figures as a table in Markdown. *Raw*: outside the plan, as the oracle decides. *Labelled*: less what only a checker of
 * types can see and what only fails because another file is left out, and with the reasons of the judged files.
 * @param {readonly Verdict[]} verdicts @param {readonly Judged[]} judged
 */
export function asTable(verdicts, judged) {
  const lines = [
    '| | plans | fail | recall | precision | with *follows* | labelled recall | precision | with *follows* | in the plan |',
    '|---|---|---|---|---|---|---|---|---|---|',
  ];
  for (const language of new Set(verdicts.map((one) => one.language)))
    for (const variant of /** @type {const} */ (['whole', 'alone'])) {
      const all = verdicts.filter((one) => one.language === language && one.variant === variant);
      for (const repository of new Set(all.map((one) => one.repository)))
        lines.push(
          row(
            `${repository}, ${variant}`,
            all.filter((one) => one.repository === repository),
            judged,
          ),
        );
      lines.push(row(`**${language}, ${variant}**`, all, judged));
    }
  lines.push('', ...meanLines(verdicts), '', ...kindLines(verdicts));
  return lines.join('\n');
}

/** @param {string} title @param {readonly Verdict[]} all @param {readonly Judged[]} judged */
function row(title, all, judged) {
  const outside = countsOf(all, () => false);
  const inside = countsOf(all, () => false, true);
  const labelled = countsOf(all, (repository, commit, one) =>
    'kinds' in one && (one.isConsequence || one.kinds.every((kind) => kind === 'type'))
      ? 'left out'
      : (judged.find(
          (other) => other.repository === repository && other.path === one.path && commit.startsWith(other.commit),
        )?.is ?? false),
  );
  const cells = [
    all.length,
    outside.hits + outside.missed,
    ...rates(outside),
    ...rates(labelled),
    rates(inside).join(' / '),
  ];
  return `| ${title} | ${cells.join(' | ')} |`;
}

/**
 * @param {readonly Verdict[]} all
 * @param {(repository: string, commit: string, one: Missed | Wrong | Verdict['hits'][number]) => false | string} otherwise
 * @param {boolean} [inPlan]
 */
function countsOf(all, otherwise, inPlan = false) {
  const counts = { hits: 0, missed: 0, wrong: 0, follows: 0 };
  for (const { repository, commit, hits, missed, wrong } of all) {
    const add = (/** @type {'hits' | 'missed' | 'wrong'} */ key, /** @type {any} */ one) => {
      if (one.inPlan !== inPlan) return;
      const is = otherwise(repository, commit, one);
      if (is === 'left out' || (is === 'not broken' && key === 'missed')) return;
      counts[is === 'broken' && key === 'wrong' ? 'hits' : is === 'not broken' && key === 'hits' ? 'wrong' : key]++;
    };
    for (const one of hits) add('hits', one);
    for (const one of missed) {
      const before = counts.missed;
      add('missed', one);
      if (counts.missed > before && one.class === 'follows') counts.follows++;
    }
    for (const one of wrong) add('wrong', one);
  }
  return counts;
}

/** @param {{ hits: number, missed: number, wrong: number, follows: number }} counts */
function rates({ hits, missed, wrong, follows }) {
  const rate = (/** @type {number} */ part, /** @type {number} */ of) => (of === 0 ? '–' : (part / of).toFixed(2));
  return [rate(hits, hits + missed), rate(hits, hits + wrong), rate(hits + follows, hits + missed)];
}

/**
 * The mean over the plans, so that a plan with many dependents counts no more than one with a single dependent. Also what
 * names alone can prove: files that fail with an import, an export or a name.
 * @param {readonly Verdict[]} verdicts
 */
function meanLines(verdicts) {
  const byNames = new Set(['module', 'export', 'name', 'text']);
  const lines = [
    '| | mean recall per plan | mean precision per plan | recall of modules, exports and names |',
    '|---|---|---|---|',
  ];
  for (const language of new Set(verdicts.map((one) => one.language)))
    for (const variant of /** @type {const} */ (['whole', 'alone'])) {
      const all = verdicts.filter((one) => one.language === language && one.variant === variant);
      const outside = all.map(({ hits, missed, wrong }) => ({
        hits: hits.filter(({ inPlan }) => !inPlan),
        missed: missed.filter(({ inPlan }) => !inPlan),
        wrong: wrong.filter(({ inPlan }) => !inPlan),
      }));
      const recalls = outside.flatMap(({ hits, missed }) => shareOf(hits.length, hits.length + missed.length));
      const precisions = outside.flatMap(({ hits, wrong }) => shareOf(hits.length, hits.length + wrong.length));
      const count = (/** @type {'hits' | 'missed'} */ key) =>
        outside.flatMap((one) => one[key]).filter(({ kinds }) => kinds.some((kind) => byNames.has(kind))).length;
      const named = shareOf(count('hits'), count('hits') + count('missed'));
      lines.push(`| ${[`${language}, ${variant}`, meanOf(recalls), meanOf(precisions), meanOf(named)].join(' | ')} |`);
    }
  return lines;
}

/** @param {number} part @param {number} all @returns {readonly number[]} empty if there is nothing to share */
function shareOf(part, all) {
  return all === 0 ? [] : [part / all];
}

/** @param {readonly number[]} all */
function meanOf(all) {
  return all.length === 0 ? '–' : (all.reduce((sum, one) => sum + one, 0) / all.length).toFixed(2);
}

/** What the missed files outside the plan fail with. @param {readonly Verdict[]} verdicts */
function kindLines(verdicts) {
  /** @type {Map<string, { found: number, missed: number, follows: number, affected: number }>} */
  const kinds = new Map();
  const at = (/** @type {string} */ language, /** @type {readonly string[]} */ all) => {
    const key = `${language} ${all.join('+')}`;
    const known = kinds.get(key) ?? { found: 0, missed: 0, follows: 0, affected: 0 };
    kinds.set(key, known);
    return known;
  };
  for (const { language, hits, missed } of verdicts) {
    for (const one of hits) if (!one.inPlan) at(language, one.kinds).found++;
    for (const one of missed) {
      if (one.inPlan) continue;
      const counts = at(language, one.kinds);
      counts.missed++;
      if (one.class === 'follows') counts.follows++;
      if (one.class === 'may-be-affected') counts.affected++;
    }
  }
  const rows = [...kinds].sort(([, a], [, b]) => b.found + b.missed - a.found - a.missed);
  return [
    '| outside the plan, fails with | found | missed | of these: follows | may be affected |',
    '|---|---|---|---|---|',
    ...rows.map(
      ([key, { found, missed, follows, affected }]) => `| ${key} | ${found} | ${missed} | ${follows} | ${affected} |`,
    ),
  ];
}
