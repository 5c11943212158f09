import { type Fact, toConfidence } from '../fact.ts';
import { atomAt, wordsAbove, wordsBefore } from '../text/label.ts';
import { boxOf, type Line } from '../text/page-lines.ts';
import { type Atom, Phrases, splitIntoAtoms } from '../text/phrases.ts';
import {
  type ChosenOrder,
  chooseOrder,
  type DateMention,
  type DateOrder,
  type DateReading,
  type OrderHints,
  type RawDate,
  readJapaneseDate,
  readWordDate,
  type ScanContext,
} from './word-dates.ts';

export interface DateHints extends ScanContext, OrderHints {
  /** YYYY-MM-DD; not dates of this document, such as a birthday of the owner. */
  readonly ignored: ReadonlySet<string>;
}

interface PlacedDate extends DateMention {
  readonly line: Line;
  /** Counted over the document. */
  readonly row: number;
  readonly role: DateRole | undefined;
  readonly hasTime: boolean;
}

/** More are read of no document; the first ones count. */
const MAX_DATES = 200;

/** What the label of a date is worth as the date of the document. */
const WORTH: Readonly<Record<DateRole | 'none', number>> = {
  document: 0.95,
  date: 0.8,
  none: 0.55,
  service: 0.3,
  other: 0.25,
  due: 0.15,
  birth: 0,
};
/** The date of a document rather stands above. */
const LOSS = { perRow: 0.002, atMost: 0.12, month: 0.3, unlikely: 0.35 };
const GAIN = { time: 0.12, letterhead: 0.12 };

/** The dates of a document as facts: document date, due date and service date, with what else ambiguous ones can mean. */
export const findDateFacts = (pages: readonly (readonly Line[])[], hints: DateHints): Fact[] => {
  const dates = placeDates(pages, hints).filter(({ role }) => role !== 'birth');
  const chosen = chooseOrder(dates, hints);
  return dates.flatMap((date) => factsOf(date, chosen, hints.ignored));
};

const placeDates = (pages: readonly (readonly Line[])[], hints: DateHints): PlacedDate[] => {
  const placed: PlacedDate[] = [];
  let row = 0;
  for (const lines of pages) {
    for (const line of lines) {
      row += 1;
      if (!line.atoms.some(({ kind }) => kind === 'digits')) continue;
      placed.push(...placeInLine(lines, line, row, scanDates(line.atoms, hints).slice(0, MAX_DATES)));
      if (placed.length >= MAX_DATES) return placed.slice(0, MAX_DATES);
    }
  }
  return placed;
};

const placeInLine = (lines: readonly Line[], line: Line, row: number, mentions: readonly DateMention[]): PlacedDate[] => {
  const hasTime = line.atoms.some(({ text }, at) => text === ':' && isTimePart(line, at - 1) && isTimePart(line, at + 1));
  let from = 0;
  let before: DateRole | undefined;
  return mentions.map((mention, at) => {
    const words = wordsBefore(line, from, mention.start);
    const isRange = isJoined(line, mentions[at - 1], mention) || isJoined(line, mention, mentions[at + 1]);
    const role = roleOf(words) ?? rangeRole(isRange, before) ?? roleOf(wordsAbove(lines, line, mention.start, mention.end));
    from = mention.end;
    before = role;
    return { ...mention, line, row, role, hasTime };
  });
};

const isTimePart = (line: Line, at: number): boolean => {
  const atom = line.atoms[at];
  return atom?.kind === 'digits' && atom.text.length <= 2;
};

const JOINTS = new Set(['-', '–', '—', 'to', 'bis', 'au', 'al', 'tot', 'do', 'a', 'ate', 'until', 'through', 'thru']);

/** Whether nothing but a dash or "to" is between two dates. */
const isJoined = (line: Line, one: DateMention | undefined, other: DateMention | undefined): boolean => {
  if (one === undefined || other === undefined) return false;
  const between = line.atoms.slice(atomAt(line, one.end), atomAt(line, other.start));
  return between.length === 1 && JOINTS.has(between[0]?.folded ?? '');
};

/** A period is when something was supplied, unless its label says otherwise. */
const rangeRole = (isRange: boolean, before: DateRole | undefined): DateRole | undefined => (isRange ? (before ?? 'service') : undefined);

