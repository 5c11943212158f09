import { type ReactNode, useState } from 'react';
import { EntryPicker, type PickedEntry } from '../../components/entry-picker.tsx';
import { FILING_CALLS, type FilingKind } from '../../components/filing-kinds.ts';
import { useCall } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';

interface Props {
  readonly kind: FilingKind;
  readonly label: string;
  /** The id of the entry: a rule knows no more of it. */
  readonly value: string | undefined;
  readonly onChange: (id: string | undefined) => void;
}

/** One correspondent or document type, found by what is typed; nothing is chosen where the field is empty. */
export const EntrySelect = ({ kind, label, value, onChange }: Props): ReactNode => {
  const t = useTranslate();
  const [picked, setPicked] = useState<PickedEntry | null>(null);
  const isKnown = picked?.id === value;
  const { data } = useCall(FILING_CALLS[kind].read, { params: { id: value ?? '' } }, { enabled: value !== undefined && !isKnown });
  const entry = value === undefined ? null : isKnown ? picked : (data ?? { id: value, name: value });
  return (
    <EntryPicker
      kind={kind}
      label={label}
      placeholder={t('rules.leave')}
      value={entry}
      onChange={(one) => {
        setPicked(one);
        onChange(one?.id);
      }}
    />
  );
};
