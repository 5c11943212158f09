import { type Fact, toConfidence } from '../fact.ts';
import { wordsAbove, wordsBefore } from '../text/label.ts';
import { boxOf, type Line } from '../text/page-lines.ts';
import { type Atom, Phrases } from '../text/phrases.ts';

type NumberKind = 'invoice_number' | 'customer_number';

const LABELS: Readonly<Record<NumberKind, Phrases>> = {
  invoice_number:
    new Phrases(`invoice no, invoice number, invoice #, invoice id, invoice, inv no, inv #, inv, tax invoice no, bill no, bill number, bill #, bill, receipt no, receipt number, receipt #, doc no, document no, credit note no, slip no, slip, check #, chk,
    rechnungsnummer, rechnungsnr, rechnungs nr, rechnung nr, rechnung nummer, re nr, rg nr, rechnung, belegnummer, beleg nr, belegnr, bon nr, gutschrift nr,
    facture n, facture no, n facture, n de facture, numero de facture, facture numero, facture, no de facture,
    factura n, factura no, numero de factura, n factura, n de factura, no factura, num factura, factura, factura numero,
    fattura n, fattura no, fattura nr, numero fattura, n fattura, fattura, numero documento, factuurnummer, factuur nummer, factuurnr, factuur nr, factuur, nota nr,
    fatura n, fatura no, numero da fatura, n da fatura, fatura, factura n o, fatura n o, n o fatura, faktura nr, numer faktury, nr faktury, faktura vat nr, faktura, rachunek nr, paragon nr`),
  customer_number:
    new Phrases(`customer no, customer number, customer id, customer #, customer, cust no, client no, client number, client id, account no, account number, acc no, membership no, member no,
    kundennummer, kundennr, kunden nr, kd nr, kdnr, kunden nummer, mitgliedsnummer, vertragskonto, debitorennummer,
    n client, numero client, numero de client, client n, reference client, no client, code client, ref client,
    n cliente, numero de cliente, no cliente, num cliente, codigo cliente, cliente n, codice cliente, numero cliente, n o cliente,
    klantnummer, klantnr, klant nr, klant, debiteurnummer, relatienummer, lidnummer,
    numero de cliente, codigo de cliente, numer klienta, nr klienta, nr nabywcy, numer kontrahenta`),
};
const KINDS: readonly NumberKind[] = ['invoice_number', 'customer_number'];

const CONFIDENCE = { beside: 0.9, above: 0.75, perLater: 0.03 };
const MAX_LENGTH = 40;
const MAX_FACTS = 20;
const JOINTS = new Set(['-', '/', '.', '_', '#']);

/** Numbers behind or under a word such as "invoice no.". */
export const findReferenceFacts = (
  lines: readonly Line[],
  byPage: ReadonlyMap<number, readonly Line[]>,
  taken: ReadonlySet<string>,
): Fact[] => {
  const counts = { invoice_number: 0, customer_number: 0 };
  const facts: Fact[] = [];
  for (const line of lines) {
    for (const found of findInLine(byPage.get(line.page) ?? [], line)) {
      if (counts[found.kind] >= MAX_FACTS || taken.has(found.text)) continue;
      const place = { page: line.page, box: boxOf(line, found.start, found.end) };
      const confidence = toConfidence(CONFIDENCE[found.place] - CONFIDENCE.perLater * counts[found.kind]);
      facts.push({ kind: found.kind, value: found.text, ...place, confidence, rule: `${found.kind}.${found.place}`, isAmbiguous: false });
      counts[found.kind] += 1;
    }
  }
  return facts;
};

interface Found {
  readonly kind: NumberKind;
  readonly text: string;
  readonly place: 'beside' | 'above';
  readonly start: number;
  readonly end: number;
}

const findInLine = (lines: readonly Line[], line: Line): Found[] => {
  const found: Found[] = [];
  for (let at = 0, from = 0; at < line.atoms.length; ) {
    const token = readToken(line.atoms, at);
    if (token === undefined) {
      at += 1;
      continue;
    }
    const start = line.atoms[at]?.start ?? 0;
    const end = line.atoms[token.next - 1]?.end ?? 0;
    const label = labelOf(lines, line, from, start, end);
    if (label !== undefined) found.push({ ...label, text: line.text.slice(start, end), start, end });
    from = end;
    at = token.next;
  }
  return found;
};

/** Letters, digits and the signs between them without a space, with a digit among them. */
const readToken = (atoms: readonly Atom[], at: number): { readonly next: number } | undefined => {
  const first = atoms[at];
  if (first === undefined || (first.kind === 'sign' && first.text !== '#')) return undefined;
  let [next, last, hasDigits] = [at, at, false];
  for (; next < atoms.length; next += 1) {
    const atom = atoms[next];
    if (
      atom === undefined ||
      (next > at && atom.isSpaced) ||
      (atom.kind === 'sign' && !JOINTS.has(atom.text)) ||
      atom.end - first.start > MAX_LENGTH
    )
      break;
    hasDigits ||= atom.kind === 'digits';
    if (atom.kind !== 'sign') last = next;
  }
  if (!hasDigits) return undefined;
  const end = last === at && first.kind === 'digits' ? skipGroups(atoms, at + 1) : last + 1;
  return isNumberLike(atoms.slice(at, end)) ? { next: end } : undefined;
};

const GROUP = { min: 3, max: 4 };
const MAX_GROUPS = 5;

/** Past the groups of digits that go on after a single space, as in "10 123 456 789". */
const skipGroups = (atoms: readonly Atom[], from: number): number => {
  let next = from;
  for (; next < from + MAX_GROUPS; next += 1) {
    const [before, group, after] = [atoms[next - 1], atoms[next], atoms[next + 1]];
    if (before === undefined || group?.kind !== 'digits' || group.start !== before.end + 1) break;
    if (group.text.length < GROUP.min || group.text.length > GROUP.max || after?.isSpaced === false) break;
  }
  return next;
};

/** "INVOICE#12" begins with the label; a single digit is a count. */
const isNumberLike = (token: readonly Atom[]): boolean => {
  const digits = token.reduce((sum, { kind, text }) => sum + (kind === 'digits' ? text.length : 0), 0);
  return (
    digits >= 2 && !(token[0]?.kind === 'letters' && token[0].text.length > 6) && !(token[1]?.text === '#' && token[0]?.kind === 'letters')
  );
};

const NUMBER_WORDS = new Set(['no', 'n', 'o', 'nr', 'number', 'nummer', '#']);
const MAX_SERIES = 3;

/** Whether a short word for a series is between label and number, as in "Invoice no. CS 24399". */
const hasSeries = (words: readonly string[]): boolean =>
  NUMBER_WORDS.has(words.at(-2) ?? '') && (words.at(-1)?.length ?? 0) <= MAX_SERIES && Number.isNaN(Number(words.at(-1)));

const labelOf = (
  lines: readonly Line[],
  line: Line,
  from: number,
  start: number,
  end: number,
): Pick<Found, 'kind' | 'place'> | undefined => {
  const words = wordsBefore(line, from, start);
  const labels = hasSeries(words) ? [words, words.slice(0, -1)] : [words];
  for (const kind of KINDS)
    if (labels.some((label) => label.length > 0 && LABELS[kind].endIn(label) === label.length)) return { kind, place: 'beside' };
  if (words.length > 1) return undefined;
  const above = wordsAbove(lines, line, start, end);
  for (const kind of KINDS) if (above.length > 0 && LABELS[kind].endIn(above) === above.length) return { kind, place: 'above' };
  return undefined;
};
