import { countrySpecs, isValidIBAN } from 'ibantools';
import { type Fact, toConfidence } from './fact.ts';
import { wordsAbove, wordsBefore } from './text/label.ts';
import { boxOf, type Line } from './text/page-lines.ts';
import { type Atom, Phrases } from './text/phrases.ts';

interface VatIdMention {
  /** Capitals and digits without spaces and signs. */
  readonly id: string;
  readonly start: number;
  readonly end: number;
  readonly hasCountry: boolean;
}

/** Lengths behind the country code (VIES of the European Commission; GB, CHE and NO by their own offices), and whether letters are among the digits. */
const COUNTRIES: Readonly<Record<string, { readonly lengths: readonly number[]; readonly hasLetters?: boolean }>> = {
  AT: { lengths: [9], hasLetters: true },
  BE: { lengths: [10] },
  BG: { lengths: [9, 10] },
  CHE: { lengths: [9] },
  CY: { lengths: [9], hasLetters: true },
  CZ: { lengths: [8, 9, 10] },
  DE: { lengths: [9] },
  DK: { lengths: [8] },
  EE: { lengths: [9] },
  EL: { lengths: [9] },
  ES: { lengths: [9], hasLetters: true },
  FI: { lengths: [8] },
  FR: { lengths: [11], hasLetters: true },
  GB: { lengths: [9, 12] },
  HR: { lengths: [11] },
  HU: { lengths: [8] },
  IE: { lengths: [8, 9], hasLetters: true },
  IT: { lengths: [11] },
  LT: { lengths: [9, 12] },
  LU: { lengths: [8] },
  LV: { lengths: [11] },
  MT: { lengths: [8] },
  NL: { lengths: [12], hasLetters: true },
  NO: { lengths: [9] },
  PL: { lengths: [10] },
  PT: { lengths: [9] },
  RO: { lengths: [8, 9, 10] },
  SE: { lengths: [12] },
  SI: { lengths: [8] },
  SK: { lengths: [10] },
};

const LABEL =
  new Phrases(`vat, vat id, vat no, vat reg, vat number, vat registration, tax id, tax no, tax reg, gst, gst id, gst no, gst reg, gst id no, gst reg no, gst registration no, gst ref no, gstin, tax reg id, tax number, sst id, sst no,
  ust, ust id, ustid, ust idnr, ust id nr, ustidnr, umsatzsteuer, umsatzsteuer id, mwst nr, mwst nummer, uid, uid nr, atu,
  tva, n tva, no tva, numero tva, tva intracommunautaire, iva, p iva, partita iva, piva, nif, cif, n i f, c i f, nif iva, btw, btw nr, btw nummer, btw id, contribuinte, nipc, nip`);
/** The receiver's. */
const OTHERS = new Phrases(
  `your vat, customer vat, your tax, uw btw, ihre ust, ihre umsatzsteuer, votre tva, votre n tva, su nif, vostra partita, buyer, nabywca, cliente`,
);
const VAT_ID_CONFIDENCE = { labelled: 0.92, known: 0.7, national: 0.75, others: 0.3, perLater: 0.01 };
const NATIONAL = { min: 8, max: 15 };
const MAX_VAT_ID_ATOMS = 8;
const VAT_ID_JOINTS = new Set(['.', '-', ' ']);

/** The VAT ids of a line with a country code, and the numbers behind a word such as "GST ID". */
export const findVatIdFacts = (lines: readonly Line[]): Fact[] => {
  const facts: Fact[] = [];
  for (const line of lines) {
    for (let at = 0; at < line.atoms.length; at += 1) {
      const mention = readVatId(line.atoms, at);
      if (mention === undefined) continue;
      const words = wordsBefore(line, 0, mention.start);
      const isLabelled = LABEL.isIn(words);
      if (!isLabelled && !mention.hasCountry) continue;
      const confidence = OTHERS.isIn(words)
        ? VAT_ID_CONFIDENCE.others
        : VAT_ID_CONFIDENCE[isLabelled ? (mention.hasCountry ? 'labelled' : 'national') : 'known'];
      const place = { page: line.page, box: boxOf(line, mention.start, mention.end) };
      const rule = isLabelled ? 'vat_id.label' : 'vat_id.format';
      const later = VAT_ID_CONFIDENCE.perLater * facts.length;
      facts.push({ kind: 'vat_id', value: mention.id, ...place, confidence: toConfidence(confidence - later), rule, isAmbiguous: false });
      while ((line.atoms[at + 1]?.start ?? Number.POSITIVE_INFINITY) < mention.end) at += 1;
    }
  }
  return facts;
};

const readVatId = (atoms: readonly Atom[], at: number): VatIdMention | undefined => {
  const atom = atoms[at];
  if (atom?.kind === 'letters') return readWithCountry(atoms, at);
  return atom?.kind === 'digits' && (atoms[at - 1]?.kind !== 'letters' || atom.isSpaced) ? readNational(atoms, at) : undefined;
};

