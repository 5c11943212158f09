/** What the titles of the tests of a file begin with in a report. */
export const titlePrefixOf = (file: string): string =>
  `${file
    .replace(/^tests\//, '')
    .replace(/\.test\.ts$/, '')
    .split('/')
    .join(' › ')} › `;
