import type { Term } from './regexp-syntax.ts';

/**
 * In how many ways a text of that many units can be parted over a term, at most: a regular expression that tries one after the
 * other tries no more. Infinity for what is not worth a closer look.
 */
export const countWays = (term: Term, units: number): number => {
  switch (term.kind) {
    case 'unit':
    case 'start':
    case 'end':
      return 1;
    case 'look':
      return countWays(term.body, units);
    case 'sequence':
      return term.terms.reduce((ways, part) => ways * countWays(part, units), 1);
    case 'either':
      return term.options.reduce((ways, option) => ways + countWays(option, units), 0);
    case 'repeat':
      return countRepeats(term, units);
  }
};

const countRepeats = ({ term, min, max }: Extract<Term, { kind: 'repeat' }>, units: number): number => {
  const once = countWays(term, units);
  if (once === 1) return Math.min(max - min, units) + 1;
  return max === Number.POSITIVE_INFINITY ? max : (max - min + 1) * once ** max;
};
