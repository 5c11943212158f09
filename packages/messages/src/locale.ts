/** The languages that there is a catalogue of, English first: it is what a reader gets for whose language there is none. */
export const LOCALES = ['en', 'de', 'fr', 'es'] as const;
export type Locale = (typeof LOCALES)[number];

const isLocale = (code: string | undefined): code is Locale => (LOCALES as readonly (string | undefined)[]).includes(code);

/** The first of the wanted language tags that there is a catalogue of, as its locale; English where there is none. */
export const chooseLocale = (wanted: readonly string[]): Locale =>
  wanted.map((tag) => tag.toLowerCase().split('-')[0]).find(isLocale) ?? 'en';
