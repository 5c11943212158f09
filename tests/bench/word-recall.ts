/** Words with their counts; ß is kept. */
const bagOf = (text: string): Map<string, number> => {
  const bag = new Map<string, number>();
  for (const [word] of text
    .normalize('NFC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}_]+/gu))
    bag.set(word, (bag.get(word) ?? 0) + 1);
  return bag;
};

/** The part of the words of `truth` that are in `text`, each as often as it is there. */
export const recallOf = (truth: string, text: string): number => {
  const [wanted, found] = [bagOf(truth), bagOf(text)];
  let [hits, total] = [0, 0];
  for (const [word, count] of wanted) {
    total += count;
    hits += Math.min(count, found.get(word) ?? 0);
  }
  return total === 0 ? 1 : hits / total;
};

/** The part of the words of `text` that are in `truth`. */
export const precisionOf = (truth: string, text: string): number => recallOf(text, truth);

export const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
