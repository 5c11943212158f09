import { Alert, Button, CopyButton, Group, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Dialog } from '../../components/dialog.tsx';
import { useTranslate } from '../../language/language.tsx';

/** A link that was just made. Nobody sees it again. */
export const CreatedLink = ({ url, onClose }: { readonly url: string; readonly onClose: () => void }): ReactNode => {
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
