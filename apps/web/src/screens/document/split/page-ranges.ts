/** Page numbers as they are written: 3–5, 7. */
export const pageRanges = (pages: readonly number[], format: (page: number) => string): string => {
  const ranges: [first: number, last: number][] = [];
  for (const page of pages) {
    const range = ranges.at(-1);
    if (range !== undefined && range[1] === page - 1) range[1] = page;
    else ranges.push([page, page]);
  }
  return ranges.map(([first, last]) => (first === last ? format(first) : `${format(first)}–${format(last)}`)).join(', ');
};
