import { createContext, type ReactNode, useContext, useEffect, useMemo } from 'react';
import { type Format, makeFormat } from './format.ts';
import { chooseLanguage, type Language, type Texts } from './texts.ts';

interface LanguageValue {
  readonly language: Language;
  readonly format: Format;
}

const Context = createContext<LanguageValue>({ language: 'en', format: makeFormat('en') });

/** `wanted` is the user's choice; without one it is the browser's. */
export const LanguageProvider = ({
  wanted,
  children,
}: {
  readonly wanted?: string | undefined;
  readonly children: ReactNode;
}): ReactNode => {
  const language = chooseLanguage(wanted === undefined ? navigator.languages : [wanted]);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  // dates and numbers in the habits of the very region, where it is of that language
  const tag = [wanted, ...navigator.languages].find((one) => one?.toLowerCase().startsWith(language)) ?? language;
  const value = useMemo(() => ({ language, format: makeFormat(tag) }), [language, tag]);
  return <Context value={value}>{children}</Context>;
};

export const useLanguage = (): Language => useContext(Context).language;

/** The words of a screen in the language of who reads it. */
export const useTexts = <T,>(texts: Texts<T>): T => texts[useLanguage()] as T;

/** Numbers, sizes and times as the reader is used to them. */
export const useFormat = (): Format => useContext(Context).format;
