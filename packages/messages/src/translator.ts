import { setupI18n } from '@lingui/core';
import type { CompiledMessage } from '@lingui/message-utils/compileMessage';
import type en from '../locales/en.json';
import { withoutBidiControls } from './bidi.ts';
import { type Format, makeFormat } from './format.ts';
import type { MessageArguments } from './message-arguments.ts';

export type MessageKey = keyof typeof en;

/** The messages of one language, compiled by `compileCatalogue`. */
export type CompiledCatalogue = Readonly<Record<string, CompiledMessage>>;

/** The arguments of a message by name; none for a message without arguments. */
export type ValuesOf<K extends MessageKey> = K extends keyof MessageArguments ? [values: MessageArguments[K]] : [];

/** The names of the arguments that a message cannot do without. */
export type NeededArguments<K extends string> = K extends keyof MessageArguments
  ? { [N in keyof MessageArguments[K]]: undefined extends MessageArguments[K][N] ? never : N }[keyof MessageArguments[K]]
  : never;

/** The details of a code. They came over the wire, so nothing in them is sure to be there. */
export type Details = Readonly<Record<string, unknown>>;

export interface Translator {
  readonly locale: Locale;
  /** Numbers, sizes and times in the habits of the region. */
  readonly format: Format;
  /** The message of a key. */
  readonly t: <K extends MessageKey>(key: K, ...values: ValuesOf<K>) => string;
  /** The message of a key that is known at run time only; undefined where there is none, or a detail that it needs is missing. */
  readonly find: (key: string, details?: Details) => string | undefined;
}

type Token = string | readonly [name: string, type?: string, cases?: unknown];

const tokensOf = (message: unknown): readonly Token[] => (Array.isArray(message) ? (message as readonly Token[]) : []);
const branchesOf = (cases: unknown): Readonly<Record<string, unknown>> => (cases ?? {}) as Readonly<Record<string, unknown>>;

/** Stands before the name of an argument of a `select` or `plural`, which needs the bare value; see compileCatalogue. */
const KIND_MARK = /^[?#]/;

/** The value of a `select` for an argument that is missing. */
const MISSING = 'missing';
const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';

/** A detail in the form of the reader: its name says its unit. */
const formatDetail = (name: string, value: unknown, format: Format): string | undefined => {
  if (typeof value === 'number') {
    if (name.endsWith('_bytes')) return format.bytes(value);
    if (name === 'confidence') return format.percent(value);
    return name.endsWith('_seconds') ? format.duration(value) : format.number(value);
  }
  if (typeof value === 'string')
    return name.endsWith('_at') && !Number.isNaN(Date.parse(value)) ? format.dateTime(value) : withoutBidiControls(value);
  return Array.isArray(value) ? withoutBidiControls(value.join(', ')) : undefined;
};

/** Collects into `values` what a message shows of `details`; false where something is missing. */
const collect = (tokens: readonly Token[], details: Details, values: Record<string, unknown>, format: Format): boolean =>
  tokens.every((token) => {
    if (typeof token === 'string') return true;
    const [key, type, cases] = token;
    const name = key.replace(KIND_MARK, '');
    const value = Object.hasOwn(details, name) ? details[name] : undefined;
    if (type === 'select') {
      const chosen = isMissing(value) ? MISSING : String(value);
      values[key] = chosen;
      const branches = branchesOf(cases);
      return collect(tokensOf(Object.hasOwn(branches, chosen) ? branches[chosen] : branches['other']), details, values, format);
    }
    if (type === 'plural') {
      values[key] = value;
      return (
        typeof value === 'number' && Object.values(branchesOf(cases)).every((branch) => collect(tokensOf(branch), details, values, format))
      );
    }
    const shown = formatDetail(name, value, format);
    values[key] = shown;
    return shown !== undefined;
  });

// Lingui decodes \uXXXX in what it has put together, names of files included: they go in without a backslash
const BACKSLASH_STAND_IN = '\uE05C';
const hideBackslashes = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? value.replaceAll('\\', BACKSLASH_STAND_IN) : value]),
  );

/** Translates into one language. `tag` is the region for numbers and dates, such as de-AT. */
export const makeTranslator = (
  locale: Locale,
  catalogue: CompiledCatalogue,
  tag: string = locale,
  format: Format = makeFormat(tag),
): Translator => {
  const i18n = setupI18n({ locale, locales: [tag, locale], messages: { [locale]: catalogue } });
  const find = (key: string, details: Details = {}): string | undefined => {
    if (!Object.hasOwn(catalogue, key)) return undefined;
    const tokens = tokensOf(catalogue[key]);
    const values: Record<string, unknown> = {};
    if (!collect(tokens, details, values, format)) return undefined;
    const text = i18n._(key, hideBackslashes(values)).replaceAll(BACKSLASH_STAND_IN, '\\');
    return text === '' ? undefined : text;
  };
  return { locale, format, find, t: (key, ...[values]) => find(key, values) ?? key };
};

/** The languages that there is a catalogue of, English first: it is what a reader gets for whose language there is none. */
export const LOCALES = ['en', 'de', 'fr', 'es'] as const;
export type Locale = (typeof LOCALES)[number];

const isLocale = (code: string | undefined): code is Locale => (LOCALES as readonly (string | undefined)[]).includes(code);

/** The first of the wanted language tags that there is a catalogue of, as its locale; English where there is none. */
export const chooseLocale = (wanted: readonly string[]): Locale =>
  wanted.map((tag) => tag.toLowerCase().split('-')[0]).find(isLocale) ?? 'en';
