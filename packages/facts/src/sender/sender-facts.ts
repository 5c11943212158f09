import { type Fact, toConfidence } from '../fact.ts';
import { boxOf, type Line } from '../text/page-lines.ts';
import { Phrases, wordsOf } from '../text/phrases.ts';
import {
  type Correspondent,
  type CorrespondentIndex,
  domainsIn,
  findNames,
  findSimilarNames,
  type NameHit,
  squeeze,
} from './correspondents.ts';

/** Of companies, associations and the like. */
const LEGAL_FORMS =
  new Phrases(`gmbh, ag, kg, ohg, ug, gbr, e v, ev, se, kgaa, mbh, eg, ltd, limited, inc, llc, llp, plc, corp, corporation, co, company, sdn bhd, sdn, bhd, s b, sb, plt, pte, pty, pvt, sa, s a, sas, s a s, sarl, s a r l, eurl, sci,
  sl, s l, slu, s l u, sociedad, spa, s p a, srl, s r l, snc, sas di, bv, b v, nv, n v, vof, stichting, lda, ltda, unipessoal, sp z o o, sp zo o, spolka, s c, sp j, s k a, s r o, a s, oy, ab, aps, enterprise, enterprises, holding, group, sbn bhd`);
/** Words that names of businesses end with. */
const BUSINESSES =
  new Phrases(`trading, restaurant, restoran, ristorante, restaurante, hotel, pharmacy, apotheke, farmasi, pharmacie, farmacia, apteka, bakery, backerei, hardware, stationery, bookstore, bookstores, market, supermarket, mart, supermarkt, supermercado,
  services, service station, store, stores, shop, cafe, kedai, perniagaan, syarikat, bank, sparkasse, versicherung, insurance, assurance, seguros, verlag, stadtwerke, stadt, gemeinde, finanzamt, praxis, clinic, klinik, clinica, florist, electrical, industries, solutions, supplies, confectionery, kitchen, seafood, bookcentre, foundation, university, universitat, telecom, communications`);
/** A row with one of them holds something else. */
const NOT_NAMES =
  new Phrases(`invoice, invoices, bill, bills, receipts, tax invoice, receipt, rechnung, quittung, facture, factura, fattura, factuur, fatura, faktura, rachunek, paragon, page, seite, date, datum, tel, fax, phone, telephone, gst, gst id, vat, tax, company no, co reg, co no, reg no, order number, table, cashier, bill to, ship to, tax id, email, e mail, www, http, https, thank you, welcome,
  posted, sold by, seller, verkaufer, vendeur, vendedor, venditore, verkoper, sprzedawca, customer, kunde, client, total, guest check, goods sold, not returnable, account s copy, copy, kopie, original, duplicate, ref no, subject, betreff, objet, dear, sehr geehrte, simplified, your order, tq for shopping, for shopping, please, pay, qty, price, amount, item, description, iban, bic, careline`);
/** A row with one of them is rather an address. */
const ADDRESS = new Phrases(
  `jalan, jln, lot, taman, tmn, floor, flr, street, st, road, rd, avenue, ave, lane, strasse, str, weg, platz, postfach, rue, boulevard, bd, calle, avenida, plaza, via, viale, piazza, straat, laan, rua, praca, ulica, ul, al, suite, unit, no, block, blok, level, batu, kampung, bandar, selangor, kuala lumpur, kawasan, seksyen, section, branch, po box, p o box, site, bangunan, menara`,
);
/** What follows is the receiver. */
const RECEIVER = new Phrases(
  `bill to, billed to, ship to, sold to, deliver to, invoice to, rechnung an, empfanger, facture a, adresse de facturation, cliente, factuuradres, afleveradres, lieferadresse, rechnungsadresse, delivery address, billing address, shipping address, nabywca, destinatario, spett le`,
);

export interface LetterheadName {
  readonly name: string;
  readonly line: Line;
  readonly start: number;
  readonly end: number;
  /** 0 to 1 */
  readonly score: number;
}

const MAX_ROWS = 14;
const MAX_PARTS = 4;
const WORTH = { base: 0.42, legalForm: 0.34, business: 0.16, domain: 0.2 };
const NAME_GAIN = { tall: 0.12 };
const NAME_LOSS = { perRow: 0.025, perPart: 0.04, digits: 0.12, address: 0.3, sentence: 0.2 };
const MIN_SCORE = 0.2;
/** Times the usual height of a row. */
const TALL = 1.25;
const NAME_LENGTH = { letters: 3, most: 80 };
const POSTCODE = { min: 4, max: 6 };

