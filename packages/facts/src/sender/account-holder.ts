import type { Line } from '../text/page-lines.ts';
import { Phrases } from '../text/phrases.ts';

const LABEL =
  new Phrases(`account holder, account name, beneficiary, beneficiary name, payee, kontoinhaber, zahlungsempfanger, begunstigter, titulaire du compte, titulaire, beneficiaire, titular, titular de la cuenta, beneficiario,
  intestatario, intestato a, rekeninghouder, ten name van, op naam van, begunstigde, titular da conta, wlasciciel rachunku, odbiorca, nazwa odbiorcy,
  sold by, seller, verkaufer, vendeur, vendedor, venditore, verkoper, sprzedawca`);

export interface AccountHolder {
  readonly line: Line;
  /** Offsets of the name in the line. */
  readonly start: number;
  readonly end: number;
}

const MAX_FOUND = 5;
const LENGTH = { least: 3, most: 80 };
const ENDS = [' - ', ' – ', '   ', ';', '|', ' IBAN', ' BIC'];

/** The names behind "account holder:" or "sold by:": whoever is paid mostly sent the document. */
export const findAccountHolders = (lines: readonly Line[]): AccountHolder[] =>
  lines.flatMap((line) => inLine(line) ?? []).slice(0, MAX_FOUND);

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
