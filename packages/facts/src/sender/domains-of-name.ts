import { type FactPage, linesOf } from '../text/page-lines.ts';
import { squeeze } from './correspondents.ts';
import { domainsIn } from './domains.ts';

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
