import { Anchor, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { DocumentPicker } from '../../../components/document-picker.tsx';
import { useCall } from '../../../interface/use-call.ts';
import { useTranslate } from '../../../language/language.tsx';
import { type EditorProps, TARGET } from './editor-props.ts';

/** A link to another document. */
export const LinkEditor = ({ field, value, isReadOnly, error, onChange }: EditorProps): ReactNode => {
  const t = useTranslate();
  const id = typeof value === 'string' ? value : '';
  const title = useCall('get /api/documents/{id}', { params: { id } }, { enabled: id !== '' }).data?.title;
  return (
    <Stack gap={2}>
      <DocumentPicker label={field.name} value={id} title={title} isReadOnly={isReadOnly} error={error} onChange={onChange} />
      {title !== undefined && (
        <Anchor component={Link} href={`/documents/${id}`} size="sm" className="stranger" style={TARGET}>
          {t('customFields.open', { name: title })}
        </Anchor>
      )}
    </Stack>
  );
};
