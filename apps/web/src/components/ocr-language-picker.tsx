import { MultiSelect } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useCall } from '../interface/call.ts';
import { useLanguage, useTranslate } from '../language/language.tsx';
import { languageRank, ocrLanguageName } from '../language/names.ts';

interface Props {
  readonly label: string;
  /** Codes of tesseract, joined by +; `auto`, or `auto:` and codes joined by commas. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error?: ReactNode;
  readonly autoFocus?: boolean;
}

const AUTO_LANGUAGE = 'auto';

/** What is chosen, as the service takes it: where languages are found out, the others are those that it may be. */
const joined = (chosen: readonly string[], isSeveral: boolean): string => {
  const codes = chosen.filter((code) => code !== AUTO_LANGUAGE);
  if (!chosen.includes(AUTO_LANGUAGE)) return (isSeveral ? codes : codes.slice(-1)).join('+');
  return codes.length === 0 ? AUTO_LANGUAGE : `${AUTO_LANGUAGE}:${codes.join(',')}`;
};

/** The languages a document is read in, chosen from those that are installed, the browser's first; their order is kept, as it counts. */
export const OcrLanguagePicker = ({ label, value, onChange, error, autoFocus = false }: Props): ReactNode => {
  const t = useTranslate();
  const language = useLanguage();
  const { data } = useCall('get /api/ocr/languages', {});
  const [wanted, setWanted] = useState('');
  const [isOpen, setOpen] = useState(false);
  const chosen = value === '' ? [] : value.split(/[+:,]/);
  const codes = [...new Set([AUTO_LANGUAGE, ...chosen, ...(data?.languages ?? [])])];
  const isSeveral = data?.several ?? true;
  return (
    <MultiSelect
      label={label}
      description={
        chosen.includes(AUTO_LANGUAGE) ? t('ocrLanguages.autoHint') : isSeveral ? t('ocrLanguages.several') : t('ocrLanguages.one')
      }
      data={codes
        .map((code) => ({ value: code, label: code === AUTO_LANGUAGE ? t('ocrLanguages.auto') : ocrLanguageName(code, language) }))
        .toSorted(
          (a, b) =>
            Number(b.value === AUTO_LANGUAGE) - Number(a.value === AUTO_LANGUAGE) ||
            languageRank(a.value, navigator.languages) - languageRank(b.value, navigator.languages) ||
            a.label.localeCompare(b.label, language),
        )}
      value={chosen}
      // another one takes the place of the only one
      onChange={(next) => onChange(joined(next, isSeveral))}
      searchable
      searchValue={wanted}
      onSearchChange={setWanted}
      hidePickedOptions
      nothingFoundMessage={wanted.trim() === '' ? t('ocrLanguages.all') : t('ocrLanguages.none')}
      // an open list lies over the buttons of a dialog: it opens when asked for, and a choice closes it
      openOnFocus={false}
      dropdownOpened={isOpen}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      onOptionSubmit={() => setOpen(false)}
      error={error}
      data-autofocus={autoFocus || undefined}
    />
  );
};
