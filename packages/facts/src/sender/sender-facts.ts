import { type Fact, toConfidence } from '../fact.ts';
import { boxOf, type Line } from '../text/page-lines.ts';
import { Phrases } from '../text/phrases.ts';
import { type Correspondent, type CorrespondentIndex, domainsIn, findNames, findSimilarNames, type NameHit } from './correspondents.ts';
import { findLetterhead } from './letterhead.ts';

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
const LOSS = { perRow: 0.004, atMost: 0.3 };
const GAIN = { perChar: 0.002, atMost: 0.06 };
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
  worth - Math.min(LOSS.atMost, line.index * LOSS.perRow) + Math.min(GAIN.atMost, length * GAIN.perChar);

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
const LENGTH = { least: 3, most: 80 };
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
  return end - start >= LENGTH.least && end - start <= LENGTH.most ? { line, start, end } : undefined;
};
