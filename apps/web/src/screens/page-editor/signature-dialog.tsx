import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { useFormat, useTranslate } from '../../language/language.tsx';

interface Props {
  /** That keeps the signature. */
  readonly version: number;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before a version without the signature is made of a signed PDF. */
export const SignatureDialog = ({ version, onConfirm, onClose }: Props): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  return (
    <Dialog opened onClose={onClose} title={t('pageEditor.signedTitle')}>
      <Stack gap="md">
        <Text size="sm">{t('pageEditor.signedHint', { number: format.number(version) })}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('common.cancel')}
          </Button>
          <Button color="red" onClick={onConfirm}>
            {t('pageEditor.signedSave')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
};
