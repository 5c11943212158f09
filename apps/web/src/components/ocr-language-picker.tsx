import { MultiSelect } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useCall } from '../interface/use-call.ts';
import { useLanguage, useTexts } from '../language/language.tsx';
import { ocrLanguageName } from '../language/ocr-language-name.ts';
import { defineTexts } from '../language/texts.ts';

const texts = defineTexts({
  en: {
    several: 'The first one counts most.',
    one: 'One at a time.',
    none: 'No such language is installed',
    all: 'No other language is installed',
  },
  de: {
    several: 'Die erste zählt am meisten.',
    one: 'Immer nur eine.',
    none: 'Eine solche Sprache ist nicht installiert',
    all: 'Eine andere Sprache ist nicht installiert',
  },
});

interface Props {
  readonly label: string;
  /** Codes of tesseract, joined by +. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error?: ReactNode;
  readonly autoFocus?: boolean;
}

/** The languages a document is read in, chosen from those that are installed; their order is kept, as it counts. */
export const OcrLanguagePicker = ({ label, value, onChange, error, autoFocus = false }: Props): ReactNode => {
  const t = useTexts(texts);
  const language = useLanguage();
  const { data } = useCall('get /api/ocr/languages', {});
  const [wanted, setWanted] = useState('');
  const chosen = value === '' ? [] : value.split('+');
  const codes = [...new Set([...chosen, ...(data?.languages ?? [])])];
  const isSeveral = data?.several ?? true;
  return (
    <MultiSelect
      label={label}
      description={isSeveral ? t.several : t.one}
      data={codes
        .map((code) => ({ value: code, label: ocrLanguageName(code, language) }))
        .toSorted((a, b) => a.label.localeCompare(b.label, language))}
      value={chosen}
      // another one takes the place of the only one
      onChange={(next) => onChange((isSeveral ? next : next.slice(-1)).join('+'))}
      searchable
      searchValue={wanted}
      onSearchChange={setWanted}
      hidePickedOptions
      nothingFoundMessage={wanted.trim() === '' ? t.all : t.none}
      openOnFocus={false} // it would lie over the buttons of a dialog that has just opened
      error={error}
      data-autofocus={autoFocus || undefined}
    />
  );
};
