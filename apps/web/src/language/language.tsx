import { chooseLocale, type Format, type Locale, type Translator } from '@sheaf/messages';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { loadTranslator } from './load-translator.ts';
import { manifestName } from './manifest-name.ts';

const Context = createContext<Translator | undefined>(undefined);

interface Choice {
  readonly locale: Locale;
  /** The region for numbers and dates. */
  readonly tag: string;
}

/** The language of the user's settings, else the browser's first one that there are messages of. */
const choose = (wanted: string | undefined): Choice => {
  const locale = chooseLocale(wanted === undefined ? navigator.languages : [wanted]);
  const tag = [wanted, ...navigator.languages].find((one) => one?.toLowerCase().startsWith(locale)) ?? locale;
  return { locale, tag };
};

// begins before anything is drawn
const first = choose(undefined);
const firstTranslator = loadTranslator(first.locale, first.tag);

/** Shows its children once the messages of the language are there. Another language takes over when its messages are. */
export const LanguageProvider = ({
  wanted,
  children,
}: {
  readonly wanted?: string | undefined;
  readonly children: ReactNode;
}): ReactNode => {
  const [translator, setTranslator] = useState<Translator>();
  const [problem, setProblem] = useState<unknown>();
  const { locale, tag } = choose(wanted);
  useEffect(() => {
    let isCurrent = true;
    const load = locale === first.locale && tag === first.tag ? firstTranslator : loadTranslator(locale, tag);
    load.then(
      (loaded) => {
        if (!isCurrent) return;
        document.documentElement.lang = loaded.locale;
        document.querySelector('link[rel=manifest]')?.setAttribute('href', `/${manifestName(loaded.locale)}`);
        setTranslator(loaded);
      },
      (error: unknown) => isCurrent && setProblem(error),
    );
    return () => {
      isCurrent = false;
    };
  }, [locale, tag]);
  if (problem !== undefined) throw problem;
  return translator === undefined ? null : <Context value={translator}>{children}</Context>;
};

/** The messages, numbers and dates of the reader's language. */
export const useTranslator = (): Translator => {
  const translator = useContext(Context);
  if (translator === undefined) throw new Error('There are no messages outside of a LanguageProvider');
  return translator;
};

/** Returns the message of a key in the reader's language. */
export const useTranslate = (): Translator['t'] => useTranslator().t;

export const useLanguage = (): Locale => useTranslator().locale;

/** Numbers, sizes and times as the reader is used to them. */
export const useFormat = (): Format => useTranslator().format;
