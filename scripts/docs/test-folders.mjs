// @ts-check

/**
 * Returns the differences between the table in CONTRIBUTING.md and the folders of tests/. Each folder must have a row
 * that describes it.
 * @param {string} contributing text of CONTRIBUTING.md
 * @param {readonly string[]} folders names of the folders in tests/
 * @returns {string[]}
 */
export function unlistedTestFolders(contributing, folders) {
  const listed = [...contributing.matchAll(/^\| `tests\/([^/`]+)\/` \| [^|\s]/gm)].map((match) => match[1] ?? '');
  return [
    ...folders
      .filter((name) => !listed.includes(name))
      .map((name) => `CONTRIBUTING.md: no row says what tests/${name}/ is for`),
    ...listed
      .filter((name) => !folders.includes(name))
      .map((name) => `CONTRIBUTING.md: tests/${name}/ has a row and is not there`),
  ];
}
