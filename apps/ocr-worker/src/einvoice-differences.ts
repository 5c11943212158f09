import { type Fact, findFacts } from '@sheaf/facts';
import type { EinvoiceDifference, EinvoiceFacts } from '@sheaf/vocabulary/einvoices';
import type { FactKind } from '@sheaf/vocabulary/facts';
import { namesAmount, namesIban, namesName, namesNumber, PageWording } from './page-wording.ts';

/** The pages of a document as far as they were looked at. */
export interface ComparedPages {
  readonly pages: readonly { readonly page: number; readonly content: string }[];
  /** False where there is more text: what is not found may stand there. */
  readonly isWhole: boolean;
  readonly now: Date;
}

interface Comparison {
  readonly field: string;
  /** What the page is shown to state is of the first kind. */
  readonly kinds: readonly [FactKind, ...FactKind[]];
  /** One of them has to be stated; the first is shown. */
  readonly values: (invoice: EinvoiceFacts) => readonly (string | null)[];
  readonly isStated: (wording: PageWording, value: string) => boolean;
  /** Whether a fact of the page says the same. */
  readonly isSame: (xml: string, page: string) => boolean;
}

const ZERO_AMOUNT = /^[+-]?(?:0+(?:\.0*)?|\.0+)$/;

const isSameAmount = (xml: string, page: string): boolean => Math.abs(Math.abs(Number(xml)) - Math.abs(Number(page))) < 0.005;

const amount = (field: 'grand_total' | 'payable'): Comparison => ({
  field,
  kinds: ['total'],
  // nothing to pay is seldom written
  values: (invoice) => [ZERO_AMOUNT.test(invoice[field] ?? '') ? null : invoice[field]],
  isStated: namesAmount,
  isSame: isSameAmount,
});

const isSameName = (xml: string, page: string): boolean => namesName(new PageWording(page), xml) || namesName(new PageWording(xml), page);

const COMPARISONS: readonly Comparison[] = [
  {
    field: 'number',
    kinds: ['invoice_number'],
    values: ({ number }) => [number],
    isStated: namesNumber,
    isSame: (xml, page) => namesNumber(new PageWording(page), xml),
  },
  {
    field: 'issue_date',
    kinds: ['document_date', 'due_date', 'service_date'],
    values: ({ issue_date: day }) => [day],
    isStated: (wording, day) => wording.names(day),
    isSame: (xml, page) => xml === page,
  },
  amount('grand_total'),
  amount('payable'),
  {
    field: 'seller.name',
    kinds: ['sender'],
    values: ({ seller }) => [seller.name, seller.trading_name],
    isStated: namesName,
    isSame: isSameName,
  },
  {
    field: 'seller.iban',
    kinds: ['iban'],
    values: ({ seller }) => [seller.iban],
    isStated: namesIban,
    isSame: (xml, page) => namesIban(new PageWording(page), xml),
  },
];

/**
 * Where the pages of a PDF do not state what its e-invoice does, with what they state instead where that was found. None where the pages
 * have no text. Amounts, dates and numbers count in whatever form they are written.
 */
export const findDifferences = (invoice: EinvoiceFacts, { pages, isWhole, now }: ComparedPages): readonly EinvoiceDifference[] => {
  const wording = new PageWording(pages.map(({ content }) => content).join('\n'));
  if (wording.isEmpty) return [];
  const { candidates } = findFacts({ pages: pages.map(({ page, content }) => ({ number: page, text: content })), languages: [] }, { now });
  return COMPARISONS.flatMap((comparison) => compare(comparison, invoice, wording, candidates, isWhole));
};

const compare = (
  { field, kinds, values, isStated, isSame }: Comparison,
  invoice: EinvoiceFacts,
  wording: PageWording,
  candidates: readonly Fact[],
  isWhole: boolean,
): EinvoiceDifference[] => {
  const wanted = values(invoice).filter((value) => value !== null && value !== '') as string[];
  const [shown] = wanted;
  if (shown === undefined || wanted.some((value) => isStated(wording, value))) return [];
  if (candidates.some((fact) => kinds.includes(fact.kind) && wanted.some((value) => isSame(value, fact.value)))) return [];
  const page = candidates.find(({ kind }) => kind === kinds[0])?.value ?? null;
  return page === null && !isWhole ? [] : [{ field, xml: shown, page }];
};
