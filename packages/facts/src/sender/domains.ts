import type { Atom } from '../text/atoms.ts';
import { type FactPage, linesOf } from '../text/page-lines.ts';
import { squeeze } from './correspondents.ts';

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
