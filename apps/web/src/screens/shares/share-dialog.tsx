import { Alert, Button, Checkbox, CopyButton, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { DEFAULT_SHARE_DAYS, SHARE_PASSWORD_CHARACTERS } from '@sheaf/vocabulary/limits';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { Dialog, FormButtons } from '../../components/dialog.tsx';
import { ProblemNote, useFieldErrors } from '../../components/problem-note.tsx';
import { PasswordField } from '../../components/text-fields.tsx';
import { useChange } from '../../interface/call.ts';
import { useTranslate } from '../../language/language.tsx';

/** A link that was just made. Nobody sees it again. */
const CreatedLink = ({ url, onClose }: { readonly url: string; readonly onClose: () => void }): ReactNode => {
  const t = useTranslate();
  return (
    <Dialog opened onClose={onClose} title={t('shares.created')} closeOnClickOutside={false}>
      <Stack gap="md">
        <Alert color="yellow">{t('shares.once')}</Alert>
        <TextInput label={t('shares.link')} value={url} readOnly onFocus={(event) => event.currentTarget.select()} data-autofocus />
        <Group justify="space-between">
          <Button component={Link} href="/shares" variant="subtle" onClick={onClose}>
            {t('shares.title')}
          </Button>
          <CopyButton value={url}>
            {({ copied, copy }) => <Button onClick={copy}>{copied ? t('shares.copied') : t('shares.copy')}</Button>}
          </CopyButton>
        </Group>
      </Stack>
    </Dialog>
  );
};

const EXPIRY_DAYS = [1, DEFAULT_SHARE_DAYS, 30, 90, 365] as const;
const DAY_MS = 24 * 3_600_000;

interface Props {
  readonly kind: 'document' | 'search';
  readonly id: string;
  /** Title of the document, or name of the search. */
  readonly name: string;
  readonly onClose: () => void;
}

/** Makes a share link, and shows it once. */
const ShareDialog = ({ kind, id, name, onClose }: Props): ReactNode => {
  const t = useTranslate();
  const [days, setDays] = useState(String(DEFAULT_SHARE_DAYS));
  const [password, setPassword] = useState('');
  const [allowDownload, setAllowDownload] = useState(false);
  const touches = ['get /api/shares'] as const;
  const ofDocument = useChange('post /api/documents/{id}/shares', touches);
  const ofSearch = useChange('post /api/saved-searches/{id}/shares', touches);
  const create = kind === 'document' ? ofDocument : ofSearch;
  const errorOf = useFieldErrors(create.error);
  const { minimum, maximum } = SHARE_PASSWORD_CHARACTERS;
  if (create.data !== undefined) return <CreatedLink url={create.data.url} onClose={onClose} />;

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const expiresAt = new Date(Date.now() + Number(days) * DAY_MS).toISOString();
    create.mutate({
      params: { id },
      body: { expires_at: expiresAt, password: password === '' ? null : password, allow_download: allowDownload },
    });
  };

  return (
    <Dialog opened onClose={onClose} title={t('shares.shareOf', { name })}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">{t('shares.about')}</Text>
          {create.error !== null && create.error.issues.length === 0 && <ProblemNote problem={create.error} />}
          <NativeSelect
            label={t('shares.expires')}
            data={EXPIRY_DAYS.map((count) => ({ value: String(count), label: t('shares.days', { count }) }))}
            value={days}
            onChange={(event) => setDays(event.currentTarget.value)}
            error={errorOf('expires_at')}
            data-autofocus
          />
          <PasswordField
            label={t('shares.password')}
            description={t('shares.passwordHint', { minimum })}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={errorOf('password')}
            minLength={minimum}
            maxLength={maximum}
            autoComplete="new-password"
          />
          <Checkbox
            label={t('shares.allowDownload')}
            checked={allowDownload}
            onChange={(event) => setAllowDownload(event.currentTarget.checked)}
          />
          <FormButtons submit={t('shares.create')} isBusy={create.isPending} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
};

export default ShareDialog;
