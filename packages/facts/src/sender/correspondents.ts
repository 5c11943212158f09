import type { DateOrder } from '../dates/word-dates.ts';
import { type FactPage, type Line, linesOf } from '../text/page-lines.ts';
import { type Atom, fold, wordsOf } from '../text/phrases.ts';

/** Somebody who sent documents before. */
export interface Correspondent {
  readonly id: string;
  readonly name: string;
  readonly aliases?: readonly string[] | undefined;
  readonly ibans?: readonly string[] | undefined;
  readonly vatIds?: readonly string[] | undefined;
  /** Of e-mail and web addresses, without "www.". */
  readonly domains?: readonly string[] | undefined;
  /** Of the dates in earlier documents, where it is known. */
  readonly dateOrder?: DateOrder | undefined;
}

/** A name of a correspondent as it is looked for. */
export interface KnownName {
  readonly correspondent: Correspondent;
  /** Letters and digits, folded, without spaces. */
  readonly squeezed: string;
}

/** Look-up of correspondents, made once for many documents. */
export interface CorrespondentIndex {
  readonly byId: ReadonlyMap<string, Correspondent>;
  /** Numbers and domains that several have, such as those of a chain of shops, name each of them. */
  readonly byIban: ReadonlyMap<string, readonly Correspondent[]>;
  readonly byVatId: ReadonlyMap<string, readonly Correspondent[]>;
  readonly byDomain: ReadonlyMap<string, readonly Correspondent[]>;
  /** By their first characters. */
  readonly byBeginning: ReadonlyMap<string, readonly KnownName[]>;
  /** By each of their words. */
  readonly byWord: ReadonlyMap<string, readonly KnownName[]>;
}

/** Shorter names are found by chance. */
export const BEGINNING = 4;
const MAX_NAME = 120;
const MIN_WORD = 4;
/** A word that more names have is no help to find one. */
const MAX_NAMES_OF_WORD = 50;

/** Letters and digits only, folded: "MR. D.I.Y. (M) SDN BHD" is "mrdiymsdnbhd". */
export const squeeze = (text: string): string =>
  wordsOf(text)
    .filter((word) => word !== '%' && word !== '#')
    .join('');

/** Without spaces and signs, in capitals. */
const plainNumber = (text: string): string =>
  fold(text)
    .toUpperCase()
    .replace(/[^A-Z0-9]/gu, '');

/** An index of correspondents for `findFacts`. */
export const indexCorrespondents = (correspondents: readonly Correspondent[]): CorrespondentIndex => {
  const [byIban, byVatId, byDomain] = [
    new Map<string, Correspondent[]>(),
    new Map<string, Correspondent[]>(),
    new Map<string, Correspondent[]>(),
  ];
  const [byBeginning, byWord] = [new Map<string, KnownName[]>(), new Map<string, KnownName[]>()];
  for (const correspondent of correspondents) {
    addAll(byIban, (correspondent.ibans ?? []).map(plainNumber), correspondent);
    addAll(byVatId, (correspondent.vatIds ?? []).map(plainNumber), correspondent);
    addAll(
      byDomain,
      (correspondent.domains ?? []).map((domain) => domain.toLowerCase()),
      correspondent,
    );
    for (const name of [correspondent.name, ...(correspondent.aliases ?? [])]) {
      const known = { correspondent, squeezed: squeeze(name.slice(0, MAX_NAME)) };
      if (known.squeezed.length < BEGINNING) continue;
      push(byBeginning, known.squeezed.slice(0, BEGINNING), known);
      for (const word of new Set(wordsOf(name.slice(0, MAX_NAME)))) if (word.length >= MIN_WORD) push(byWord, word, known);
    }
  }
  for (const [word, names] of byWord) if (names.length > MAX_NAMES_OF_WORD) byWord.delete(word);
  const byId = new Map(correspondents.map((correspondent) => [correspondent.id, correspondent]));
  return { byId, byIban, byVatId, byDomain, byBeginning, byWord };
};

const addAll = (map: Map<string, Correspondent[]>, keys: readonly string[], correspondent: Correspondent): void => {
  for (const key of keys) if (key !== '') push(map, key, correspondent);
};

const push = <T>(map: Map<string, T[]>, key: string, value: T): void => {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
};

const MAX_FOUND = 20;
/** Shorter ones are parts of many names. */
const MIN_DOMAIN = 4;

/**
 * The domains of e-mail and web addresses on the pages that bear a name: stadtwerke-musterstadt.de, as swm.musterstadt.de does, that of
 * Stadtwerke Musterstadt GmbH. Those of others, such as the receiver's, do not.
 */
export const domainsOfName = (pages: readonly FactPage[], name: string): string[] => {
  const squeezed = squeeze(name);
  const found = pages.flatMap((page) => linesOf(page).flatMap(({ atoms }) => domainsIn(atoms)));
  return [...new Set(found)].filter((domain) => isOfName(domain, squeezed)).slice(0, MAX_FOUND);
};