const factsOf = (date: PlacedDate, { order, certainty }: ChosenOrder, ignored: ReadonlySet<string>): Fact[] => {
  const reading = pick(date.readings, order);
  if (reading === undefined || ignored.has(reading.iso)) return [];
  const isAmbiguous = hasTwoMeanings(date.readings);
  const main = scoreOf(date) * (isAmbiguous ? certainty : 1);
  const others = date.readings.filter(({ iso }) => iso !== reading.iso && !ignored.has(iso));
  return [
    ...toFacts(date, reading, main, isAmbiguous),
    ...others.flatMap((other) => toFacts(date, other, main * LOSS.unlikely, isAmbiguous)),
  ];
};

const pick = (readings: readonly DateReading[], order: DateOrder): DateReading | undefined =>
  readings.find((reading) => reading.order === order) ?? readings[0];

/** The year first in two digits is so rare that it is only offered. */
const hasTwoMeanings = (readings: readonly DateReading[]): boolean => readings.filter(({ order }) => order !== 'year_first').length > 1;

const scoreOf = ({ role, form, hasTime, row, line, start, end }: PlacedDate): number => {
  const depth = Math.min(LOSS.atMost, row * LOSS.perRow);
  const isLetterhead = role === undefined && form === 'words' && start > 0 && start < 40 && end >= line.text.trimEnd().length - 1;
  const gain = (role === undefined && hasTime ? GAIN.time : 0) + (isLetterhead ? GAIN.letterhead : 0);
  return WORTH[role ?? 'none'] + gain - depth - (form === 'month' ? LOSS.month : 0);
};

const KINDS = { due: 'due_date', service: 'service_date' } as const;

const toFacts = (date: PlacedDate, { iso, order }: DateReading, score: number, isAmbiguous: boolean): Fact[] => {
  const { line, role } = date;
  const place = {
    page: line.page,
    box: boxOf(line, date.start, date.end),
    value: iso,
    isAmbiguous,
    dateOrder: isAmbiguous ? order : undefined,
  };
  const rule = `date.${role ?? (date.form === 'month' ? 'month' : 'unlabelled')}`;
  const own: Fact = { kind: 'document_date', ...place, confidence: toConfidence(score), rule };
  if (role !== 'due' && role !== 'service') return [own];
  const labelled = score - WORTH[role] + WORTH.document;
  return [own, { kind: KINDS[role], ...place, confidence: toConfidence(labelled), rule }];
};

/** Whoever names a file after a date means the date of the document. */
const FILE_NAME_CONFIDENCE = 0.97;

/** The dates in the name of a file, in the order of numbers that its names have. */
export const findFileNameDates = (name: string, order: DateOrder, hints: DateHints): Fact[] => {
  const facts: Fact[] = [];
  for (const { readings } of scanDates(splitIntoAtoms(name), { ...hints, isCompactSure: true })) {
    const reading = pick(readings, order);
    if (reading === undefined || hints.ignored.has(reading.iso)) continue;
    const place = { value: reading.iso, page: undefined, box: undefined };
    facts.push({
      kind: 'document_date',
      ...place,
      confidence: FILE_NAME_CONFIDENCE,
      rule: 'date.file_name',
      isAmbiguous: hasTwoMeanings(readings),
    });
  }
  return facts;
};

/**
 * The dates of a line, from left to right. Every form is tried at every atom and looks at a fixed number of atoms after it, so the time
 * is in proportion to the line. Dates that do not exist or are more than a year ahead are left out.
 */
export const scanDates = (atoms: readonly Atom[], context: ScanContext): DateMention[] => {
  const mentions: DateMention[] = [];
  const last = lastPossibleDay(context.now);
  for (let at = 0; at < atoms.length; ) {
    const raw = readDate(atoms, at, context);
    const readings = raw === undefined ? [] : readingsOf(raw, context.now, last);
    const [first, end] = [atoms[at], atoms[(raw?.next ?? 0) - 1]];
    if (raw !== undefined && first !== undefined && end !== undefined && readings.length > 0)
      mentions.push({ start: first.start, end: end.end, form: raw.form, readings });
    at = raw?.next ?? at + 1;
  }
  return mentions;
};

const readDate = (atoms: readonly Atom[], at: number, { languages, isCompactSure = false }: ScanContext): RawDate | undefined => {
  const atom = atoms[at];
  if (atom === undefined || atom.kind === 'sign') return undefined;
  return readWordDate(atoms, at, languages) ?? readJapaneseDate(atoms, at) ?? readNumericDate(atoms, at, isCompactSure);
};

