import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { useFormat, useTranslate } from '../../language/language.tsx';
import type { Removal } from './use-bulk-actions.ts';

/** Asks for the number of documents before that many are deleted. */
const RemovalDialog = ({ count, confirm, cancel }: Removal): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const [typed, setTyped] = useState('');
  const isRight = typed.replaceAll(/[^\p{Nd}]/gu, '') === String(count);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isRight) confirm();
  };
  return (
    <Dialog opened onClose={cancel} title={t('documents.removalTitle', { count })}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">{t('documents.removalHint')}</Text>
          <TextInput
            label={t('documents.removalNumber', { number: format.number(count) })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            inputMode="numeric"
            autoComplete="off"
            data-autofocus
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={cancel}>
              {t('documents.cancel')}
            </Button>
            <Button type="submit" color="red" disabled={!isRight}>
              {t('documents.remove')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
};
export default RemovalDialog;