interface Surroundings {
  readonly usualHeight: number;
  /** Of its web and mail addresses, squeezed, without the top level. */
  readonly domains: readonly string[];
}

/** Names that the first rows of a document may hold, by legal form, size, place and the domains that it names; the likeliest first. */
export const findLetterhead = (lines: readonly Line[]): LetterheadName[] => {
  const rows = lines.slice(0, MAX_ROWS);
  const end = rows.findIndex(({ text }) => RECEIVER.isIn(wordsOf(text)));
  const surroundings = { usualHeight: medianHeight(lines), domains: domainNames(lines) };
  return rows
    .slice(0, end === -1 ? MAX_ROWS : end)
    .flatMap((line, row) => partsOf(line).flatMap((part, column) => toName(line, part, rows[row + 1], { row, column }, surroundings) ?? []))
    .toSorted((one, other) => other.score - one.score);
};

const medianHeight = (lines: readonly Line[]): number =>
  lines.map(({ height }) => height).toSorted((one, other) => one - other)[Math.floor(lines.length / 2)] ?? 0;

const MAX_DOMAINS = 10;
/** Shorter ones are parts of many names. */
const MIN_DOMAIN = 4;

const domainNames = (lines: readonly Line[]): string[] =>
  lines
    .flatMap(({ atoms }) => domainsIn(atoms))
    .slice(0, MAX_DOMAINS)
    .map((domain) => squeeze(domain.split('.').at(-2) ?? ''))
    .filter(({ length }) => length >= MIN_DOMAIN);

interface Range {
  readonly start: number;
  readonly end: number;
}

const WIDE_GAP = '   ';

/** What stands apart in a row, each up to a register number in brackets, or to a dash or dot between a name and an address. */
const partsOf = ({ text }: Line): Range[] => {
  const parts: Range[] = [];
  for (let from = 0; from < text.length && parts.length < MAX_PARTS; ) {
    const gap = text.indexOf(WIDE_GAP, from);
    const to = gap === -1 ? text.length : gap;
    const part = text.slice(from, to);
    if (part.trim() !== '') parts.push(trimmed(text, from, to));
    from = to + (gap === -1 ? 1 : WIDE_GAP.length);
  }
  return parts;
};

const trimmed = (text: string, from: number, to: number): Range => {
  const part = text.slice(from, to);
  const start = from + part.length - part.trimStart().length;
  let end = from + part.trimEnd().length;
  for (const cut of [' - ', ' – ', ' · ', ' • ', ' | ']) {
    const at = text.indexOf(cut, start + 2);
    if (at > 0 && at < end) end = at;
  }
  for (let at = text.indexOf('(', start + 3); at > 0 && at < end; at = text.indexOf('(', at + 1)) if (isRegister(text, at)) end = at;
  return { start, end };
};

const REGISTER = { chars: 30, digits: 4 };

/** "(126926-H)", and not "(M)". */
const isRegister = (text: string, at: number): boolean => {
  const inside = text.slice(at, at + REGISTER.chars).split(')')[0] ?? '';
  return Array.from(inside).filter((char) => char >= '0' && char <= '9').length >= REGISTER.digits;
};

interface Position {
  readonly row: number;
  readonly column: number;
}

const toName = (
  line: Line,
  range: Range,
  next: Line | undefined,
  place: Position,
  surroundings: Surroundings,
): LetterheadName | undefined => {
  const own = line.text.slice(range.start, range.end);
  const words = wordsOf(own);
  if (!canBeName(own, words)) return undefined;
  const tail = hasLegalForm(words) ? '' : tailOf(next);
  const name = trimName(tail === '' ? own : `${own.trim()} ${tail}`);
  const isTall = surroundings.usualHeight > 0 && line.height > surroundings.usualHeight * TALL;
  const score = scoreOf(name, words, place) + (isTall ? NAME_GAIN.tall : 0) + (isOfDomain(name, surroundings.domains) ? WORTH.domain : 0);
  return score < MIN_SCORE ? undefined : { name, line, ...range, score };
};

const isNumber = (word: string): boolean => !Number.isNaN(Number(word));

const canBeName = (text: string, words: readonly string[]): boolean => {
  const letters = words.filter((word) => !isNumber(word)).join('').length;
  const digits = words.filter(isNumber);
  const hasPostcode = digits.some(({ length }) => length >= POSTCODE.min && length <= POSTCODE.max);
  if (letters < NAME_LENGTH.letters || digits.join('').length > letters || hasPostcode) return false;
  if (words.every((_, at) => LEGAL_FORMS.lengthAt(words, at) > 0)) return false;
  return !NOT_NAMES.isIn(words) && !text.includes('@') && text.length <= NAME_LENGTH.most;
};