const readWithCountry = (atoms: readonly Atom[], at: number): VatIdMention | undefined => {
  const text = atoms[at]?.text ?? '';
  const country = text.slice(0, text.startsWith('CHE') ? 3 : 2);
  const rule = Object.hasOwn(COUNTRIES, country) ? COUNTRIES[country] : undefined;
  if (rule === undefined || text.length > country.length + (rule.hasLetters ? 2 : 0)) return undefined;
  const longest = Math.max(...rule.lengths);
  let [rest, best]: [string, VatIdMention | undefined] = [text.slice(country.length), undefined];
  for (const atom of atoms.slice(at + 1, at + 1 + MAX_VAT_ID_ATOMS)) {
    if (
      atom.kind === 'sign'
        ? !VAT_ID_JOINTS.has(atom.text)
        : atom.kind === 'letters' && (!rule.hasLetters || atom.isSpaced || atom.text.length > 2)
    )
      break;
    if (atom.kind !== 'sign') rest += atom.text;
    if (rest.length > longest) return undefined;
    if (rule.lengths.includes(rest.length) && atom.kind !== 'sign')
      best = { id: country + rest.toUpperCase(), start: atoms[at]?.start ?? 0, end: atom.end, hasCountry: true };
  }
  return best;
};

/** Groups of digits, such as 000 800 589 824 or 526-104-08-28. */
const readNational = (atoms: readonly Atom[], at: number): VatIdMention | undefined => {
  let [id, end] = ['', 0];
  for (const atom of atoms.slice(at, at + MAX_VAT_ID_ATOMS)) {
    if (atom.kind === 'letters' && (atom.isSpaced || atom.text.length > 1)) break;
    if (atom.kind === 'sign') {
      if (atom.text !== '-' || atom.isSpaced) break;
      continue;
    }
    if (id.length + atom.text.length > NATIONAL.max) break;
    id += atom.text;
    end = atom.end;
  }
  return id.length >= NATIONAL.min ? { id, start: atoms[at]?.start ?? 0, end, hasCountry: false } : undefined;
};

interface IbanMention {
  /** Without spaces. */
  readonly iban: string;
  readonly start: number;
  readonly end: number;
}

const IBAN_CONFIDENCE = { iban: 0.97, perLater: 0.02 };
/** The longest has 34 characters; printed in groups it has at most so many atoms. */
const MAX_ATOMS = 40;

/** The IBANs of a line whose checksum is right (ISO 13616, by ibantools). Looks at 40 atoms behind every country code. */
export const scanIbans = (atoms: readonly Atom[]): IbanMention[] => {
  const mentions: IbanMention[] = [];
  for (let at = 0; at < atoms.length; at += 1) {
    const mention = readIban(atoms, at);
    if (mention !== undefined) mentions.push(mention);
  }
  return mentions;
};

const readIban = (atoms: readonly Atom[], at: number): IbanMention | undefined => {
  const [country, check] = [atoms[at], atoms[at + 1]];
  if (country?.kind !== 'letters' || check?.kind !== 'digits' || check.text.length < 2) return undefined;
  // "IBANDE89": the code is the end of the word
  const code = country.text.slice(-2).toUpperCase();
  const length = Object.hasOwn(countrySpecs, code) ? countrySpecs[code as keyof typeof countrySpecs]?.chars : undefined;
  if (length === undefined || length === null) return undefined;
  let iban = code;
  for (let next = at + 1; next < at + MAX_ATOMS; next += 1) {
    const atom = atoms[next];
    if (atom === undefined || atom.kind === 'sign') return undefined;
    iban += atom.text.toUpperCase();
    if (iban.length < length) continue;
    return iban.length === length && isValidIBAN(iban) ? { iban, start: country.end - code.length, end: atom.end } : undefined;
  }
  return undefined;
};

/** The first is the sender's mostly, a later one of those to whom money goes. */
export const findIbanFacts = (lines: readonly Line[]): Fact[] =>
  lines
    .flatMap((line) => scanIbans(line.atoms).map((mention) => ({ line, mention })))
    .map(({ line, mention: { iban, start, end } }, at) => ({
      kind: 'iban',
      value: iban,
      page: line.page,
      box: boxOf(line, start, end),
      confidence: toConfidence(IBAN_CONFIDENCE.iban - IBAN_CONFIDENCE.perLater * at),
      rule: 'iban.checksum',
      isAmbiguous: false,
    }));

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

const REFERENCE_CONFIDENCE = { beside: 0.9, above: 0.75, perLater: 0.03 };
const MAX_LENGTH = 40;
const MAX_FACTS = 20;
const REFERENCE_JOINTS = new Set(['-', '/', '.', '_', '#']);

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
      const confidence = toConfidence(REFERENCE_CONFIDENCE[found.place] - REFERENCE_CONFIDENCE.perLater * counts[found.kind]);
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
      (atom.kind === 'sign' && !REFERENCE_JOINTS.has(atom.text)) ||
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