const readingsOf = ({ parts }: RawDate, now: Date, last: string): DateReading[] => {
  const readings: DateReading[] = [];
  for (const { order, year, month, day } of parts) {
    const date: CalendarDate = { year: fullYear(year, now), month, day };
    const iso = toIso(date);
    if (!isCalendarDate(date) || iso > last || readings.some((reading) => reading.iso === iso)) continue;
    readings.push({ iso, order });
  }
  return readings;
};

interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const MIN_YEAR = 1900;
/** Documents of the next year are announced in this one; later dates are ends of contracts and cards. */
const MAX_YEARS_AHEAD = 1;

const pad = (value: number, length = 2): string => String(value).padStart(length, '0');

/** YYYY-MM-DD, which also sorts by time. */
const toIso = ({ year, month, day }: CalendarDate): string => `${pad(year, 4)}-${pad(month)}-${pad(day)}`;

/** The last day that a date of a document may be: a year after `now`, in UTC. */
const lastPossibleDay = (now: Date): string =>
  toIso({ year: now.getUTCFullYear() + MAX_YEARS_AHEAD, month: now.getUTCMonth() + 1, day: now.getUTCDate() });

const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();

/** Whether the day exists, and not before 1900. */
const isCalendarDate = ({ year, month, day }: CalendarDate): boolean =>
  year >= MIN_YEAR && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);

/** A year of four digits from one of two: the last that is not later than next year. */
const fullYear = (digits: string, now: Date): number => {
  const year = Number(digits);
  if (digits.length !== 2) return year;
  const century = Math.floor(now.getUTCFullYear() / 100) * 100;
  return century + year > now.getUTCFullYear() + MAX_YEARS_AHEAD ? century - 100 + year : century + year;
};

type Parts = RawDate['parts'];

const SEPARATORS = new Set(['.', '/', '-', '–', '_']);

/** A date of numbers that begins with the atom `at`: 03/04/2025, 2025-04-03, 3. 4. 25, and 20250403 after a word such as "date". */
const readNumericDate = (atoms: readonly Atom[], at: number, isCompactSure: boolean): RawDate | undefined => {
  if (atoms[at]?.kind !== 'digits') return undefined;
  return readSeparated(atoms, at) ?? readSpaced(atoms, at) ?? readCompact(atoms, at, isCompactSure);
};

const readSeparated = (atoms: readonly Atom[], at: number): RawDate | undefined => {
  const [first, one, second, two, third] = atoms.slice(at, at + 5);
  if (first === undefined || second?.kind !== 'digits' || third?.kind !== 'digits' || one === undefined || two === undefined)
    return undefined;
  if (!SEPARATORS.has(one.text) || two.text !== one.text) return undefined;
  const isSpread = [one, second, two, third].some(({ isSpaced }) => isSpaced);
  // "3 - 4 - 25" is a list, "3. 4. 25" is not
  if (isSpread && one.text !== '.' && first.text.length !== 4 && third.text.length !== 4) return undefined;
  if (isPartOfNumber(atoms, at, at + 4, one.text)) return undefined;
  const parts = partsOf(first.text, second.text, third.text, one.text);
  return parts.length === 0 ? undefined : { next: at + 5, form: 'numeric', parts };
};

/** Whether the same separator and more digits go on before or after it, as in telephone numbers and versions. */
const isPartOfNumber = (atoms: readonly Atom[], first: number, last: number, separator: string): boolean => {
  const [before, sign, after, next] = [atoms[first - 2], atoms[first - 1], atoms[last + 1], atoms[last + 2]];
  const goesBack = sign?.text === separator && before?.kind === 'digits' && !(atoms[first]?.isSpaced ?? true) && !sign.isSpaced;
  const goesOn = after?.text === separator && next?.kind === 'digits' && !after.isSpaced && !next.isSpaced;
  // "1.2.10,50": the last is an amount
  const isAmount = after?.text === ',' && next?.kind === 'digits' && !after.isSpaced && !next.isSpaced && next.text.length === 2;
  return goesBack || goesOn || isAmount;
};