/** Behind a name, not at its beginning, where such short words are something else. */
const hasLegalForm = (words: readonly string[]): boolean => LEGAL_FORMS.isIn(words.slice(1));

const scoreOf = (name: string, words: readonly string[], { row, column }: Position): number => {
  const all = wordsOf(name);
  let score = WORTH.base - NAME_LOSS.perRow * row - NAME_LOSS.perPart * column;
  if (hasLegalForm(all)) score += WORTH.legalForm;
  else if (name.endsWith('.') || name.endsWith('!')) score -= NAME_LOSS.sentence;
  if (BUSINESSES.isIn(all)) score += WORTH.business;
  if (ADDRESS.isIn(words)) score -= NAME_LOSS.address;
  if (words.some(isNumber)) score -= NAME_LOSS.digits;
  return score;
};

const isOfDomain = (name: string, domains: readonly string[]): boolean => {
  const squeezed = squeeze(name);
  return domains.some((domain) => squeezed.includes(domain) || (squeezed.length >= MIN_DOMAIN && domain.includes(squeezed)));
};

/** "SDN BHD" and the like of a name that goes on in the next row. */
const tailOf = (next: Line | undefined): string => {
  const [part] = next === undefined ? [] : partsOf(next);
  if (next === undefined || part === undefined) return '';
  const text = next.text.slice(part.start, part.end).trim();
  return isTail(wordsOf(text)) ? text : '';
};

/** Nothing but kinds of businesses and legal forms: anything else would be a name of its own. */
const isTail = (words: readonly string[]): boolean => {
  for (let at = 0; at < words.length; ) {
    const length = Math.max(LEGAL_FORMS.lengthAt(words, at), BUSINESSES.lengthAt(words, at));
    if (length === 0) return false;
    at += length;
  }
  return words.length > 0;
};

const trimName = (name: string): string => {
  let text = name.trim();
  while (text !== '' && ',;:-–·•|*'.includes(text.at(-1) ?? '')) text = text.slice(0, -1).trimEnd();
  return text;
};

const CONFIDENCE = {
  iban: 0.93,
  vatId: 0.96,
  domain: 0.9,
  name: 0.92,
  similar: 0.65,
  likeness: 0.2,
  shared: 0.72,
  letterheadMost: 0.8,
  accountHolder: 0.6,
};
/** A name far down is rather that of the receiver or of a shop in a text; a longer one is told apart from its namesakes. */
const SENDER_LOSS = { perRow: 0.004, atMost: 0.3 };
const SENDER_GAIN = { perChar: 0.002, atMost: 0.06 };
const LETTERHEAD_ROWS = 16;
const MAX_HITS = 100;

/**
 * Who sent a document: known correspondents by VAT id, IBAN, name or domain, then names of the letterhead. `numbers` are the IBANs and
 * VAT ids found in it.
 */
export const findSenderFacts = (pages: readonly (readonly Line[])[], index: CorrespondentIndex, numbers: readonly Fact[]): Fact[] => {
  const [first = []] = pages;
  const known = [...byNumber(index, numbers), ...byDomain(pages.flat(), index), ...byName(first, index)];
  return [...known.slice(0, MAX_HITS), ...byLetterhead(first), ...byAccountHolder(pages.flat())];
};

type Place = Pick<Fact, 'page' | 'box'>;

const knownFact = ({ id, name }: Correspondent, place: Place, score: number, rule: string): Fact => ({
  kind: 'sender',
  value: name,
  page: place.page,
  box: place.box,
  confidence: toConfidence(score),
  rule: `sender.${rule}`,
  isAmbiguous: false,
  correspondentId: id,
});

const MAX_OWNERS = 5;

/** What several have says which of them only together with a name. */
const ownersFacts = (owners: readonly Correspondent[], place: Place, worth: number, rule: string): Fact[] =>
  owners.slice(0, MAX_OWNERS).map((owner) => knownFact(owner, place, owners.length === 1 ? worth : CONFIDENCE.shared, rule));

const byNumber = ({ byIban, byVatId }: CorrespondentIndex, numbers: readonly Fact[]): Fact[] =>
  numbers.flatMap((number) => {
    const isIban = number.kind === 'iban';
    const found = (isIban ? byIban : byVatId).get(number.value) ?? [];
    return ownersFacts(found, number, isIban ? CONFIDENCE.iban : CONFIDENCE.vatId, isIban ? 'iban' : 'vat_id');
  });

