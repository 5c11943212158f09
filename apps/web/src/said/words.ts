import type { Format } from '../language/format.ts';
import { type Language, named } from '../language/texts.ts';

/** What goes with a code: limits, names. It came over the wire, so nothing of it is sure to be there. */
export type Details = Readonly<Record<string, unknown>>;

/**
 * Words for a code, with names of its details in braces. Made from the details where they differ by them; null where the service's own
 * words say more than the code does.
 */
export type Words = string | ((details: Details) => string | null) | null;

/** Words for each of these codes in each language. A code that lacks them does not type-check. */
export type WordsByCode<C extends string> = Readonly<Record<Language, Readonly<Record<C, Words>>>>;

const BRACES = /\{(\w+)\}/g;

/** A detail as the reader is used to such things: the end of its name tells its unit. */
const tell = (name: string, value: unknown, format: Format): string | undefined => {
  if (typeof value === 'number') {
    if (name.endsWith('_bytes')) return format.bytes(value);
    if (name === 'confidence') return format.percent(value);
    return name.endsWith('_seconds') ? format.duration(value) : format.number(value);
  }
  if (typeof value === 'string') return name.endsWith('_at') && !Number.isNaN(Date.parse(value)) ? format.dateTime(value) : named(value);
  return Array.isArray(value) ? named(value.join(', ')) : undefined;
};

/** `text` with the details in its braces; undefined where one of them is missing. */
const fill = (text: string, details: Details, format: Format): string | undefined => {
  const parts = new Map(
    Array.from(text.matchAll(BRACES), ([, name = '']) => [
      name,
      Object.hasOwn(details, name) ? tell(name, details[name], format) : undefined,
    ]),
  );
  if ([...parts.values()].includes(undefined)) return undefined;
  return text.replaceAll(BRACES, (_match, name: string) => parts.get(name) ?? '');
};

/** What is said for `code`; undefined where there are no words for it, or they lack a detail. */
export const say = (words: Readonly<Record<string, Words>>, code: string, details: Details, format: Format): string | undefined => {
  const found = Object.hasOwn(words, code) ? words[code] : undefined;
  const text = typeof found === 'function' ? found(details) : found;
  return text === undefined || text === null ? undefined : fill(text, details, format);
};
