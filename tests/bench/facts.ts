import { type Correspondent, type FactPage, type FoundFacts, findFacts, indexCorrespondents } from '@sheaf/facts';
import { type DateText, dateTexts, type ReceiptEntry, readCorpusText, receiptCorpus } from '../support/corpus.ts';
import { machineLine } from './machine.ts';
import { median } from './median.ts';

const NOW = new Date('2026-11-25T00:00:00Z');
const ORDERS = { DMY: 'day_first', MDY: 'month_first', YMD: 'year_first' } as const;
const EARLIER_DOCUMENTS = 10;
const ROUNDS = 20;

interface Receipt extends ReceiptEntry {
  readonly page: FactPage;
}

/** How well facts are found in receipts and date texts of the corpus, by their text alone, and what a page takes. */
export const run = async (): Promise<void> => {
  const entries = receiptCorpus();
  const texts = dateTexts();
  if (entries === undefined || texts === undefined) return;
  const receipts = entries.map((entry) => ({ ...entry, page: { number: 1, text: readCorpusText('facts', entry.expect.ground_truth) } }));
  console.log(`facts of ${receipts.length} receipts and ${texts.length} date texts; ${machineLine()}`);
  console.log('| | target | reached |\n|---|---|---|');
  reportReceipts(receipts);
  reportSenders(receipts);
  report('date texts', 1, texts.map(isDateTextRight), (at) => texts[at]?.id ?? '');
  reportTimes(receipts);
};

const percent = (part: number): string => `${(part * 100).toFixed(1)} %`;

const report = (what: string, target: number, right: readonly boolean[], nameOf: (at: number) => string): void => {
  const reached = right.filter(Boolean).length / right.length;
  console.log(`| ${what} | ${percent(target)} | ${percent(reached)} of ${right.length}${reached < target ? ' (MISSED)' : ''} |`);
  if (process.env['FACTS_MISSES'] !== undefined) right.forEach((isRight, at) => isRight || console.log(`    ${nameOf(at)}`));
};

const findIn = (receipt: Receipt, correspondents: readonly Correspondent[] = []): FoundFacts =>
  findFacts(
    { pages: [receipt.page], languages: ['eng'] },
    { now: NOW, preferredDateOrder: ORDERS[receipt.expect.date_order], correspondents: indexCorrespondents(correspondents) },
  );

const valueOf = ({ facts }: FoundFacts, kind: string): string | undefined => facts.find((fact) => fact.kind === kind)?.value;

const reportReceipts = (receipts: readonly Receipt[]): void => {
  const found = receipts.map((receipt) => findIn(receipt));
  const expected = receipts.map(({ expect }) => expect);
  const dates = found.map((one) => valueOf(one, 'document_date'));
  const totals = found.map((one) => valueOf(one, 'total'));
  const name = (at: number) =>
    `${receipts[at]?.file}: ${JSON.stringify(expected[at])} ${JSON.stringify(found[at]?.facts.map(({ kind, value }) => [kind, value]))}`;
  report(
    'first date',
    0.96,
    dates.map((date, at) => date === expected[at]?.date),
    name,
  );
  const among = found.map(({ candidates }, at) =>
    candidates.some(({ kind, value }) => kind === 'document_date' && value === expected[at]?.date),
  );
  report('date among the candidates', 0.985, among, name);
  report(
    'total',
    0.85,
    totals.map((total, at) => total === expected[at]?.total),
    name,
  );
  const senders = found.map((one) => squeeze(valueOf(one, 'sender') ?? ''));
  report(
    'sender at first sight',
    0,
    senders.map((sender, at) => sender === squeeze(expected[at]?.company ?? '')),
    name,
  );
};

const squeeze = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/gu, '');

/** Each receipt with the senders of all others known, by name and VAT id, from up to ten others each. */
const reportSenders = (receipts: readonly Receipt[]): void => {
  const numbers = receipts.map((receipt) => valueOf(findIn(receipt), 'vat_id'));
  const bySender = Map.groupBy(receipts.keys(), (at) => squeeze(receipts[at]?.expect.company ?? ''));
  const repeated = [...receipts.keys()].filter((at) => (bySender.get(squeeze(receipts[at]?.expect.company ?? ''))?.length ?? 0) > 1);
  const right = repeated.map((at) => {
    const known = [...bySender].flatMap(([id, places]) =>
      correspondentOf(
        id,
        places.filter((place) => place !== at),
        receipts,
        numbers,
      ),
    );
    const receipt = receipts[at];
    if (receipt === undefined) return false;
    return squeeze(valueOf(findIn(receipt, known), 'sender') ?? '') === squeeze(receipt.expect.company);
  });
  report('sender with earlier documents', 0.95, right, (at) => receipts[repeated[at] ?? 0]?.file ?? '');
};

const correspondentOf = (
  id: string,
  places: readonly number[],
  receipts: readonly Receipt[],
  numbers: readonly (string | undefined)[],
): Correspondent[] => {
  const earlier = places.slice(0, EARLIER_DOCUMENTS);
  const [first] = earlier;
  if (first === undefined) return [];
  const names = [...new Set(earlier.map((place) => receipts[place]?.expect.company ?? ''))];
  const vatIds = [...new Set(earlier.flatMap((place) => numbers[place] ?? []))];
  return [{ id, name: names[0] ?? '', aliases: names.slice(1), vatIds }];
};

const isDateTextRight = ({
  text,
  languages,
  date_order,
  filename,
  filename_date_order,
  ignore_dates,
  reference_date,
  expect,
}: DateText): boolean => {
  const fileOrder = filename_date_order == null ? undefined : ORDERS[filename_date_order];
  const { candidates } = findFacts(
    {
      pages: [{ number: 1, text }],
      languages,
      ...(filename !== undefined && fileOrder !== undefined ? { fileName: { name: filename, dateOrder: fileOrder } } : {}),
    },
    {
      now: reference_date === undefined ? NOW : new Date(reference_date),
      preferredDateOrder: ORDERS[date_order],
      ignoredDates: ignore_dates ?? [],
    },
  );
  const dates = candidates.filter(({ kind }) => kind === 'document_date').map(({ value }) => value);
  const [first = null] = dates;
  if (first !== expect.first && !(expect.also_fine ?? []).includes(first ?? '')) return false;
  if (expect.mode === 'all') return dates.join(' ') === expect.dates.join(' ');
  return expect.mode === 'first' || dates.toSorted().join(' ') === expect.dates.toSorted().join(' ');
};

const MAX_PAGE_MS = 5;

const reportTimes = (receipts: readonly Receipt[]): void => {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = performance.now();
    for (const receipt of receipts) findFacts({ pages: [receipt.page], languages: ['eng'] }, { now: NOW });
    times.push((performance.now() - started) / receipts.length);
  }
  const ms = median(times) ?? Number.POSITIVE_INFINITY;
  console.log(`| ms a page | ${MAX_PAGE_MS} | ${ms.toFixed(2)}${ms > MAX_PAGE_MS ? ' (MISSED)' : ''} |`);
};
