import { compileLazily } from './catalogue.ts';
import { englishTranslator } from './english.ts';
import { makeProgramFormat } from './format.ts';
import { type Locale, makeTranslator, type Translator } from './translator.ts';

// loaded where somebody reads the language
const CATALOGUES = {
  de: () => import('../locales/de.json', { with: { type: 'json' } }),
  fr: () => import('../locales/fr.json', { with: { type: 'json' } }),
  es: () => import('../locales/es.json', { with: { type: 'json' } }),
} as const satisfies Record<Exclude<Locale, 'en'>, unknown>;

const load = async (locale: Exclude<Locale, 'en'>): Promise<Translator> =>
  makeTranslator(locale, compileLazily((await CATALOGUES[locale]()).default), locale, makeProgramFormat(locale));

const translators = new Map<Locale, Promise<Translator>>();

/** The translator of a program into the language of a reader, for what leaves the service ready to be read, such as mail. */
export const loadTranslator = async (locale: Locale): Promise<Translator> => {
  if (locale === 'en') return englishTranslator();
  const loading = translators.get(locale) ?? load(locale);
  translators.set(locale, loading);
  return await loading;
};
