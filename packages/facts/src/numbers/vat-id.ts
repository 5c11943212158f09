import { type Fact, toConfidence } from '../fact.ts';
import { wordsBefore } from '../text/label.ts';
import { boxOf, type Line } from '../text/page-lines.ts';
import { type Atom, Phrases } from '../text/phrases.ts';

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
const CONFIDENCE = { labelled: 0.92, known: 0.7, national: 0.75, others: 0.3, perLater: 0.01 };
const NATIONAL = { min: 8, max: 15 };
const MAX_ATOMS = 8;
const JOINTS = new Set(['.', '-', ' ']);

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
        ? CONFIDENCE.others
        : CONFIDENCE[isLabelled ? (mention.hasCountry ? 'labelled' : 'national') : 'known'];
      const place = { page: line.page, box: boxOf(line, mention.start, mention.end) };
      const rule = isLabelled ? 'vat_id.label' : 'vat_id.format';
      const later = CONFIDENCE.perLater * facts.length;
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
  for (const atom of atoms.slice(at + 1, at + 1 + MAX_ATOMS)) {
    if (
      atom.kind === 'sign' ? !JOINTS.has(atom.text) : atom.kind === 'letters' && (!rule.hasLetters || atom.isSpaced || atom.text.length > 2)
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
  for (const atom of atoms.slice(at, at + MAX_ATOMS)) {
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
