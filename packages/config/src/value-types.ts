import { isIP } from 'node:net';
import { findOpenBracket } from '@sheaf/contract';
import { z } from 'zod';
import { declare, jsonText, listItems } from './variable.ts';

/** Whether `text` is an address, or a network such as 10.0.0.0/8. */
export const isNetwork = (text: string): boolean => {
  const [address = '', bits, ...rest] = text.split('/');
  const width = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return rest.length === 0 && width > 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= width));
};

/** Whether `text` is an address or can be the name of a host: without a scheme, a port, and the brackets of IPv6. */
export const isHost = (text: string): boolean => isIP(text) !== 0 || /^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_.])?$/.test(text);

/** A text that `isRight`, which is called `type` in the reference. */
const textThat = (type: string, isRight: (value: string) => boolean, message: string) =>
  declare(type, z.string().min(1).refine(isRight, message));

const parseUrl = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

const isPlain = (url: URL): boolean => url.hostname !== '' && url.username === '' && url.password === '' && url.hash === '';

/** Whether `text` is an address of the web, without a user name and without a fragment. */
export const isWebUrl = (text: string): boolean => {
  const url = /^https?:\/\//i.test(text) ? parseUrl(text) : undefined;
  return url !== undefined && isPlain(url);
};

/** An address of the web. `such` is an example; `mayHaveQuery` for those that are called as they are. */
export const url = (such: string, { mayHaveQuery = false } = {}) =>
  textThat(
    'URL',
    (value) => isWebUrl(value) && (mayHaveQuery || !value.includes('?')),
    `must be a URL such as ${such}, without user name${mayHaveQuery ? '' : ', query'} and fragment`,
  );

/** An address whose scheme may be left out. Without it there is a port or a dot, by which it is told from a word. */
export const endpoint = (such: string) =>
  textThat(
    'URL',
    (value) => {
      if (value.includes('://')) return isWebUrl(value) && !value.includes('?');
      return /[.:]/.test(value) && isWebUrl(`https://${value}`) && !value.includes('?');
    },
    `must be a URL such as ${such}, or host:port, without user name and query`,
  );

export const host = textThat(
  'host',
  isHost,
  'must be an address or host name such as mail.example.org, without a scheme and without the port',
);

/** What stands behind the @ of addresses. */
export const domain = textThat(
  'domain',
  (value) => value.length <= 253 && /^[a-z\d](?:[a-z\d-]{0,62}\.)+[a-z\d-]{2,63}$/i.test(value),
  'must be one domain such as example.org',
);

const isAddress = (text: string): boolean => {
  const at = text.lastIndexOf('@');
  return at > 0 && text.length <= 254 && /^[^\s@<>()[\],;:"\\]{1,64}$/.test(text.slice(0, at)) && isHost(text.slice(at + 1));
};
const addressOf = (sender: string): string => (sender.endsWith('>') ? sender.slice(sender.lastIndexOf('<') + 1, -1) : sender);

/** An address of e-mail, also with a name: `Sheaf <papers@example.org>`. Its host may be one of the own network, such as `nas`. */
export const emailSender = textThat(
  'e-mail address',
  (value) => !/\p{Cc}/u.test(value) && isAddress(addressOf(value)),
  'must be an e-mail address such as papers@example.org or Sheaf <papers@example.org>',
);

/** The name of a role; cross-checks.ts looks whether it exists. */
export const role = declare('role', z.string().min(1), { names: 'roles' });

/** A map of groups to roles, each of which has to exist. */
export const roleMap = declare('JSON', jsonText(z.record(z.string().min(1), z.string().min(1))), { names: 'roles' });

/** Parts of `text` between separators, with what is behind a backslash or in quotes as it is; undefined where a quote stays open. */
const splitOutsideQuotes = (text: string, separators: string): string[] | undefined => {
  const parts = [''];
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') isQuoted = !isQuoted;
    if (!isQuoted && separators.includes(character)) parts.push('');
    else parts[parts.length - 1] += character === '\\' ? character + text.charAt((at += 1)) : character;
  }
  return isQuoted ? undefined : parts;
};