const isOfName = (domain: string, name: string): boolean => {
  const label = squeeze(domain.split('.').at(-2) ?? '');
  return label.length >= MIN_DOMAIN && (name.includes(label) || (name.length >= MIN_DOMAIN && label.includes(name)));
};

const MAX_LABELS = 6;
const MAX_DOMAINS = 20;

/** The domains of e-mail and web addresses in a line, lower case, without "www.": letters and digits joined by dots and hyphens. */
export const domainsIn = (atoms: readonly Atom[]): string[] => {
  const domains: string[] = [];
  for (let at = 0; at < atoms.length && domains.length < MAX_DOMAINS; ) {
    const { domain, next } = readDomain(atoms, at);
    if (domain !== undefined) domains.push(domain);
    at = Math.max(next, at + 1);
  }
  return domains;
};

const readDomain = (atoms: readonly Atom[], at: number): { readonly domain?: string; readonly next: number } => {
  if (atoms[at]?.kind === 'sign') return { next: at + 1 };
  let [text, next, dots] = ['', at, 0];
  for (; next < atoms.length; next += 1) {
    const [atom, after] = [atoms[next], atoms[next + 1]];
    if (atom === undefined || (next > at && atom.isSpaced)) break;
    if (atom.kind === 'sign') {
      if ((atom.text !== '.' && atom.text !== '-') || after === undefined || after.kind === 'sign' || after.isSpaced) break;
      dots += atom.text === '.' ? 1 : 0;
    }
    text += atom.folded;
  }
  const labels = text.split('.');
  const last = labels.at(-1) ?? '';
  const isDomain = dots > 0 && dots < MAX_LABELS && last.length >= 2 && atoms[next - 1]?.kind === 'letters';
  if (!isDomain) return { next };
  return { domain: labels[0] === 'www' ? labels.slice(1).join('.') : text, next };
};

export interface NameHit {
  readonly correspondent: Correspondent;
  readonly line: Line;
  /** 1 for the name as it is, less where characters differ. */
  readonly likeness: number;
  /** Characters that are alike: of two names in one place the longer is meant. */
  readonly length: number;
}

const MAX_HITS = 200;
/** Of names with places in the text, so that thousands of names that begin alike take no longer than other text. */
const MAX_COMPARISONS = 500_000;

/** The names that begin in a line of `lines`, also across its end. */
export const findNames = (lines: readonly Line[], index: CorrespondentIndex): NameHit[] => {
  const hits: NameHit[] = [];
  const texts = lines.map(({ text }) => squeeze(text));
  let comparisons = 0;
  lines.forEach((line, at) => {
    const own = texts[at] ?? '';
    const text = own + (texts[at + 1] ?? '') + (texts[at + 2] ?? '');
    for (let from = 0; from < own.length && hits.length < MAX_HITS && comparisons < MAX_COMPARISONS; from += 1) {
      const names = index.byBeginning.get(text.slice(from, from + BEGINNING)) ?? [];
      comparisons += names.length;
      for (const { correspondent, squeezed } of names)
        if (text.startsWith(squeezed, from)) hits.push({ correspondent, line, likeness: 1, length: squeezed.length });
    }
  });
  return hits;
};

const MAX_COMPARED = 40;
const MIN_LIKENESS = 0.75;

/** The names that lines of a letterhead are like, with characters that OCR got wrong: those that share a word, compared by pairs. */
export const findSimilarNames = (lines: readonly Line[], index: CorrespondentIndex): NameHit[] => {
  const hits: NameHit[] = [];
  lines.forEach((line, at) => {
    const names = new Set<KnownName>();
    for (const word of wordsOf(line.text)) for (const name of index.byWord.get(word) ?? []) if (names.size < MAX_COMPARED) names.add(name);
    const own = squeeze(line.text);
    const both = own + squeeze(lines[at + 1]?.text ?? '');
    for (const { correspondent, squeezed } of names) {
      const likeness = Math.max(
        likenessOf(squeezed, own.slice(0, squeezed.length + 2)),
        likenessOf(squeezed, both.slice(0, squeezed.length + 2)),
      );
      if (likeness >= MIN_LIKENESS) hits.push({ correspondent, line, likeness, length: squeezed.length });
    }
  });
  return hits;
};

const pairsOf = (text: string): Set<string> =>
  new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2)));

/** The coefficient of Dice (1945) over pairs of characters: 1 for the same, 0 for nothing in common. */
export const likenessOf = (one: string, other: string): number => {
  const [pairs, others] = [pairsOf(one), pairsOf(other)];
  const shared = [...pairs].filter((pair) => others.has(pair)).length;
  return pairs.size + others.size === 0 ? 0 : (2 * shared) / (pairs.size + others.size);
};
