/** What an analysis of the code could not say, in words. */
import { shownName } from '../data/names.ts';
import { plural } from '../data/times.ts';
import type { Report } from './findings.ts';

type Unsaid = Pick<Report['unsaid'][number], 'language' | 'files'> & {
  readonly reason: string;
  readonly paths?: Report['unsaid'][number]['paths'];
};

const NAMED = 5;

export function unsaidText({ reason, language, files, paths = [] }: Unsaid): string {
  const names = paths.slice(0, NAMED).map(shownName);
  const rest = files > names.length ? [`${files - names.length} more`] : [];
  const list = names.length === 0 ? '' : ` (${[...names, ...rest].join(', ')})`;
  const of = `${plural(files, 'file')}${list}`;
  switch (reason) {
    case 'no-language':
      return `Not analysed: ${of} in no language that is understood.`;
    case 'no-parser':
      return `Not analysed: ${of}, as the parser of ${language} is not installed.`;
    case 'unreadable':
      return `Not analysed: ${of} of ${language}, which are too large or cannot be read.`;
    case 'not-measured':
      return `Findings in ${language} are not proven, as their accuracy is not measured.`;
    case 'too-many':
      return `Nothing was analysed: the workspace has too many source files (${files}).`;
    default:
      return `Not said (${reason}): ${of}.`;
  }
}
