import type { ReactNode } from 'react';
import { EntryPicker, type PickedEntry } from '../../components/entry-picker.tsx';
import { useCall } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';

interface Props {
  /** The id of a document type; null: the field is offered for all. */
  readonly typeId: string | null;
  readonly onChange: (typeId: string | null) => void;
  readonly error: ReactNode;
}

/** The document type for which a field is offered. */
export const OfferedType = ({ typeId, onChange, error }: Props): ReactNode => {
  const t = useTranslate();
  // fields name their type by its id only
  const { data } = useCall('get /api/document-types/{id}', { params: { id: typeId ?? '' } }, { enabled: typeId !== null });
  const value: PickedEntry | null = typeId === null ? null : { id: typeId, name: data?.name ?? '' };
  return (
    <EntryPicker
      kind="document_type"
      label={t('customFields.offeredFor')}
      placeholder={t('filing.any.document_type')}
      value={value}
      onChange={(entry) => onChange(entry?.id ?? null)}
      mayCreate={false}
      error={error}
    />
  );
};
