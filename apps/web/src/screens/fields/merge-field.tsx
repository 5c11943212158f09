import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { MergeDialog } from '../../components/merge-dialog.tsx';
import { type CustomField, useAllFields } from '../../components/use-all-fields.ts';
import { useTranslate } from '../../language/language.tsx';
import { TOUCHED } from './touched.ts';

/** Asks for the field of the same type that receives the values of this one. */
export const MergeField = ({ field, onClose }: { readonly field: CustomField; readonly onClose: () => void }): ReactNode => {
  const t = useTranslate();
  const others = useAllFields().filter(({ id, type }) => id !== field.id && type === field.type);
  return (
    <MergeDialog
      operation="post /api/fields/{id}/merge"
      touches={TOUCHED}
      merged={field}
      hint={t('customFields.mergeHint', { name: field.name, count: field.document_count })}
      picker={(into, pick) => (
        <Select
          label={t('filing.mergeInto')}
          data={others.map(({ id, name }) => ({ value: id, label: name }))}
          value={into?.id ?? null}
          onChange={(chosen) => pick(others.find(({ id }) => id === chosen) ?? null)}
          searchable
          nothingFoundMessage={t('customFields.noneFound')}
        />
      )}
      onClose={onClose}
    />
  );
};
