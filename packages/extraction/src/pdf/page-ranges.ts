/** `1-3,7`: what thousands of pages are on a command line. */
export const pageRanges = (pages: readonly number[]): string => {
  const ranges: string[] = [];
  let at = 0;
  while (at < pages.length) {
    const first = pages[at] ?? 0;
    let last = first;
    for (at += 1; pages[at] === last + 1; at += 1) last += 1;
    ranges.push(first === last ? `${first}` : `${first}-${last}`);
  }
  return ranges.join(',');
};