const partsOf = (first: string, second: string, third: string, separator: string): Parts => {
  if (second.length > 2) return [];
  const [a, b, c] = [Number(first), Number(second), Number(third)];
  if (first.length === 4) return third.length <= 2 ? [{ order: 'year_first', year: first, month: b, day: c }] : [];
  if (first.length > 2 || (third.length !== 4 && third.length !== 2)) return [];
  const dayFirst = { order: 'day_first', year: third, month: b, day: a } as const;
  const monthFirst = { order: 'month_first', year: third, month: a, day: b } as const;
  // with dots the day is first everywhere, unless there is no such month
  const parts: Parts = separator === '.' && b <= 12 ? [dayFirst] : [dayFirst, monthFirst];
  return third.length === 2 && first.length === 2 && separator !== '.'
    ? [...parts, { order: 'year_first', year: first, month: b, day: c }]
    : parts;
};

/** "DATE 25 12 2018" */
const readSpaced = (atoms: readonly Atom[], at: number): RawDate | undefined => {
  const [first, second, third] = atoms.slice(at, at + 3);
  if (first === undefined || second?.kind !== 'digits' || third?.kind !== 'digits' || third.text.length !== 4) return undefined;
  if (!isLabelled(atoms, at)) return undefined;
  const parts = partsOf(first.text, second.text, third.text, ' ');
  return parts.length === 0 ? undefined : { next: at + 3, form: 'numeric', parts };
};

const COMPACT = 8;

/** Eight digits are mostly something else. */
const readCompact = (atoms: readonly Atom[], at: number, isSure: boolean): RawDate | undefined => {
  const digits = atoms[at]?.text ?? '';
  if (digits.length !== COMPACT || !(isSure || isLabelled(atoms, at))) return undefined;
  const [year, month, day] = [digits.slice(0, 4), Number(digits.slice(4, 6)), Number(digits.slice(6))];
  const [lastYear, lastMonth, firstDay] = [digits.slice(4), Number(digits.slice(2, 4)), Number(digits.slice(0, 2))];
  return {
    next: at + 1,
    form: 'compact',
    parts: [
      { order: 'year_first', year, month, day },
      { order: 'day_first', year: lastYear, month: lastMonth, day: firstDay },
    ],
  };
};

const WORDS_BEFORE = 3;

/** Whether a word for "date" is right before, with nothing but signs between. */
const isLabelled = (atoms: readonly Atom[], at: number): boolean => {
  const before = atoms.slice(Math.max(0, at - WORDS_BEFORE), at);
  const words = before.filter(({ kind }) => kind !== 'sign').map(({ folded }) => folded);
  return isDateLabel(words);
};

/** What stands before a date says what it is the date of. */
type DateRole = 'document' | 'date' | 'due' | 'service' | 'birth' | 'other';

