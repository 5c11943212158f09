import type { ReactNode } from 'react';
import { EntryPicker } from '../../components/entry-picker.tsx';
import { FILING_CALLS, type FilingEntry, type FilingKind } from '../../components/filing-kinds.ts';
import { MergeDialog } from '../../components/merge-dialog.tsx';
import { useTranslate } from '../../language/language.tsx';
import { touchedBy } from './touched.ts';

interface Props {
  readonly kind: FilingKind;
  readonly entry: FilingEntry;
  readonly onClose: () => void;
}

/** Asks for the entry that receives the documents of this one. */
export const MergeEntry = ({ kind, entry, onClose }: Props): ReactNode => {
  const t = useTranslate();
  return (
    <MergeDialog
      operation={FILING_CALLS[kind].merge}
      touches={touchedBy(kind)}
      merged={entry}
      hint={t('filing.mergeHint', { name: entry.name, count: entry.document_count })}
      picker={(into, pick) => (
        <EntryPicker kind={kind} label={t('filing.mergeInto')} value={into} onChange={pick} except={entry.id} mayCreate={false} />
      )}
      onClose={onClose}
    />
  );
};
