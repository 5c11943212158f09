import type { Line } from '../text/page-lines.ts';
import { Phrases, wordsOf } from '../text/phrases.ts';

export interface LetterheadName {
  readonly name: string;
  readonly line: Line;
  readonly start: number;
  readonly end: number;
  /** 0 to 1 */
  readonly score: number;
}

const LEGAL_FORMS = new Phrases(`gmbh, ag, kg, ohg, ug, gbr, e v, ev, se, kgaa, mbh, eg, ltd, limited, inc, llc, llp, plc, corp, corporation, co, company, sdn bhd, sdn, bhd, s b, sb, plt, pte, pty, pvt, sa, s a, sas, s a s, sarl, s a r l, eurl, sci,
  sl, s l, slu, s l u, sociedad, spa, s p a, srl, s r l, snc, sas di, bv, b v, nv, n v, vof, stichting, lda, ltda, unipessoal, sp z o o, sp zo o, spolka, s c, sp j, s k a, s r o, a s, oy, ab, aps, enterprise, enterprises, holding, group, sbn bhd`);
const BUSINESSES = new Phrases(`trading, restaurant, restoran, ristorante, restaurante, hotel, pharmacy, apotheke, farmasi, pharmacie, farmacia, apteka, bakery, backerei, hardware, stationery, bookstore, bookstores, market, supermarket, mart, supermarkt, supermercado,
  services, service station, store, stores, shop, cafe, kedai, perniagaan, syarikat, bank, sparkasse, versicherung, insurance, assurance, seguros, verlag, stadtwerke, stadt, gemeinde, finanzamt, praxis, clinic, klinik, clinica, florist, electrical, industries, solutions, supplies, confectionery, kitchen, seafood, bookcentre, foundation, university, universitat, telecom, communications`);
const NOT_NAMES = new Phrases(`invoice, tax invoice, receipt, rechnung, quittung, facture, factura, fattura, factuur, fatura, faktura, rachunek, paragon, page, seite, date, datum, tel, fax, phone, telephone, gst, gst id, vat, tax, company no, co reg, co no, reg no, order number, table, cashier, bill to, ship to, tax id, email, e mail, www, http, https, thank you, welcome,
  posted, customer, kunde, client, total, guest check, cash, goods sold, not returnable, account s copy, copy, kopie, original, duplicate, ref no, subject, betreff, objet, dear, sehr geehrte, simplified, your order, tq for shopping, for shopping, please, iban, bic, careline`);
const ADDRESS = new Phrases(`jalan, jln, lot, taman, tmn, floor, flr, street, st, road, rd, avenue, ave, lane, strasse, str, weg, platz, postfach, rue, boulevard, bd, calle, avenida, plaza, via, viale, piazza, straat, laan, rua, praca, ulica, ul, al, suite, unit, no, block, blok, level, batu, kampung, bandar, selangor, kuala lumpur, kawasan, seksyen, section, branch, po box, p o box, site, bangunan, menara`);
/** What follows is the receiver. */
const RECEIVER = new Phrases(`bill to, billed to, ship to, sold to, deliver to, invoice to, rechnung an, empfanger, facture a, adresse de facturation, cliente, factuuradres, afleveradres, nabywca, destinatario, spett le`);

const MAX_ROWS = 14;
const WORTH = { base: 0.42, legalForm: 0.34, business: 0.16, perRow: 0.025, tall: 0.12, digits: 0.12, address: 0.3, person: 0.05 };
const MIN_SCORE = 0.2;
const TALL = 1.25;

/** Names that the first rows of a document may hold, by legal form, size and place; the likeliest first. */
export const findLetterhead = (lines: readonly Line[]): LetterheadName[] => {
  const rows = lines.slice(0, MAX_ROWS);
  const end = rows.findIndex(({ text }) => RECEIVER.isIn(wordsOf(text)));
  const usual = medianHeight(lines);
  return rows
    .slice(0, end === -1 ? MAX_ROWS : Math.max(1, end))
    .flatMap((line, row) => toName(line, rows[row + 1], row, usual) ?? [])
    .toSorted((one, other) => other.score - one.score);
};

const medianHeight = (lines: readonly Line[]): number =>
  lines.map(({ height }) => height).toSorted((one, other) => one - other)[Math.floor(lines.length / 2)] ?? 0;

const toName = (line: Line, next: Line | undefined, row: number, usual: number): LetterheadName | undefined => {
  const range = nameRange(line);
  const own = line.text.slice(range.start, range.end);
  const words = wordsOf(own);
  const letters = words.filter((word) => Number.isNaN(Number(word))).join('').length;
  if (letters < 3 || NOT_NAMES.isIn(words) || own.includes('@') || own.length > 80) return undefined;
  const tail = LEGAL_FORMS.isIn(words) ? '' : legalTail(next);
  const name = tail === '' ? own : `${own.trim()} ${tail}`;
  const allWords = tail === '' ? words : [...words, ...wordsOf(tail)];
  let score = WORTH.base - WORTH.perRow * row;
  if (LEGAL_FORMS.isIn(allWords)) score += WORTH.legalForm;
  if (BUSINESSES.isIn(allWords)) score += WORTH.business;
  if (ADDRESS.isIn(words)) score -= WORTH.address;
  if (words.some((word) => !Number.isNaN(Number(word)))) score -= WORTH.digits;
  if (usual > 0 && line.height > usual * TALL) score += WORTH.tall;
  return score < MIN_SCORE ? undefined : { name: trimName(name), line, ...range, score };
};

/** Up to a register number in brackets, or to a dash or dot between the name and an address. */
const nameRange = ({ text }: Line): { readonly start: number; readonly end: number } => {
  const start = text.length - text.trimStart().length;
  let end = text.trimEnd().length;
  for (const cut of [' - ', ' – ', ' · ', ' • ', ' | ', '   ']) {
    const at = text.indexOf(cut, start + 2);
    if (at > 0 && at < end) end = at;
  }
  for (let at = text.indexOf('(', start + 3); at > 0 && at < end; at = text.indexOf('(', at + 1)) if (hasManyDigits(text.slice(at, at + 14))) end = at;
  return { start, end };
};

const MANY_DIGITS = 4;

const hasManyDigits = (text: string): boolean => [...text].filter((char) => char >= '0' && char <= '9').length >= MANY_DIGITS;

/** "SDN BHD" and the like of a name that goes on in the next row. */
const legalTail = (next: Line | undefined): string => {
  if (next === undefined) return '';
  const { start, end } = nameRange(next);
  const text = next.text.slice(start, end).trim();
  const words = wordsOf(text);
  const last = LEGAL_FORMS.endIn(words);
  return words.length <= 4 && last === words.length && words.length > 0 && !ADDRESS.isIn(words) && !NOT_NAMES.isIn(words) && isTail(words) ? text : '';
};

/** A name of its own has more than one word before its legal form. */
const isTail = (words: readonly string[]): boolean => {
  const first = words.findIndex((_, at) => LEGAL_FORMS.lengthAt(words, at) > 0);
  return first <= 1;
};

const trimName = (name: string): string => {
  let text = name.trim();
  while (text !== '' && ',;:-–·•|*'.includes(text.at(-1) ?? '')) text = text.slice(0, -1).trimEnd();
  return text;
};
