import { wordsAbove, wordsBefore } from '../text/label.ts';
import type { Line } from '../text/page-lines.ts';
import { wordsOf } from '../text/phrases.ts';
import { type AmountRole, amountRoleOf, isTaxSummary } from './amount-words.ts';
import { type AmountMention, scanAmounts } from './scan-amounts.ts';

/** An amount, where it stands and what the words around it make of it. */
export interface PlacedAmount extends AmountMention {
  readonly line: Line;
  /** Counted over the document. */
  readonly row: number;
  /** Its place among the amounts of its row, and how many there are. */
  readonly column: number;
  readonly columns: number;
  readonly role: AmountRole | undefined;
  /** Whether it stands in a table that parts the total by tax rates. */
  readonly isOfTaxes: boolean;
}

/** Such a table has no more rows than there are rates. */
const MAX_TAX_ROWS = 8;
const MAX_HEADING_WORDS = 8;

/** The first and the last ones count: totals stand at either end of a long document. */
const MAX_AMOUNTS = 400;
/** These part thousands with a space, so "2 100,00" is one number in them. */
const SPACED_GROUPS = new Set(['fr', 'pl', 'cs', 'sk', 'uk', 'sv', 'nb', 'no', 'fi', 'hu', 'lv', 'lt']);

/** The amounts of a document. */
export const placeAmounts = (pages: readonly (readonly Line[])[], languages: readonly string[]): PlacedAmount[] => {
  const groupsBySpace = SPACED_GROUPS.has(languages[0] ?? '');
  const placed: PlacedAmount[] = [];
  let row = 0;
  for (const lines of pages) {
    let lastTaxRow = 0;
    for (const line of lines) {
      row += 1;
      if (isTaxSummary(line.atoms.slice(0, MAX_HEADING_WORDS).map(({ folded }) => folded))) lastTaxRow = row + MAX_TAX_ROWS;
      placed.push(
        ...placeInRow(lines, line, row, scanAmounts(line.atoms, groupsBySpace)).map((amount) => ({
          ...amount,
          isOfTaxes: row <= lastTaxRow,
        })),
      );
    }
  }
  return placed.length <= MAX_AMOUNTS ? placed : [...placed.slice(0, MAX_AMOUNTS / 2), ...placed.slice(-MAX_AMOUNTS / 2)];
};

const CURRENCY_WORDS = new Set(['rm', 'eur', 'usd', 'gbp', 'chf', 'pln', 'myr', 'euro', 'zl', 'x', '#']);

const isLabelWord = (word: string): boolean => Number.isNaN(Number(word)) && word !== '%' && !CURRENCY_WORDS.has(word);

const placeInRow = (
  lines: readonly Line[],
  line: Line,
  row: number,
  amounts: readonly AmountMention[],
): Omit<PlacedAmount, 'isOfTaxes'>[] => {
  let from = 0;
  let label: AmountRole | undefined;
  return amounts.map((amount, column) => {
    const words = wordsBefore(line, from, amount.start);
    from = amount.end;
    // a second amount without words of its own belongs to the words of the first, as in the last row of a table
    if (words.some(isLabelWord)) label = amountRoleOf(words);
    else if (column === 0) label = roleFromAbove(lines, line, amount);
    return { ...amount, line, row, column, columns: amounts.length, role: label };
  });
};

const roleFromAbove = (lines: readonly Line[], line: Line, { start, end }: AmountMention): AmountRole | undefined => {
  const role = amountRoleOf(wordsAbove(lines, line, start, end));
  if (role !== undefined) return role;
  const above = lines[line.index - 1];
  const isAlone = line.atoms.length > 0 && start <= (line.atoms[0]?.end ?? 0) + 2;
  // a label of its own row
  return isAlone && above !== undefined && !above.atoms.some(({ kind }) => kind === 'digits')
    ? amountRoleOf(wordsOf(above.text).slice(0, 8))
    : undefined;
};
