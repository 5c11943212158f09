import { countrySpecs, isValidIBAN } from 'ibantools';
import { type Fact, toConfidence } from '../fact.ts';
import { boxOf, type Line } from '../text/page-lines.ts';
import type { Atom } from '../text/phrases.ts';

interface IbanMention {
  /** Without spaces. */
  readonly iban: string;
  readonly start: number;
  readonly end: number;
}

const CONFIDENCE = { iban: 0.97, perLater: 0.02 };
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
      confidence: toConfidence(CONFIDENCE.iban - CONFIDENCE.perLater * at),
      rule: 'iban.checksum',
      isAmbiguous: false,
    }));