const byDomain = (lines: readonly Line[], { byDomain: known }: CorrespondentIndex): Fact[] => {
  if (known.size === 0) return [];
  return lines.flatMap((line) =>
    domainsIn(line.atoms).flatMap((domain) => ownersFacts(known.get(domain) ?? [], placeOf(line), CONFIDENCE.domain, 'domain')),
  );
};

const byName = (lines: readonly Line[], index: CorrespondentIndex): Fact[] => {
  if (index.byBeginning.size === 0) return [];
  const hits = findNames(lines, index);
  const similar = findSimilarNames(lines.slice(0, LETTERHEAD_ROWS), index);
  return [
    ...hits.map((hit) => knownFact(hit.correspondent, placeOf(hit.line), nameScore(hit, CONFIDENCE.name), 'name')),
    ...similar.map((hit) =>
      knownFact(
        hit.correspondent,
        placeOf(hit.line),
        nameScore(hit, CONFIDENCE.similar + hit.likeness * CONFIDENCE.likeness),
        'similar_name',
      ),
    ),
  ];
};

const nameScore = ({ line, length }: NameHit, worth: number): number =>
  worth - Math.min(SENDER_LOSS.atMost, line.index * SENDER_LOSS.perRow) + Math.min(SENDER_GAIN.atMost, length * SENDER_GAIN.perChar);

const placeOf = (line: Line): Place => ({ page: line.page, box: boxOf(line, 0, line.text.length) });

const byAccountHolder = (lines: readonly Line[]): Fact[] =>
  findAccountHolders(lines).map(({ line, start, end }) => ({
    kind: 'sender',
    value: line.text.slice(start, end),
    page: line.page,
    box: boxOf(line, start, end),
    confidence: CONFIDENCE.accountHolder,
    rule: 'sender.account_holder',
    isAmbiguous: false,
  }));

const byLetterhead = (lines: readonly Line[]): Fact[] =>
  findLetterhead(lines).map(({ name, line, start, end, score }) => ({
    kind: 'sender',
    value: name,
    page: line.page,
    box: boxOf(line, start, end),
    confidence: toConfidence(Math.min(CONFIDENCE.letterheadMost, score)),
    rule: 'sender.letterhead',
    isAmbiguous: false,
  }));

const LABEL =
  new Phrases(`account holder, account name, beneficiary, beneficiary name, payee, kontoinhaber, zahlungsempfanger, begunstigter, titulaire du compte, titulaire, beneficiaire, titular, titular de la cuenta, beneficiario,
  intestatario, intestato a, rekeninghouder, ten name van, op naam van, begunstigde, titular da conta, wlasciciel rachunku, odbiorca, nazwa odbiorcy,
  sold by, seller, verkaufer, vendeur, vendedor, venditore, verkoper, sprzedawca`);

interface AccountHolder {
  readonly line: Line;
  /** Offsets of the name in the line. */
  readonly start: number;
  readonly end: number;
}

const MAX_FOUND = 5;
const LABELLED_LENGTH = { least: 3, most: 80 };
const ENDS = [' - ', ' – ', '   ', ';', '|', ' IBAN', ' BIC'];

/** The names behind "account holder:" or "sold by:": whoever is paid mostly sent the document. */
const findAccountHolders = (lines: readonly Line[]): AccountHolder[] => lines.flatMap((line) => inLine(line) ?? []).slice(0, MAX_FOUND);

const MAX_ATOMS = 200;
/** Of the longest label. */
const MAX_LABEL = 4;

const inLine = (line: Line): AccountHolder | undefined => {
  const atoms = line.atoms.slice(0, MAX_ATOMS);
  const colon = atoms.findIndex(({ text }, at) => {
    if (text !== ':') return false;
    const words = atoms.slice(Math.max(0, at - MAX_LABEL), at).map(({ folded }) => folded);
    return words.length > 0 && LABEL.endIn(words) === words.length;
  });
  return colon === -1 ? undefined : nameBehind(line, atoms[colon]?.end ?? 0);
};

const nameBehind = (line: Line, from: number): AccountHolder | undefined => {
  const rest = line.text.slice(from);
  const start = from + rest.length - rest.trimStart().length;
  const ends = ENDS.map((end) => line.text.indexOf(end, start)).filter((at) => at > start);
  const end = Math.min(line.text.trimEnd().length, ...ends);
  return end - start >= LABELLED_LENGTH.least && end - start <= LABELLED_LENGTH.most ? { line, start, end } : undefined;
};
