export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

type Text = string | ((...values: never[]) => string);
type SameShape<T> = { readonly [K in keyof T]: T[K] extends (...values: infer A) => string ? (...values: A) => string : string };

/** The words of one screen in each language. A language that lacks one does not type-check. */
export interface Texts<T> {
  readonly en: T;
  readonly de: SameShape<T>;
}

export const defineTexts = <T extends Readonly<Record<string, Text>>>(texts: Texts<T>): Texts<T> => texts;

const rules: Readonly<Record<Language, Intl.PluralRules>> = { en: new Intl.PluralRules('en'), de: new Intl.PluralRules('de') };
const numbers: Readonly<Record<Language, Intl.NumberFormat>> = { en: new Intl.NumberFormat('en'), de: new Intl.NumberFormat('de') };

/** Characters that turn the direction of what follows them. */
const DIRECTIONS = /[\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** A name that strangers gave, to stand in a sentence without turning it round. */
export const named = (name: string): string => name.replaceAll(DIRECTIONS, '');

/** `count` with the form of the noun that goes with it: plural('en', 2, 'document', 'documents') is "2 documents". */
export const plural = (language: Language, count: number, one: string, other: string): string =>
  `${numbers[language].format(count)} ${rules[language].select(count) === 'one' ? one : other}`;

/** The language of these that comes first among the wanted ones; English where none does. */
export const chooseLanguage = (wanted: readonly string[]): Language => {
  const codes = wanted.map((tag) => tag.toLowerCase().split('-')[0]);
  return LANGUAGES.find((language) => codes.find((code) => (LANGUAGES as readonly string[]).includes(code ?? '')) === language) ?? 'en';
};