/** Most telling first; English, German, French, Spanish, Italian, Dutch, Portuguese, Polish. */
const WORDS: readonly (readonly [DateRole, Phrases])[] = [
  [
    'birth',
    new Phrases(`birth, born, date of birth, birth date, dob, d o b, birthday, geboren, geb, geburtsdatum, geburtstag, geb datum, ne le, nee le,
      date de naissance, naissance, nacimiento, fecha de nacimiento, nacido, nacida, nascita, data di nascita, nato il, nata il, nato, nata,
      geboortedatum, geboren op, nascimento, data de nascimento, nascido, nascida, urodzenia, data urodzenia, urodzony, urodzona, ur`),
  ],
  [
    'due',
    new Phrases(`due, due date, duedate, date due, payment due, due by, pay by, payable by, payment date, please pay by, expires, expiry, expiry date, valid until, best before,
      fallig, fallig am, falligkeit, falligkeitsdatum, zahlbar bis, zahlbar bis zum, zahlungsziel, zu zahlen bis, bis zum, gultig bis, zahlung bis, spatestens,
      echeance, date d echeance, date limite, date limite de paiement, a regler avant le, a payer avant le, payable avant le,
      vencimiento, fecha de vencimiento, fecha limite, pagar antes del, scadenza, data scadenza, data di scadenza, entro il, da pagare entro,
      vervaldatum, vervaldag, uiterste betaaldatum, te betalen voor, betalen voor, betaaldatum, voor uiterlijk,
      vencimento, data de vencimento, data limite, pagar ate, termin platnosci, termin zaplaty, platne do, zaplata do, data platnosci`),
  ],
  [
    'service',
    new Phrases(`service date, date of service, date of supply, supply date, tax point, delivery date, date of delivery, delivered, delivered on, performance date, service period,
      billing period, period,
      leistungsdatum, leistungszeitraum, lieferdatum, liefertermin, leistung vom, lieferung vom, zeitraum, abrechnungszeitraum, leistungszeit, geliefert am,
      date de livraison, date de prestation, livraison, periode, date de la prestation, livre le,
      fecha de entrega, fecha de servicio, fecha de prestacion, fecha de operacion, entrega, periodo, periodo de facturacion,
      data di consegna, data consegna, consegna, data prestazione, periodo di riferimento, leverdatum, leveringsdatum, geleverd op, leverperiode, periode van,
      data de entrega, data do servico, data da prestacao, periodo de faturacao, data dostawy, data sprzedazy, data wykonania uslugi, data wykonania, okres`),
  ],
  [
    'document',
    new Phrases(`invoice date, invoicedate, date of invoice, bill date, billing date, date of issue, issue date, issued, issued on, issued at, date issued, document date, receipt date,
      statement date, letter date, dated, tax invoice date, doc date, inv date, invoice on,
      rechnungsdatum, rechnungs datum, datum der rechnung, ausstellungsdatum, belegdatum, bescheiddatum, briefdatum, rechnung vom, bescheid vom, ausgestellt am, re datum, druckdatum,
      date de facture, date facture, date de la facture, date de facturation, date d emission, emise le, facture du, fait le, etabli le, date du document,
      fecha de factura, fecha factura, fecha de emision, fecha de expedicion, fecha emision, fecha del documento, emitida el,
      data fattura, data della fattura, data emissione, data di emissione, data documento, del documento, emessa il,
      factuurdatum, factuur datum, datum factuur, factuurdatum datum, datum van factuur, datum nota, briefdatum, documentdatum,
      data da fatura, data da factura, data fatura, data de emissao, data emissao, emitida em, data do documento,
      data wystawienia, data faktury, wystawiono, wystawiono dnia, data wystawienia faktury, data dokumentu, wystawiona dnia`),
  ],
  [
    'other',
    new Phrases(`order date, print date, printed, printed on, date of order, ordered, your order of, registered, since, founded, member since, act, law, version, revision, previous,
      closed, until, last updated, subscription, statement period, copyright, entry date, date of joining,
      bestelldatum, auftragsdatum, bestellung vom, auftrag vom, gesetz vom, fassung vom, stand, seit, ihr schreiben vom, ihre nachricht vom, ihr auftrag vom, vertragsbeginn, eintrittsdatum, vorauszahlung vom,
      date de commande, commande du, depuis, depuis le, votre courrier du, a compter du, loi du, fecha de pedido, pedido de, ley de, data ordine, ordine del, legge del,
      orderdatum, besteldatum, bestelling van, sinds, uw brief van, data da encomenda, data do pedido, lei de, data zamowienia, zamowienie z, ustawa z dnia`),
  ],
  ['date', new Phrases(`date, dt, datum, fecha, data, dnia, dato, date time, date and time`)],
];

const DOCUMENT = new Phrases(
  `invoice, receipt, letter, rechnung, bescheid, mahnung, gutschrift, facture, avoir, factura, fattura, factuur, fatura, faktura`,
);
const OF = new Set(['of', 'vom', 'du', 'del', 'della', 'van', 'de', 'da', 'z', 'dnia']);

/** "Facture n° 123 du" */
const isOfDocument = (words: readonly string[]): boolean => OF.has(words.at(-1) ?? '') && DOCUMENT.isIn(words);

/** The role that the nearest of the words gives; of two that end together the longer decides. */
const roleOf = (words: readonly string[]): DateRole | undefined => {
  let best: { role: DateRole; end: number } | undefined;
  for (const [role, phrases] of WORDS) {
    const end = phrases.endIn(words);
    if (end > 0 && (best === undefined || end > best.end)) best = { role, end };
  }
  if (best !== undefined) return best.role;
  if (isOfDocument(words)) return 'document';
  return words.some((word) => word.endsWith('datum')) ? 'date' : undefined;
};

const DATE_LABEL = new Phrases(`date, dt, datum, fecha, data, dated, dato, rechnungsdatum, factuurdatum, belegdatum, vom, dnia`);

/** Whether digits after these words are surely a date, even without separators. */
const isDateLabel = (words: readonly string[]): boolean => DATE_LABEL.endIn(words) === words.length && words.length > 0;
