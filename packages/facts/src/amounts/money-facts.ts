import type { FactKind } from '@sheaf/vocabulary/facts';
import { type Fact, toConfidence } from '../fact.ts';
import { boxOf, type Line } from '../text/page-lines.ts';
import { currencyOf, mostCommonCurrency } from './scan-amounts.ts';
import { type PlacedAmount, placeAmounts, scoreTotals } from './score-totals.ts';

/** Candidates beyond these are not worth a choice. */
const MIN_TOTAL_SCORE = 0.14;
const MAX_TOTALS = 20;
const CONFIDENCE = { net: 0.75, subtotal: 0.55, tax: 0.75, row: 0.8, currency: 0.9, nearby: 0.7, sumBonus: 0.2, perColumn: 0.1 };
const SLACK = 2;

/** Total, net, tax and currency of a document, with their candidates. */
export const findMoneyFacts = (pages: readonly (readonly Line[])[], languages: readonly string[]): Fact[] => {
  const amounts = placeAmounts(pages, languages);
  const totals = scoreTotals(amounts).slice(0, MAX_TOTALS);
  const total = totals[0]?.amount.cents;
  return [
    ...totals.filter(({ score }) => score >= MIN_TOTAL_SCORE).map(({ amount, score, rule }) => toFact('total', amount, score, rule)),
    ...partFacts(amounts, total),
    ...rowFacts(amounts, total),
    ...currencyFacts(pages, amounts, totals[0]?.amount),
  ];
};

/** Hundredths as a decimal: 123450 is "1234.50". */
export const toDecimal = (cents: number): string => {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

const toFact = (kind: FactKind, { line, start, end, cents }: PlacedAmount, score: number, rule: string): Fact => ({
  kind,
  value: toDecimal(cents),
  page: line.page,
  box: boxOf(line, start, end),
  confidence: toConfidence(score),
  rule,
  isAmbiguous: false,
});

/** Labelled net amounts and taxes; those that add up to the total before the others. */
const partFacts = (amounts: readonly PlacedAmount[], total: number | undefined): Fact[] => {
  const nets = amounts.filter(({ role }) => role === 'net' || role === 'subtotal').slice(0, MAX_TOTALS);
  const taxes = amounts.filter(({ role }) => role === 'tax').slice(0, MAX_TOTALS);
  const addsUp = (one: PlacedAmount, others: readonly PlacedAmount[]) =>
    total !== undefined && others.some(({ cents }) => Math.abs(one.cents + cents - total) <= SLACK);
  const bonus = (one: PlacedAmount, others: readonly PlacedAmount[]) =>
    (addsUp(one, others) ? CONFIDENCE.sumBonus : 0) - CONFIDENCE.perColumn * one.column;
  return [
    ...nets.map((net) => toFact('net', net, CONFIDENCE[net.role === 'net' ? 'net' : 'subtotal'] + bonus(net, taxes), 'net.keyword')),
    ...taxes.map((tax) => toFact('tax', tax, CONFIDENCE.tax + bonus(tax, nets), 'tax.keyword')),
  ];
};

/** A row that states net and tax beside each other, which make up the total. */
const rowFacts = (amounts: readonly PlacedAmount[], total: number | undefined): Fact[] => {
  if (total === undefined) return [];
  const facts: Fact[] = [];
  amounts.forEach((net, at) => {
    const tax = amounts[at + 1];
    if (
      tax === undefined ||
      tax.row !== net.row ||
      Math.abs(net.cents + tax.cents - total) > SLACK ||
      tax.cents <= 0 ||
      tax.cents >= net.cents
    )
      return;
    facts.push(toFact('net', net, CONFIDENCE.row, 'net.row'), toFact('tax', tax, CONFIDENCE.row, 'tax.row'));
  });
  return facts.slice(0, MAX_TOTALS);
};

const currencyFacts = (pages: readonly (readonly Line[])[], amounts: readonly PlacedAmount[], total: PlacedAmount | undefined): Fact[] => {
  const named = amounts.flatMap(({ currency }) => currency ?? []);
  const currency = mostCommonCurrency(named.length > 0 ? [...named, ...namedCurrencies(pages)] : namedCurrencies(pages));
  if (currency === undefined) return [];
  const place = [total, ...amounts].find((amount) => amount?.currency === currency) ?? total;
  const confidence = named.includes(currency) ? CONFIDENCE.currency : CONFIDENCE.nearby;
  const box = place === undefined ? undefined : boxOf(place.line, place.start, place.end);
  const rule = named.includes(currency) ? 'currency.amount' : 'currency.named';
  return [{ kind: 'currency', value: currency, page: place?.line.page ?? pages[0]?.[0]?.page, box, confidence, rule, isAmbiguous: false }];
};

/** Currencies that stand alone, such as "(RM)" over a column; short words such as "Fr" only count beside an amount. */
const namedCurrencies = (pages: readonly (readonly Line[])[]): string[] =>
  pages
    .slice(0, 2)
    .flat()
    .flatMap(({ atoms }) => atoms)
    .flatMap((atom) => (atom.text === 'RM' || atom.text.length === 3 || atom.kind === 'sign' ? (currencyOf(atom) ?? []) : []));
