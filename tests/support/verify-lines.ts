/** What `verify` prints, line by line, without the figures at its end. */
export const verifyLines = (stdout: string): string[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => line.replace(/; [\d,]+ documents, [\d,]+ files, [\d.]+ (?:bytes|[kMGT]B), [\d.]+ s$/, ''));
