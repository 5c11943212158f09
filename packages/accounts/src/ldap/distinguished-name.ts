import { stripEnd } from '@sheaf/contract';

/** Splits at every `separator` that is neither escaped nor inside quotes. Undefined where a quote stays open. */
const split = (text: string, separators: string): readonly string[] | undefined => {
  const parts: string[] = [];
  let part = '';
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') {
      part += character + text.charAt(at + 1);
      at += 1;
    } else if (!isQuoted && separators.includes(character)) {
      parts.push(part);
      part = '';
    } else {
      if (character === '"') isQuoted = !isQuoted;
      part += character;
    }
  }
  return isQuoted ? undefined : [...parts, part];
};

/** Without the spaces around it; one behind a backslash belongs to the value. */
const trimUnescaped = (text: string): string => {
  const behind = text.replace(/^ +/, '');
  const trimmed = stripEnd(behind, ' ');
  return trimmed.endsWith('\\') ? behind.slice(0, trimmed.length + 1) : trimmed;
};

/** The value behind RFC 4514's escapes: `\2c`, `\,` and quotes. Bytes that stand together are one text in UTF-8. */
const unescape = (text: string): string => {
  const trimmed = trimUnescaped(text);
  const inner = /^"(?:[^"\\]|\\.)*"$/s.test(trimmed) ? trimmed.slice(1, -1) : trimmed;
  return inner.replaceAll(/(?:\\[0-9a-fA-F]{2})+|\\(.)/gs, (bytes: string, character: string | undefined) =>
    character === undefined ? Buffer.from(bytes.replaceAll('\\', ''), 'hex').toString('utf8') : character,
  );
};

/** How directories compare most values: letters alike, spaces as one. */
const fold = (value: string): string => value.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toLowerCase();

/** One level of a name as `[type, value]`, several where it has several values. Undefined where it is none. */
const parseLevel = (text: string): readonly (readonly [type: string, value: string])[] | undefined => {
  const pairs = split(text, '+')?.map((pair) => {
    const at = pair.indexOf('=');
    return [pair.slice(0, Math.max(at, 0)).trim().toLowerCase(), unescape(pair.slice(at + 1))] as const;
  });
  return pairs?.every(([type]) => /^([a-z][a-z0-9-]*|\d+(\.\d+)+)$/.test(type)) === true ? pairs : undefined;
};

const parseName = (name: string) => {
  const levels = split(name, ',;')?.map(parseLevel);
  return levels?.every((level) => level !== undefined) === true ? levels : undefined;
};

/**
 * A distinguished name in the one form that is the same for every way to write it: case, spaces, escapes and the order of a level
 * with several values do not count. Undefined when `name` is no distinguished name.
 */
export const normaliseName = (name: string): string | undefined =>
  parseName(name)
    ?.map((level) =>
      level
        .map(([type, value]) => `${type}=${JSON.stringify(fold(value))}`)
        .sort()
        .join('+'),
    )
    .join(',');

/** The `cn` of the entry itself, as it is written. */
export const commonNameOf = (name: string): string | undefined => parseName(name)?.[0]?.find(([type]) => type === 'cn')?.[1];