const ATTRIBUTE = /^\s*(?:[A-Za-z][\w-]*|\d+(?:\.\d+)+)\s*$/;

const isNamePart = (part: string): boolean => {
  const equals = part.indexOf('=');
  return equals > 0 && ATTRIBUTE.test(part.slice(0, equals));
};

const isDn = (text: string): boolean => splitOutsideQuotes(text, ',;+')?.every(isNamePart) === true;

export const dn = (such: string) => textThat('DN', isDn, `must be a DN such as ${such}`);

/** What Active Directory imports place of a DN, too. */
const isActiveDirectoryName = (text: string): boolean => /^[^\s@\\]+@[^\s@\\]+$/.test(text) || /^[\w.-]+\\[^\\]+$/.test(text);

export const bindName = textThat(
  'DN',
  (value) => isDn(value) || isActiveDirectoryName(value),
  'must be a DN such as cn=sheaf,ou=services,dc=example,dc=org, or a name of Active Directory such as sheaf@example.org',
);

const ITEM = /^[A-Za-z\d][\w.;:-]*(?:[~<>:]?=)/;

/** Filters as people write them are a few levels deep. */
const MAX_DEPTH = 50;

/** Where the filter that begins at `start` ends, behind its parenthesis; undefined where there is none. */
const endOfFilter = (text: string, start: number, depth = 0): number | undefined => {
  if (text[start] !== '(' || depth > MAX_DEPTH) return undefined;
  const operator = text[start + 1] ?? '';
  if (!'&|!'.includes(operator) || operator === '') {
    const end = text.indexOf(')', start);
    const item = end === -1 ? '' : text.slice(start + 1, end);
    return ITEM.test(item) && !item.includes('(') ? end + 1 : undefined;
  }
  let at: number | undefined = start + 2;
  let parts = 0;
  while (at !== undefined && text[at] === '(') {
    at = endOfFilter(text, at, depth + 1);
    parts += 1;
  }
  const isComplete = at !== undefined && text[at] === ')' && (operator === '!' ? parts === 1 : parts > 0);
  return isComplete && at !== undefined ? at + 1 : undefined;
};

const isFilter = (text: string): boolean => {
  const whole = text.startsWith('(') ? text : `(${text})`;
  return endOfFilter(whole, 0) === whole.length;
};

/** A search filter of LDAP with a place for what is asked. */
export const ldapFilter = (placeholder: string, such: string) =>
  declare(
    'LDAP filter',
    z
      .string()
      .refine(isFilter, `must be a search filter with all its parentheses, such as ${such}`)
      .refine((value) => value.includes(placeholder), `must contain the placeholder ${placeholder}, such as ${such}`),
  );

/** The name of an attribute of LDAP, with its options. */
export const ldapAttribute = z
  .string()
  .regex(/^(?:[A-Za-z][\w-]*|\d+(?:\.\d+)+)(?:;[\w-]+)*$/, 'must be the name of an attribute such as mail');

const openPattern = (patterns: readonly string[]): string | undefined => patterns.find((one) => findOpenBracket(one) !== undefined);

/** Patterns of file names. A comma always separates two of them. */
export const globs = declare(
  'list',
  listItems.superRefine((patterns, context) => {
    const open = openPattern(patterns);
    if (open === undefined) return;
    context.addIssue({
      code: 'custom',
      message: `must close each bracket and brace; open: ${open}. Commas separate patterns: write *.pdf,*.txt in place of *.{pdf,txt}`,
    });
  }),
);

/** Words without blanks, such as the name of a claim. */
export const word = (such: string) => textThat('string', (value) => !/\s|\p{Cc}/u.test(value), `must be one word such as ${such}`);
