/** A chart has no room for more. */
const MOST_YEARS = 40;

interface YearCount {
  readonly date: string;
  readonly count: number;
}

/** Each year from the first to the last one that has documents, of which the newest are taken. */
export const everyYear = (counts: Readonly<Record<string, number>>): readonly YearCount[] => {
  const years = Object.keys(counts).map(Number);
  if (years.length === 0) return [];
  const last = Math.max(...years);
  const first = Math.max(Math.min(...years), last - MOST_YEARS + 1);
  return Array.from({ length: last - first + 1 }, (_, step) => {
    const date = String(first + step);
    return { date, count: counts[date] ?? 0 };
  });
};
