import { Checkbox, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { PasswordField } from '../../components/password-field.tsx';
import { useTranslate } from '../../language/language.tsx';
import type { SourceDraft } from './source-draft.ts';

type TextField = 'name' | 'url' | 'bucket' | 'region' | 'endpointUrl' | 'prefix' | 'path' | 'username';

interface Props {
  readonly draft: SourceDraft;
  readonly set: (changes: Partial<SourceDraft>) => void;
  readonly errorOf: (path: string) => string | undefined;
  readonly hasSecret: boolean;
}

/** The name of a source, and where it is: other fields for each kind. */
export const PlaceFields = ({ draft, set, errorOf, hasSecret }: Props): ReactNode => {
  const t = useTranslate();
  const isS3 = draft.type === 's3';
  const text = (
    field: TextField,
    label: string,
    path: string,
    rest: { hint?: string; isRequired?: boolean; placeholder?: string } = {},
  ) => (
    <TextInput
      key={field}
      label={label}
      description={rest.hint}
      placeholder={rest.placeholder}
      value={draft[field]}
      onChange={(event) => set({ [field]: event.currentTarget.value })}
      error={errorOf(path)}
      required={rest.isRequired ?? false}
      withAsterisk={false}
      spellCheck={false}
      autoCapitalize="none"
      autoComplete="off"
    />
  );
  return (
    <>
      {text('name', t('sourceScreen.name'), 'name', { isRequired: true })}
      {draft.type === 'webdav' &&
        text('url', t('sourceScreen.url'), 'url', { isRequired: true, placeholder: 'https://cloud.example.org/remote.php/dav/files/ada/' })}
      {isS3 && [
        text('bucket', t('sourceScreen.bucket'), 'settings.bucket', { isRequired: true }),
        text('region', t('sourceScreen.region'), 'settings.region', { placeholder: 'us-east-1' }),
        text('endpointUrl', t('sourceScreen.endpoint'), 'settings.endpoint_url', {
          hint: t('sourceScreen.endpointHint'),
          placeholder: 'https://s3.example.org',
        }),
        text('prefix', t('sourceScreen.prefix'), 'settings.prefix'),
      ]}
      {isS3 && draft.endpointUrl !== '' && (
        <Checkbox
          label={t('sourceScreen.pathStyle')}
          checked={draft.pathStyle ?? true}
          onChange={(event) => set({ pathStyle: event.currentTarget.checked })}
        />
      )}
      {draft.type === 'local_folder' &&
        text('path', t('sourceScreen.path'), 'settings.path', { isRequired: true, placeholder: '/srv/papers' })}
      {draft.type !== 'local_folder' && (
        <>
          {text('username', isS3 ? t('sourceScreen.keyId') : t('sourceScreen.username'), 'username')}
          <PasswordField
            label={isS3 ? t('sourceScreen.secretKey') : t('sourceScreen.password')}
            placeholder={hasSecret ? t('sourceScreen.keptSecret') : undefined}
            value={draft.password}
            onChange={(event) => set({ password: event.currentTarget.value })}
            error={errorOf('password')}
            autoComplete="new-password"
          />
        </>
      )}
    </>
  );
};
